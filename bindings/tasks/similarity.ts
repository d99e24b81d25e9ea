/** How similar embeddings are, and which are nearest. */

import { cross } from '../values/border.js';
import { fail } from '../values/errors.js';
import { integerFrom, readFields } from '../values/options.js';
import { Tensor, type TensorLike, toTensor } from '../values/tensor.js';

/** One of the vectors that were searched. */
export interface Neighbour {
  /** Its row. */
  index: number;
  /** The cosine. */
  score: number;
}

/**
 * The cosine of the angle between each of some vectors and each of others: 1 for the same direction, 0 for a vector of
 * zeros. With `topK`, the best of the others for each, best first.
 *
 * @param a [n, width], or one vector [width]
 * @param b [m, width]; default: `a`
 * @returns [n, m]; with `topK` a list for each row of `a`
 * @throws TransformerError `invalid_argument`
 * @example
 * const [best] = similarity(await model.embed('cats'), await model.embed(sentences), { topK: 3 });
 */
export function similarity(
  a: TensorLike,
  b: TensorLike | undefined,
  options: { topK: number },
): Neighbour[][];
export function similarity(a: TensorLike, b?: TensorLike): Tensor;
export function similarity(
  a: TensorLike,
  b: TensorLike = a,
  options: { topK?: number } = {},
): Tensor | Neighbour[][] {
  return cross('a b options', [a, b, options], compare);
}

function compare(a: TensorLike, b: TensorLike, options: { topK?: number }): Tensor | Neighbour[][] {
  const { topK } = readFields(options, { topK: integerFrom(1) });
  const [left, right] = [unitRows(a, 'a'), unitRows(b, 'b')];
  const width = left[0]?.length ?? 0;
  if (right.some((row) => row.length !== width))
    fail('invalid_argument', `b must have rows of ${width} numbers, as a has, got ${right[0]?.length}`);
  const scores = left.map((x) => right.map((y) => dot(x, y)));
  if (topK === undefined) return new Tensor(scores.flat(), [left.length, right.length]);
  return scores.map((row) =>
    row
      .map((score, index) => ({ index, score }))
      .sort((one, other) => other.score - one.score || one.index - other.index)
      .slice(0, topK),
  );
}

const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);

/** To length 1; a vector of zeros stays as it is. */
function normalized(x: Float32Array): Float32Array {
  const length = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
  return x.map((value) => value / Math.max(length, 1e-12));
}

function unitRows(given: TensorLike, name: string): Float32Array[] {
  const { data, shape } = toTensor(given, name);
  const width = shape.at(-1) ?? 0;
  if (shape.length === 0 || shape.length > 2 || width === 0)
    fail('invalid_argument', `${name} must be vectors [count, width], got the shape [${shape.join(', ')}]`);
  return Array.from({ length: data.length / width }, (_, i) =>
    normalized(data.subarray(i * width, (i + 1) * width)),
  );
}
