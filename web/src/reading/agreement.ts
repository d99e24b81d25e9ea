/**
 * How far attention agrees with causes: the rank correlation of two rows, a weight and a loss for each source token. The
 * measure is Spearman's, as in the comparisons of attention with leave-one-out in Jain and Wallace 2019 (theirs: Kendall's).
 */

import { decimals } from '../words/numbers.js';
import { words } from '../words/words.js';

/** A weight or a loss (in log-probability) below this counts as none: the order of values near 0 is noise. */
export const threshold = 0.01;

/** What the number says, for whoever asks. */
export const explanation = words.page.agreementMeans;

/**
 * Spearman's rank correlation of the two rows; equal values share the mean of their ranks.
 *
 * @param weights how much each token was looked at
 * @param losses what the word's log-probability loses without each token; what it gains counts as no loss
 * @returns from -1 to 1; `null` where one of the rows is all alike, and so has no order
 */
export function agreement(weights: ArrayLike<number>, losses: ArrayLike<number>): number | null {
  const [a, b] = [ranks(counted(weights)), ranks(counted(losses))];
  const mean = (a.length + 1) / 2;
  let [both, ofA, ofB] = [0, 0, 0];
  for (const [i, rank] of a.entries()) {
    const [x, y] = [rank - mean, (b[i] ?? mean) - mean];
    both += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? null : both / Math.sqrt(ofA * ofB);
}

/** `0.63`, with a minus sign rather than a hyphen; `–` where there is none. */
export const agreementText = (value: number | null): string =>
  value === null ? '–' : decimals(value.toFixed(2).replace('-', '−'));

const counted = (values: ArrayLike<number>) => Array.from(values, (value) => (value < threshold ? 0 : value));

/** Ranks from 1; equal values have the mean of theirs. */
function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranked: number[] = [];
  for (let begin = 0; begin < order.length; ) {
    let end = begin;
    while (end < order.length && values[order[end] ?? 0] === values[order[begin] ?? 0]) end++;
    for (const at of order.slice(begin, end)) ranked[at] = (begin + 1 + end) / 2;
    begin = end;
  }
  return ranked;
}
