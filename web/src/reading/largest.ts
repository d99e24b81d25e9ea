/** The likeliest of many scores. */

/** The indices of the largest values, largest first. */
export function largest(values: ArrayLike<number>, count: number): number[] {
  const best: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (best.length === count && value <= (values[best.at(-1) ?? 0] ?? 0)) continue;
    const place = best.findIndex((other) => value > (values[other] ?? 0));
    best.splice(place < 0 ? best.length : place, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}

/** The probability of each index, given the scores of all. */
export function softmaxOf(scores: Float32Array): (id: number) => number {
  let most = Number.NEGATIVE_INFINITY;
  for (const score of scores) most = Math.max(most, score);
  let sum = 0;
  for (const score of scores) sum += Math.exp(score - most);
  return (id) => Math.exp((scores[id] ?? Number.NEGATIVE_INFINITY) - most) / sum;
}
