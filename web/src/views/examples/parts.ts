/** The matrices of a worked example. */

import { type Engine, Tensor } from 'transformer-wasm';
import { transposed } from '../../reading/matrices.js';
import { words } from '../../words/words.js';

export type Matrix = number[][];

/** One matrix or more of an example; the last is what the example is about. */
export interface Part {
  readonly name: string;
  /** [..., rows, columns] */
  readonly tensor: Tensor;
}

export const part = (name: string, tensor: Tensor | Matrix | Matrix[] | undefined): Part => ({
  name,
  tensor: tensor instanceof Tensor ? tensor : Tensor.from(tensor ?? [[]]),
});

/** What the parts are called in the reader's language; letters stay letters. */
export const partTitle = ({ name }: Pick<Part, 'name'>): string => {
  const { parts } = words.examples;
  return Object.hasOwn(parts, name) ? parts[name as keyof typeof parts] : name;
};

export const transpose = (matrix: Matrix): Matrix =>
  (matrix[0] ?? []).map((_, j) => matrix.map((row) => row[j] ?? 0));

/** q kᵀ / √d; what the mask hides is −∞. */
export async function scoresOf(
  engine: Engine,
  { q, k, mask }: { readonly q: Tensor; readonly k: Tensor; readonly mask: Matrix | undefined },
): Promise<Tensor> {
  const [, width = 1] = k.shape;
  const { data, shape } = await engine.matmul(q, transposed(k));
  const scaled = await engine.matmul([[1 / Math.sqrt(width)]], new Tensor(data, [1, data.length]));
  const isSeen = mask?.flat();
  return new Tensor(
    scaled.data.map((score, i) => (isSeen?.[i] === 0 ? Number.NEGATIVE_INFINITY : score)),
    shape,
  );
}

/** The matrices of a tensor: of each sequence, and of each of its heads. */
export function matricesOf(one: Part): { name: string; rows: number[][] }[] {
  const { data, shape } = one.tensor;
  const [rows = 0, columns = 0] = shape.slice(-2);
  const leading = shape.slice(0, -2);
  const count = leading.reduce((product, size) => product * size, 1);
  const size = rows * columns;
  return Array.from({ length: count }, (_, at) => ({
    name: [partTitle(one), ...placeOf(leading, at)].join(words.marks.comma),
    rows: Array.from({ length: rows }, (__, row) => [
      ...data.subarray(at * size + row * columns, at * size + (row + 1) * columns),
    ]),
  }));
}

/** `sequence 1`, `head 2` */
function placeOf([sequences = 1, heads = 1]: readonly number[], at: number): string[] {
  return [
    ...(sequences > 1 ? [words.examples.sequence(Math.floor(at / heads) + 1)] : []),
    ...(heads > 1 ? [words.split.head((at % heads) + 1)] : []),
  ];
}
