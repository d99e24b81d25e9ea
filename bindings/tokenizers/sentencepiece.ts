/** Encodes and decodes text with a SentencePiece model, exactly like the original (Kudo and Richardson 2018). */

import type { Steps } from '../engine/steps.js';
import { type AlignedText, type Span, spanOf } from './aligned_text.js';
import { BpeModel } from './sentencepiece_bpe.js';
import type { SentencePieceFile } from './sentencepiece_file.js';
import { SentencePieceNormalizer } from './sentencepiece_normalizer.js';
import { type Cut, UnigramModel, unknownPenalty } from './unigram.js';
import { byteOf, byteToken, textOfBytes } from './utf8_bytes.js';

/** A piece of a text. */
export interface TextPiece {
  /** The piece as the vocabulary has it; for an unknown piece, the text itself. */
  readonly piece: string;
  /** Its id in the model, which may differ from the token's. */
  readonly id: number;
  readonly span: Span | null;
}

export class SentencePiece {
  readonly file: SentencePieceFile;
  readonly #normalizer: SentencePieceNormalizer;
  readonly #model: { cut(text: string): Steps<Cut[]> };
  readonly #ids: ReadonlyMap<string, number>;

  /** @throws TransformerError `bad_checkpoint` */
  constructor(file: SentencePieceFile) {
    this.file = file;
    this.#normalizer = new SentencePieceNormalizer(file);
    this.#model = file.algorithm === 'bpe' ? new BpeModel(file) : unigramOf(file);
    this.#ids = new Map(file.pieces.map(({ text }, id) => [text, id]));
  }

  idOf(piece: string): number | null {
    return this.#ids.get(piece) ?? null;
  }

  /** @param options see {@link SentencePieceNormalizer.normalize} */
  *encode(text: string, { addPrefix = true }: { addPrefix?: boolean } = {}): Steps<TextPiece[]> {
    const normalized = this.#normalizer.normalize(text, addPrefix);
    const { unknownId, byteFallback } = this.file;
    const pieces: TextPiece[] = [];
    const cuts = yield* this.#model.cut(normalized.text);
    for (const cut of joinUnknown(cuts, byteFallback ? -1 : unknownId)) {
      if (cut.id === unknownId && byteFallback) pieces.push(...this.#bytesOf(normalized, cut));
      else pieces.push(pieceOf(normalized, cut));
    }
    return pieces;
  }

  /** The text of pieces; control symbols have none. */
  decode(pieces: readonly string[]): string {
    let text = '';
    let bytes: number[] = [];
    let stripsSpace = true;
    for (const piece of pieces) {
      const id = this.idOf(piece) ?? this.file.unknownId;
      if (this.file.pieces[id]?.kind === 'byte') {
        bytes.push(byteOf(piece) ?? 0);
        continue;
      }
      text += textOfBytes(bytes);
      bytes = [];
      if (text !== '') stripsSpace = false;
      const surface = this.#surfaceOf(piece, id, stripsSpace);
      text += surface.text;
      if (surface.endsStripping) stripsSpace = false;
    }
    return text + textOfBytes(bytes);
  }

  get dropsFirstSpace(): boolean {
    const { addDummyPrefix, removeExtraWhitespaces } = this.file.normalizer;
    return addDummyPrefix || removeExtraWhitespaces;
  }

  /** The bytes that a piece writes within a text; `null` for control symbols and unknown ones. */
  bytesOf(piece: string): readonly number[] | null {
    const { kind = 'unknown' } = this.file.pieces[this.idOf(piece) ?? -1] ?? {};
    if (kind === 'byte') return [byteOf(piece) ?? 0];
    if (kind === 'control' || kind === 'unknown') return null;
    return Array.from(new TextEncoder().encode(piece.replaceAll('\u2581', ' ')));
  }

  #surfaceOf(piece: string, id: number, stripsSpace: boolean): { text: string; endsStripping: boolean } {
    const { pieces, normalizer, unknownSurface } = this.file;
    const { text = '', kind = 'unknown' } = pieces[id] ?? {};
    if (kind === 'control') return { text: '', endsStripping: false };
    if (kind === 'unknown') return { text: text === piece ? unknownSurface : piece, endsStripping: false };
    const { addDummyPrefix, removeExtraWhitespaces } = normalizer;
    const strips = stripsSpace && (addDummyPrefix || removeExtraWhitespaces) && piece.startsWith('\u2581');
    return {
      text: piece.slice(strips ? 1 : 0).replaceAll('\u2581', ' '),
      // With extra white space removed, all leading spaces go; otherwise only the inserted one.
      endsStripping: strips && !removeExtraWhitespaces,
    };
  }

  /** Each byte of an unknown character has the position of the whole character. */
  #bytesOf(normalized: AlignedText, { begin, end }: Cut): TextPiece[] {
    const span = spanOf(normalized, [begin, end]);
    return Array.from(new TextEncoder().encode(normalized.text.slice(begin, end)), (byte) => {
      const piece = byteToken(byte);
      return { piece, id: this.idOf(piece) ?? this.file.unknownId, span };
    });
  }
}

/** Sums are rounded to 32 bits like the original's, so that ties resolve identically. */
function unigramOf({ pieces, unknownId }: SentencePieceFile): UnigramModel {
  let [least, greatest] = [Number.MAX_VALUE, 0];
  for (const { kind, score } of pieces) {
    if (kind !== 'normal') continue;
    least = Math.min(least, score);
    greatest = Math.max(greatest, score);
  }
  const unknown = { id: unknownId, score: Math.fround(Math.fround(least) - unknownPenalty) };
  const candidates = pieces.flatMap(({ text, score, kind }, id) => {
    if (kind === 'normal') return [{ text, id, score }];
    if (kind !== 'user') return [];
    // A user-defined symbol beats every other segmentation.
    const bytes = new TextEncoder().encode(text).length;
    return [{ text, id, score: Math.fround(bytes * greatest) - 0.1 }];
  });
  return new UnigramModel(candidates, unknown, Float32Array);
}

function pieceOf(normalized: AlignedText, { begin, end, id }: Cut): TextPiece {
  return { piece: normalized.text.slice(begin, end), id, span: spanOf(normalized, [begin, end]) };
}

/** Merges consecutive unknown characters into one piece. */
function joinUnknown(cuts: readonly Cut[], unknownId: number): Cut[] {
  const joined: Cut[] = [];
  for (const cut of cuts) {
    const last = joined.at(-1);
    if (last?.id === unknownId && cut.id === unknownId) joined[joined.length - 1] = { ...last, end: cut.end };
    else joined.push(cut);
  }
  return joined;
}
