/**
 * The time of each token, from the attention of the heads that follow the sound: dynamic time warping over their
 * smoothed weights, as in OpenAI's and Hugging Face's programs.
 */

import { type Loaded, transformerOf } from '../../checkpoint/loaded.js';
import { fail } from '../../values/errors.js';
import type { TensorData } from '../../values/tensor.js';
import type { SpeechSettings } from './settings.js';

/**
 * The time at which each id begins, in seconds from the beginning of the window; 0 for the first.
 *
 * @param ids prompt and generated ids
 * @param memory the encoder's output [1, steps, dModel]
 * @param steps how many of them are sound
 */
export async function tokenTimes(
  model: Loaded,
  settings: SpeechSettings,
  { ids, memory, steps }: { ids: readonly number[]; memory: TensorData; steps: number },
): Promise<number[]> {
  if (ids.length < 2 || steps < 1) return ids.map(() => 0);
  const layers = [...new Set(settings.alignmentHeads.map(([layer]) => layer))];
  const paths = layers.map((layer) => `decoder.layers.${layer}.cross.weights`);
  const target = { data: Int32Array.from(ids.slice(0, -1)), shape: [1, ids.length - 1] };
  const { trace } = await model.host.invoke(transformerOf(model), 'decode', target, memory, { trace: paths });
  const heads = settings.alignmentHeads.map(([layer, head]) => {
    const tensor = trace[layers.indexOf(layer)]?.tensor;
    if (!tensor || head >= (tensor.shape[1] ?? 0))
      fail(
        'bad_checkpoint',
        `generation_config.json: alignment_heads names head ${head}, which does not exist`,
      );
    return smoothed(weightsOf(tensor, head, steps), settings.medianFilterWidth);
  });
  const rows = ids.length - 1;
  const columns = heads[0]?.[0]?.length ?? 0;
  const cost = Array.from({ length: rows }, (_, i) =>
    Float64Array.from({ length: columns }, (__, j) => {
      let sum = 0;
      for (const head of heads) sum += head[i]?.[j] ?? 0;
      return -sum / heads.length;
    }),
  );
  return [0, ...firstColumns(cost).map((column) => column * settings.timeStep)];
}

type Rows = Float64Array[];

/** [1, heads, rows, columns] -> [rows, at most `steps`] of one head */
function weightsOf(
  { data, shape: [, , rows = 0, columns = 0] }: TensorData,
  head: number,
  steps: number,
): Rows {
  const width = Math.min(columns, steps);
  return Array.from({ length: rows }, (_, row) => {
    const begin = (head * rows + row) * columns;
    return Float64Array.from(data.subarray(begin, begin + width));
  });
}

/** Each column with a mean of 0 and a deviation of 1, then a median filter along the rows. */
function smoothed(weights: Rows, width: number): Rows {
  const columns = weights[0]?.length ?? 0;
  for (let column = 0; column < columns; column++) {
    let [sum, squares] = [0, 0];
    for (const row of weights) sum += row[column] ?? 0;
    const mean = sum / weights.length;
    for (const row of weights) squares += ((row[column] ?? 0) - mean) ** 2;
    const deviation = Math.sqrt(squares / weights.length);
    // A column in which all tokens are alike says nothing; the division would give NaN.
    for (const row of weights) row[column] = deviation > 0 ? ((row[column] ?? 0) - mean) / deviation : 0;
  }
  return weights.map((row) => medianFiltered(row, width));
}

/** The ends are mirrored without their last number. A row shorter than the window stays as it is. */
function medianFiltered(row: Float64Array, width: number): Float64Array {
  const half = Math.floor(width / 2);
  if (row.length <= half) return row;
  const at = (place: number) => {
    const mirrored = place < 0 ? -place : place;
    return row[mirrored < row.length ? mirrored : 2 * (row.length - 1) - mirrored] ?? 0;
  };
  const window = new Float64Array(width);
  return row.map((_, column) => {
    for (let i = 0; i < width; i++) window[i] = at(column + i - half);
    return window.sort()[half] ?? 0;
  });
}

/** The cheapest path through the costs from the first to the last cell; the first column that it visits in each row. */
function firstColumns(cost: Rows): number[] {
  const rows = cost.length;
  const columns = cost[0]?.length ?? 0;
  const best: Rows = Array.from({ length: rows + 1 }, () =>
    new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY),
  );
  const came = Array.from({ length: rows + 1 }, () => new Uint8Array(columns + 1));
  const get = (row: number, column: number) => best[row]?.[column] ?? Number.POSITIVE_INFINITY;
  (best[0] as Float64Array)[0] = 0;
  for (let column = 1; column <= columns; column++) {
    for (let row = 1; row <= rows; row++) {
      const [diagonal, up, left] = [get(row - 1, column - 1), get(row - 1, column), get(row, column - 1)];
      const step = diagonal < up && diagonal < left ? 0 : up < diagonal && up < left ? 1 : 2;
      const before = [diagonal, up, left][step] ?? 0;
      (best[row] as Float64Array)[column] = (cost[row - 1]?.[column - 1] ?? 0) + before;
      (came[row] as Uint8Array)[column] = step;
    }
  }
  const first = new Array<number>(rows).fill(0);
  let [row, column] = [rows, columns];
  while (row > 0 || column > 0) {
    if (row > 0) first[row - 1] = Math.max(0, column - 1);
    const step = row === 0 ? 2 : column === 0 ? 1 : (came[row]?.[column] ?? 0);
    if (step !== 2) row--;
    if (step !== 1) column--;
  }
  return first;
}
