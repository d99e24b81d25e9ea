/** How far attention agrees with causes. */

import { cross } from '../values/border.js';
import { fail } from '../values/errors.js';
import { readArray } from '../values/tensor.js';

/**
 * Two weights, or two losses in log-probability, that differ by this count as ordered; by half of it, as half ordered.
 */
const tie = 0.02;

/**
 * How far attention agrees with causes: the rank correlation of two rows, a weight and a loss for each token, as in the
 * comparisons of attention with leave-one-out in Jain and Wallace 2019. The measure is Kendall's tau-b in its general
 * form (Daniels 1944), with one change: two values closer than 0.02 are not simply tied, but tied in part. So no pair
 * turns from one side to the other at once, and the result does not depend on the last digit of a small weight. It is
 * the sum of a_ij · b_ij over all pairs of tokens, divided by √(Σ a_ij² · Σ b_ij²), where a_ij = clamp((a_i − a_j) /
 * 0.02, −1, 1) and b_ij likewise.
 *
 * @param weights how much each token was looked at
 * @param losses what a log-probability loses without each token, or with another's state in its place; a gain counts as
 *   no loss
 * @returns from -1 to 1; `null` where one of the rows is all alike, and so has no order
 * @throws TransformerError `invalid_argument` for anything but two rows of as many numbers
 */
export function agreement(weights: ArrayLike<number>, losses: ArrayLike<number>): number | null {
  return cross('weights losses', [weights, losses], (ofTokens, ofCauses) => {
    const [a, b] = [rowOf(ofTokens, 'weights'), rowOf(ofCauses, 'losses')];
    if (a.length !== b.length)
      fail('invalid_argument', `there are ${a.length} weights, but ${b.length} losses`);
    return correlation(a, b);
  });
}

function rowOf(value: unknown, name: string): number[] {
  const { data, shape } = readArray(value, name);
  const row = Array.from(data, Number);
  if (shape.length !== 1 || !row.every(Number.isFinite))
    fail('invalid_argument', `${name} must be a row of finite numbers`);
  return row;
}

function correlation(weights: readonly number[], losses: readonly number[]): number | null {
  const count = weights.length;
  const lost = losses.map((loss) => Math.max(0, loss));
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
