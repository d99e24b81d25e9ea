/** What the curve of exact translations says, and where two translations differ. */

import { grouped } from '../../words/numbers.js';
import { words } from '../../words/words.js';

/** As scripts write it: a share of exact translations for each range of lengths. */
export interface ByLength {
  /** Words in the sentence, [from, to]; the last range may have no end. */
  readonly lengths: readonly (readonly [from: number, to: number | null])[];
  /** Of the model that looks back, and of the one with a single vector, 0 to 1. */
  readonly attention: readonly number[];
  readonly one_vector: readonly number[];
  /** How many sentences each point was measured on. */
  readonly sentences: readonly number[];
}

/** `4`, `9–10`, `15+` */
export function rangeText([from, to]: ByLength['lengths'][number]): string {
  if (to === null || to > 99) return `${from}+`;
  return from === to ? `${from}` : `${from}–${to}`;
}

/** `700 sentences, 30 to 115 a point` */
export function sampleText({ sentences }: Pick<ByLength, 'sentences'>): string {
  const total = sentences.reduce((sum, count) => sum + count, 0);
  return words.bottleneck.sample(grouped(total), Math.min(...sentences), Math.max(...sentences));
}

/** The heading holds where the long sentences fare worse through one vector, by more than the short ones do. */
export function showsBottleneck({
  attention,
  one_vector,
}: Pick<ByLength, 'attention' | 'one_vector'>): boolean {
  const lost = (i: number) => (attention.at(i) ?? 0) - (one_vector.at(i) ?? 0);
  return lost(-1) > lost(0);
}

/** Which words of a text are in no common order with another: all but those of a longest common subsequence. */
export function differing(words: readonly string[], others: readonly string[]): boolean[] {
  const lengths = Array.from({ length: words.length + 1 }, () =>
    new Array<number>(others.length + 1).fill(0),
  );
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--)
      (lengths[i] as number[])[j] =
        words[i] === others[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const differ = words.map(() => true);
  for (let i = 0, j = 0; i < words.length && j < others.length; ) {
    if (words[i] === others[j]) {
      differ[i] = false;
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return differ;
}
