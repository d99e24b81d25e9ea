/**
 * Segmentation by a unigram language model (Kudo 2018): of all ways to cut a text into pieces, the one with the largest
 * sum of log-probabilities, found with the Viterbi algorithm.
 */

import type { SentencePieceFile } from './sentencepiece_file.js';

/** A piece of a text: `[begin, end)` of it, in UTF-16 units. */
export interface Cut {
  readonly begin: number;
  readonly end: number;
  readonly id: number;
}

interface Candidate {
  readonly id: number;
  readonly score: number;
}

/** How far below the least likely piece the score of an unknown character is, as in SentencePiece. */
const unknownPenalty = 10;

export class UnigramModel {
  readonly #pieces = new Map<string, Candidate>();
  /** The length of the longest piece that begins with a character. */
  readonly #longest = new Map<string, number>();
  readonly #unknownId: number;
  readonly #unknownScore: number;

  constructor({ pieces, unknownId }: SentencePieceFile) {
    let [least, greatest] = [Number.MAX_VALUE, 0];
    for (const { kind, score } of pieces) {
      if (kind !== 'normal') continue;
      least = Math.min(least, score);
      greatest = Math.max(greatest, score);
    }
    this.#unknownId = unknownId;
    this.#unknownScore = Math.fround(Math.fround(least) - unknownPenalty);
    for (const [id, { text, score, kind }] of pieces.entries()) {
      if (kind !== 'normal' && kind !== 'user') continue;
      // A user-defined symbol wins against any way to cut it.
      const bytes = kind === 'user' ? new TextEncoder().encode(text).length : 0;
      this.#pieces.set(text, { id, score: kind === 'user' ? Math.fround(bytes * greatest) - 0.1 : score });
      const first = String.fromCodePoint(text.codePointAt(0) as number);
      this.#longest.set(first, Math.max(this.#longest.get(first) ?? 0, text.length));
    }
  }

  /** The best cut. Sums are rounded to 32 bits as in SentencePiece, so that the same one of several equal cuts wins. */
  cut(text: string): Cut[] {
    const best = new Float32Array(text.length + 1);
    const begins = new Int32Array(text.length + 1).fill(-1);
    const ids = new Int32Array(text.length + 1);
    const offer = (begin: number, end: number, { id, score }: Candidate) => {
      const sum = score + (best[begin] as number);
      if (begins[end] !== -1 && sum <= (best[end] as number)) return;
      best[end] = sum;
      begins[end] = begin;
      ids[end] = id;
    };
    for (let begin = 0; begin < text.length; ) {
      const first = String.fromCodePoint(text.codePointAt(begin) as number);
      const limit = Math.min(text.length, begin + (this.#longest.get(first) ?? 0));
      for (let end = begin + 1; end <= limit; end++) {
        const candidate = this.#pieces.get(text.slice(begin, end));
        if (candidate) offer(begin, end, candidate);
      }
      const after = begin + first.length;
      if (!this.#pieces.has(first)) offer(begin, after, this.#unknown(best[begin] as number));
      begin = after;
    }
    const cuts: Cut[] = [];
    for (let end = text.length; end > 0; end = begins[end] as number) {
      cuts.push({ begin: begins[end] as number, end, id: ids[end] as number });
    }
    return cuts.reverse();
  }

  /** Here SentencePiece rounds before it compares. */
  #unknown(before: number): Candidate {
    return { id: this.#unknownId, score: Math.fround(this.#unknownScore + before) - before };
  }
}
