/**
 * Segmentation by a unigram language model (Kudo 2018): finds the segmentation with the largest sum of
 * log-probabilities by the Viterbi algorithm.
 */

import { characterAt } from './characters.js';
import type { SentencePieceFile } from './sentencepiece_file.js';

/** A piece of a segmented text: `[begin, end)` in UTF-16 units. */
export interface Cut {
  readonly begin: number;
  readonly end: number;
  readonly id: number;
}

interface Candidate {
  readonly id: number;
  readonly score: number;
}

/** Score of an unknown character below the lowest score of any piece, as in SentencePiece. */
const unknownPenalty = 10;

export class UnigramModel {
  readonly #pieces = new Map<string, Candidate>();
  /** The longest piece that begins with each character. */
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
      // A user-defined symbol beats every other segmentation.
      const bytes = kind === 'user' ? new TextEncoder().encode(text).length : 0;
      this.#pieces.set(text, { id, score: kind === 'user' ? Math.fround(bytes * greatest) - 0.1 : score });
      const first = characterAt(text, 0);
      this.#longest.set(first, Math.max(this.#longest.get(first) ?? 0, text.length));
    }
  }

  /** The best segmentation. Sums are rounded to 32 bits like the original's, so that ties resolve identically. */
  cut(text: string): Cut[] {
    const best = new Float32Array(text.length + 1);
    const begins = new Int32Array(text.length + 1).fill(-1);
    const ids = new Int32Array(text.length + 1);
    const offer = (begin: number, end: number, { id, score }: Candidate) => {
      const sum = score + (best[begin] ?? 0);
      if (begins[end] !== -1 && sum <= (best[end] ?? 0)) return;
      best[end] = sum;
      begins[end] = begin;
      ids[end] = id;
    };
    for (let begin = 0; begin < text.length; ) {
      const first = characterAt(text, begin);
      const limit = Math.min(text.length, begin + (this.#longest.get(first) ?? 0));
      for (let end = begin + 1; end <= limit; end++) {
        const candidate = this.#pieces.get(text.slice(begin, end));
        if (candidate) offer(begin, end, candidate);
      }
      const after = begin + first.length;
      if (!this.#pieces.has(first)) offer(begin, after, this.#unknown(best[begin] ?? 0));
      begin = after;
    }
    const cuts: Cut[] = [];
    for (let end = text.length; end > 0; ) {
      const begin = begins[end] ?? 0;
      cuts.push({ begin, end, id: ids[end] ?? 0 });
      end = begin;
    }
    return cuts.reverse();
  }

  /** The original rounds here, before it compares. */
  #unknown(before: number): Candidate {
    return { id: this.#unknownId, score: Math.fround(this.#unknownScore + before) - before };
  }
}
