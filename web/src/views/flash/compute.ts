/** A softmax tile by tile, as in Dao et al. 2022: a running maximum, a running sum, and one factor that corrects both. */

/** Rows of numbers, one for each key. */
export interface Rows {
  readonly data: ArrayLike<number>;
  readonly width: number;
}

/** What is kept after a tile. */
export interface TileStep {
  /** Its keys, [from, to). */
  readonly from: number;
  readonly to: number;
  readonly tileMax: number;
  /** The largest score so far, m. */
  readonly max: number;
  /** exp(m_old − m_new): what all that was summed before is multiplied by; 0 for the first tile, before which is nothing. */
  readonly factor: number;
  /** The sum of exp(score − m) so far, ℓ. */
  readonly sum: number;
  /** The sum of exp(score − m) × value so far. */
  readonly output: Float64Array;
}

export function streamOf(scores: ArrayLike<number>, values: Rows, tile: number): TileStep[] {
  const steps: TileStep[] = [];
  let [max, sum] = [Number.NEGATIVE_INFINITY, 0];
  let output = new Float64Array(values.width);
  for (let from = 0; from < scores.length; from += tile) {
    const to = Math.min(scores.length, from + tile);
    const own = Array.from({ length: to - from }, (_, i) => scores[from + i] ?? Number.NEGATIVE_INFINITY);
    const tileMax = Math.max(...own);
    const next = Math.max(max, tileMax);
    const factor = max === Number.NEGATIVE_INFINITY ? 0 : Math.exp(max - next);
    sum *= factor;
    output = output.map((value) => value * factor);
    for (const [i, score] of own.entries()) {
      const share = Math.exp(score - next);
      sum += share;
      for (let k = 0; k < values.width; k++)
        output[k] = (output[k] ?? 0) + share * (values.data[(from + i) * values.width + k] ?? 0);
    }
    max = next;
    steps.push({ from, to, tileMax, max, factor, sum, output: output.slice() });
  }
  return steps;
}

/** The weights of the keys that have been read, as the sums say after a step; NaN for those that have not. */
export function weightsAfter(scores: ArrayLike<number>, { to, max, sum }: TileStep): number[] {
  return Array.from(scores, (score, key) => (key < to ? Math.exp(score - max) / sum : Number.NaN));
}

/** The scores of one query: q · k / √d. */
export function scoresOf(query: ArrayLike<number>, keys: Rows): number[] {
  const count = keys.data.length / keys.width;
  return Array.from({ length: count }, (_, key) => {
    let sum = 0;
    for (let i = 0; i < keys.width; i++) sum += (query[i] ?? 0) * (keys.data[key * keys.width + i] ?? 0);
    return sum / Math.sqrt(keys.width);
  });
}

/** How far the last step is from the whole softmax, the largest difference of a number of the output. */
export function differenceOf(scores: ArrayLike<number>, values: Rows, last: TileStep): number {
  const whole = streamOf(scores, values, Math.max(1, scores.length)).at(-1);
  let most = 0;
  for (let i = 0; i < values.width; i++)
    most = Math.max(
      most,
      Math.abs((last.output[i] ?? 0) / last.sum - (whole?.output[i] ?? 0) / (whole?.sum ?? 1)),
    );
  return most;
}

/** What a table of all weights takes, and what is kept instead, in numbers, for a text of so many words. */
export const memoryOf = (words: number, width: number) => ({
  table: words * words,
  kept: words * (width + 2),
});
