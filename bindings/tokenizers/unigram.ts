/**
 * Segmentation by a unigram language model (Kudo 2018): finds the segmentation with the largest sum of
 * log-probabilities by the Viterbi algorithm.
 */

import { lettersAtOnce, type Steps } from '../engine/steps.js';
import { characterAt } from './characters.js';

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

/** Score of an unknown character below the lowest score of any piece. */
export const unknownPenalty = 10;

/** Letters of a piece, which is looked up with each of them; published ones have up to 32. */
export const longestPiece = 256;

export class UnigramModel {
  readonly #pieces = new Map<string, Candidate>();
  /** The longest piece that begins with each character. */
  readonly #longest = new Map<string, number>();
  readonly #unknown: Candidate;
  readonly #Sums: Float32ArrayConstructor | Float64ArrayConstructor;

  /** @param Sums how sums of scores are rounded, which decides between segmentations that are equally good */
  constructor(
    pieces: Iterable<Candidate & { readonly text: string }>,
    unknown: Candidate,
    Sums: Float32ArrayConstructor | Float64ArrayConstructor,
  ) {
    this.#unknown = unknown;
    this.#Sums = Sums;
    for (const { text, id, score } of pieces) {
      this.#pieces.set(text, { id, score });
      const first = characterAt(text, 0);
      this.#longest.set(first, Math.max(this.#longest.get(first) ?? 0, text.length));
    }
  }

  /** The best segmentation; an unknown character is a piece of its own. */
  *cut(text: string): Steps<Cut[]> {
    const best = new this.#Sums(text.length + 1);
    const begins = new Int32Array(text.length + 1).fill(-1);
    const ids = new Int32Array(text.length + 1);
    const sum = new this.#Sums(1);
    const offer = (begin: number, end: number, { id, score }: Candidate, isRounded: boolean) => {
      let total = score + (best[begin] ?? 0);
      if (isRounded) total = sum.fill(total)[0] ?? 0;
      if (begins[end] !== -1 && total <= (best[end] ?? 0)) return;
      best[end] = total;
      begins[end] = begin;
      ids[end] = id;
    };
    let pause = lettersAtOnce;
    for (let begin = 0; begin < text.length; ) {
      if (begin >= pause) {
        pause += lettersAtOnce;
        yield;
      }
      const first = characterAt(text, begin);
      const limit = Math.min(text.length, begin + (this.#longest.get(first) ?? 0));
      for (let end = begin + 1; end <= limit; end++) {
        const candidate = this.#pieces.get(text.slice(begin, end));
        if (candidate) offer(begin, end, candidate, false);
      }
      const after = begin + first.length;
      // SentencePiece rounds here, before it compares.
      if (!this.#pieces.has(first)) offer(begin, after, this.#unknown, true);
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
}
