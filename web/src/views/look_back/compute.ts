/** The context vector: the weighted sum of what was read. */

import { chosenWord, type Reading } from '../../reading/reading.js';

/** Rows of numbers: one for each token that was read. */
export interface States {
  readonly data: Float32Array;
  readonly width: number;
}

/** One token's part of the sum: its weight times its state. */
export interface Term {
  readonly key: number;
  readonly weight: number;
  readonly product: Float32Array;
}

/** Terms with less weight are summed up in one line. */
const least = 0.04;

export function contextOf(
  weights: ArrayLike<number>,
  states: States,
): { terms: Term[]; context: Float32Array } {
  const context = new Float32Array(states.width);
  const terms = Array.from(weights, (weight, key) => {
    const product = states.data
      .subarray(key * states.width, (key + 1) * states.width)
      .map((value) => value * weight);
    for (const [i, value] of product.entries()) context[i] = (context[i] ?? 0) + value;
    return { key, weight, product };
  });
  return { terms, context };
}

/** The largest terms, largest first, and the weight of the rest. */
export function largestTerms(terms: readonly Term[]): { shown: Term[]; rest: number } {
  const shown = terms.filter(({ weight }) => weight >= least).sort((a, b) => b.weight - a.weight);
  const rest = terms.filter(({ weight }) => weight < least).reduce((sum, { weight }) => sum + weight, 0);
  return { shown, rest };
}

/** The word of another model's translation that stands for the chosen one: in the same place, or else the same word. */
export function wordIn(own: Reading, reading: Reading, word: number | null): number {
  const chosen = chosenWord(reading, word);
  const label = reading.written[chosen]?.label;
  if (own.written[chosen]?.label === label) return chosen;
  const same = own.written.findIndex((token) => token.label === label);
  return same >= 0 ? same : chosenWord(own, null);
}
