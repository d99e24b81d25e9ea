/**
 * How far attention agrees with causes: the rank correlation of two rows, a weight and a loss for each source token, as in
 * the comparisons of attention with leave-one-out in Jain and Wallace 2019. The measure is Kendall's tau-b in its general
 * form (Daniels 1944), with one change: two values closer than `tie` are not simply tied, but tied in part. So no pair
 * turns from one side to the other at once, and the result does not depend on the last digit of a small weight.
 */

import { decimals } from '../words/numbers.js';
import { words } from '../words/words.js';

/** Two weights, or two losses in log-probability, that differ by this count as ordered; by half of it, as half ordered. */
export const tie = 0.02;

/** What the number says, for whoever asks. */
export const explanation = words.page.agreementMeans;

/**
 * Kendall's rank correlation with partial ties: the sum of a_ij · b_ij over all pairs of tokens, divided by
 * √(Σ a_ij² · Σ b_ij²), where a_ij = clamp((a_i − a_j) / tie, −1, 1) and b_ij likewise.
 *
 * @param weights how much each token was looked at
 * @param losses what the word's log-probability loses without each token; what it gains counts as no loss
 * @returns from -1 to 1; `null` where one of the rows is all alike, and so has no order
 */
export function agreement(weights: ArrayLike<number>, losses: ArrayLike<number>): number | null {
  const count = Math.min(weights.length, losses.length);
  const lost = Array.from(losses, (loss) => Math.max(0, loss));
  let [both, ofWeights, ofLosses] = [0, 0, 0];
  /** How far the values of each row are apart at most. */
  let [farthestWeights, farthestLosses] = [0, 0];
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) {
      const a = order((weights[i] ?? 0) - (weights[j] ?? 0));
      const b = order((lost[i] ?? 0) - (lost[j] ?? 0));
      both += a * b;
      ofWeights += a * a;
      ofLosses += b * b;
      farthestWeights = Math.max(farthestWeights, Math.abs(a));
      farthestLosses = Math.max(farthestLosses, Math.abs(b));
    }
  }
  // A row whose values are all within half a tie has no order.
  const isOrdered = Math.min(farthestWeights, farthestLosses) >= 0.5;
  return isOrdered ? both / Math.sqrt(ofWeights * ofLosses) : null;
}

const order = (difference: number) => Math.max(-1, Math.min(1, difference / tie));

/** The same number in a word; the limits are those of the page's sentence for it. */
export function agreementWord(value: number | null): string {
  if (value === null) return '–';
  const { hardly, partly, well } = words.page.agreementWords;
  // Word and number are of the same rounding: 0.4 is never called "hardly".
  const rounded = Math.round(value * 10) / 10;
  return rounded < 0.4 ? hardly : rounded <= 0.7 ? partly : well;
}

/** `0.6`, with a minus sign rather than a hyphen; `–` where there is none. */
export const agreementText = (value: number | null): string =>
  value === null ? '–' : decimals((Math.round(value * 10) / 10 + 0).toFixed(1).replace('-', '−'));
