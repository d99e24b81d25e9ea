/** A SentencePiece model at work: text to pieces and back, exactly as the original (Kudo and Richardson 2018) does it. */

import { type AlignedText, type Span, spanOf } from './aligned_text.js';
import { BpeModel } from './sentencepiece_bpe.js';
import type { SentencePieceFile } from './sentencepiece_file.js';
import { SentencePieceNormalizer } from './sentencepiece_normalizer.js';
import { type Cut, UnigramModel } from './unigram.js';
import { byteOf, byteToken, textOfBytes } from './utf8_bytes.js';

/** A piece of a text. */
export interface TextPiece {
  /** As the vocabulary has it; the text itself where it lacks it. */
  readonly piece: string;
  /** Its id, which need not be the token's. */
  readonly id: number;
  readonly span: Span | null;
}

export class SentencePiece {
  readonly file: SentencePieceFile;
  readonly #normalizer: SentencePieceNormalizer;
  readonly #model: { cut(text: string): Cut[] };
  readonly #ids: ReadonlyMap<string, number>;

  /** @throws TransformerError `bad_checkpoint` */
  constructor(file: SentencePieceFile) {
    this.file = file;
    this.#normalizer = new SentencePieceNormalizer(file);
    this.#model = file.algorithm === 'bpe' ? new BpeModel(file) : new UnigramModel(file);
    this.#ids = new Map(file.pieces.map(({ text }, id) => [text, id]));
  }

  idOf(piece: string): number | null {
    return this.#ids.get(piece) ?? null;
  }

  /** @param options see {@link SentencePieceNormalizer.normalize} */
  encode(text: string, { addPrefix = true }: { addPrefix?: boolean } = {}): TextPiece[] {
    const normalized = this.#normalizer.normalize(text, addPrefix);
    const { unknownId, byteFallback } = this.file;
    const pieces: TextPiece[] = [];
    for (const cut of joinUnknown(this.#model.cut(normalized.text), byteFallback ? -1 : unknownId)) {
      if (cut.id === unknownId && byteFallback) pieces.push(...this.#bytesOf(normalized, cut));
      else pieces.push(pieceOf(normalized, cut));
    }
    return pieces;
  }

  /** The text of pieces, of which control symbols have none. */
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

  #surfaceOf(piece: string, id: number, stripsSpace: boolean): { text: string; endsStripping: boolean } {
    const { pieces, normalizer, unknownSurface } = this.file;
    const { text, kind } = pieces[id] as SentencePieceFile['pieces'][number];
    if (kind === 'control') return { text: '', endsStripping: false };
    if (kind === 'unknown') return { text: text === piece ? unknownSurface : piece, endsStripping: false };
    const { addDummyPrefix, removeExtraWhitespaces } = normalizer;
    const strips = stripsSpace && (addDummyPrefix || removeExtraWhitespaces) && piece.startsWith('\u2581');
    return {
      text: piece.slice(strips ? 1 : 0).replaceAll('\u2581', ' '),
      // Without extra spaces all those at the beginning go, else the one that was added.
      endsStripping: strips && !removeExtraWhitespaces,
    };
  }

  /** The bytes of an unknown character each have the place of all of it. */
  #bytesOf(normalized: AlignedText, { begin, end }: Cut): TextPiece[] {
    const span = spanOf(normalized, [begin, end]);
    return Array.from(new TextEncoder().encode(normalized.text.slice(begin, end)), (byte) => {
      const piece = byteToken(byte);
      return { piece, id: this.idOf(piece) ?? this.file.unknownId, span };
    });
  }
}

function pieceOf(normalized: AlignedText, { begin, end, id }: Cut): TextPiece {
  return { piece: normalized.text.slice(begin, end), id, span: spanOf(normalized, [begin, end]) };
}

/** Unknown characters that follow each other are one unknown piece. */
function joinUnknown(cuts: readonly Cut[], unknownId: number): Cut[] {
  const joined: Cut[] = [];
  for (const cut of cuts) {
    const last = joined.at(-1);
    if (last?.id === unknownId && cut.id === unknownId) joined[joined.length - 1] = { ...last, end: cut.end };
    else joined.push(cut);
  }
  return joined;
}
