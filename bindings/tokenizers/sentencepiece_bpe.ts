/** Byte pair encoding as in SentencePiece: merges neighbours that are a piece together, the best score first. */

import type { Steps } from '../engine/steps.js';
import { characterAt } from './characters.js';
import { LongestMatch } from './longest_match.js';
import { appendPart, merged, type Part } from './pair_merging.js';
import type { SentencePieceFile } from './sentencepiece_file.js';
import type { Cut } from './unigram.js';

/** In place of an id: a user-defined symbol, which is never merged. */
const fixed = -1;

export class BpeModel {
  readonly #ids = new Map<string, number>();
  readonly #file: SentencePieceFile;
  readonly #symbols: LongestMatch;

  constructor(file: SentencePieceFile) {
    this.#file = file;
    const mergeable = ['normal', 'user', 'unused'];
    for (const [id, { text, kind }] of file.pieces.entries())
      if (mergeable.includes(kind)) this.#ids.set(text, id);
    this.#symbols = LongestMatch.of(
      file.pieces.filter(({ kind }) => kind === 'user').map(({ text }) => text),
    );
  }

  *cut(text: string): Steps<Cut[]> {
    /** Splits pieces that may only occur as intermediate results. */
    const seams = new Map<string, number>();
    const parts = yield* merged(this.#partsOf(text), (a, b) => {
      if (a.id === fixed || b.id === fixed) return null;
      const joined = text.slice(a.begin, b.end);
      const id = this.#ids.get(joined);
      if (id === undefined) return null;
      const { score = 0, kind } = this.#file.pieces[id] ?? {};
      if (kind === 'unused') seams.set(joined, a.end - a.begin);
      return { id, rank: -score };
    });
    const cuts: Cut[] = [];
    for (const { begin, end } of parts) this.#emit(text, begin, end, seams, cuts);
    return cuts;
  }

  #partsOf(text: string): Part[] {
    const parts: Part[] = [];
    const symbolAt = this.#symbols.in(text);
    for (let begin = 0; begin < text.length; ) {
      const symbol = symbolAt(begin);
      const end = begin + (symbol ?? characterAt(text, begin)).length;
      appendPart(parts, symbol === null ? 0 : fixed, begin, end);
      begin = end;
    }
    return parts;
  }

  #emit(text: string, begin: number, end: number, seams: ReadonlyMap<string, number>, cuts: Cut[]): void {
    const piece = text.slice(begin, end);
    const id = this.#ids.get(piece) ?? this.#file.unknownId;
    const seam = this.#file.pieces[id]?.kind === 'unused' ? seams.get(piece) : undefined;
    if (seam === undefined) {
      cuts.push({ begin, end, id });
      return;
    }
    this.#emit(text, begin, begin + seam, seams, cuts);
    this.#emit(text, begin + seam, end, seams, cuts);
  }
}
