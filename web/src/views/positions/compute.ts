/** What is drawn of a position scheme. */

import type { Tensor } from 'transformer-wasm';
import { words } from '../../words/words.js';
import type { Scheme, SchemeName } from './schemes.js';

/** A line of numbers and what it is. */
export interface Line {
  readonly values: readonly number[];
  readonly name: string;
}

export const heads = 8;

/** The head of ALiBi, or the dimension, that is shown for what the address asks for. */
export const chosenLine = (name: SchemeName, columns: number, asked: number) =>
  Math.min((name === 'alibi' ? heads : columns) - 1, asked);

/** One column of a matrix. */
export const columnOf = ({ data, shape }: Tensor, at: number) =>
  Array.from({ length: shape[0] ?? 0 }, (_, row) => data[row * (shape[1] ?? 0) + at] ?? 0);

/** The largest magnitude, for a scale of colours that has its zero in the middle. */
export const largestOf = (values: ArrayLike<number>) => Math.max(1e-9, ...Array.from(values, Math.abs));

/** One dimension by position; of schemes that act on scores, what the last query adds to the keys by their distance. */
export function lineOf({ matrix, similarity, rows: axis }: Scheme, chosen: number): Line {
  const [rows = 0, columns = 0] = matrix.shape;
  if (similarity)
    return { values: columnOf(matrix, chosen), name: words.positions.dimensionBy(chosen, axis) };
  return {
    values: [...matrix.data.subarray((rows - 1) * columns)].reverse(),
    name: words.positions.lastQuery,
  };
}
