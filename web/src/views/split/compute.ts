/** Many heads: a query is split, each part looks for itself, the answers are joined and mixed. */

import type { StoredMatrix } from '../../reading/stored_weights.js';
import { words } from '../../words/words.js';

/** A matrix of rows, [rows, width]. */
export interface Rows {
  readonly data: Float32Array;
  readonly width: number;
}

/** One head: its part of the query, where it looks, and what it finds. */
export interface HeadLook {
  readonly query: Float32Array;
  readonly weights: Float32Array;
  readonly answer: Float32Array;
  readonly isOff: boolean;
}

/** What the heads are computed from. */
export interface Traced {
  /** The word's query, all heads side by side. */
  readonly query: Float32Array;
  /** The values of what is looked at, all heads side by side. */
  readonly values: Rows;
  /** The weights of each head. */
  readonly weights: readonly Float32Array[];
  readonly isOff: (head: number) => boolean;
}

export function looksOf({ query, values, weights, isOff }: Traced): HeadLook[] {
  const size = query.length / weights.length;
  // Several heads may share their values.
  const shared = values.width / size;
  return weights.map((row, head) => ({
    query: query.subarray(head * size, (head + 1) * size),
    weights: row,
    answer: answerOf(row, values, { from: Math.floor((head * shared) / weights.length) * size, size }),
    isOff: isOff(head),
  }));
}

/** The sum of the values in a head's columns, each times its weight. */
function answerOf(
  weights: Float32Array,
  { data, width }: Rows,
  { from, size }: { readonly from: number; readonly size: number },
): Float32Array {
  const answer = new Float32Array(size);
  for (const [key, weight] of weights.entries())
    for (let i = 0; i < size; i++)
      answer[i] = (answer[i] ?? 0) + weight * (data[key * width + from + i] ?? 0);
  return answer;
}

/** The answers side by side; what a head finds that is off goes nowhere. */
export const joinedOf = (looks: readonly HeadLook[]): Float32Array =>
  Float32Array.from(looks.flatMap(({ answer, isOff }) => [...answer].map((value) => (isOff ? 0 : value))));

/** Each number that comes out is made of all that went in. */
export function mixOf(
  joined: Float32Array,
  { data, rows, columns }: StoredMatrix,
  bias: Float32Array,
): Float32Array {
  return Float32Array.from({ length: rows }, (_, row) => {
    let sum = bias[row] ?? 0;
    for (let i = 0; i < columns; i++) sum += (data[row * columns + i] ?? 0) * (joined[i] ?? 0);
    return sum;
  });
}

/** What one number of the joined answer gives to one of the mixed ones. */
export interface Link {
  readonly from: number;
  readonly to: number;
  /** Of the largest, 0 to 1. */
  readonly share: number;
}

/** The products that weigh most, largest first; none of a head that is off. */
export function linksOf(joined: Float32Array, { data, rows, columns }: StoredMatrix, count: number): Link[] {
  const products: { from: number; to: number; size: number }[] = [];
  for (let to = 0; to < rows; to++)
    for (let from = 0; from < columns; from++) {
      const size = Math.abs((data[to * columns + from] ?? 0) * (joined[from] ?? 0));
      if (size > 0) products.push({ from, to, size });
    }
  products.sort((a, b) => b.size - a.size);
  const most = products[0]?.size ?? 1;
  return products.slice(0, count).map(({ from, to, size }) => ({ from, to, share: size / most }));
}

/** The heading, with the model's own number of heads. */
export function claimOf(heads: number): string {
  if (heads === 1) return words.split.claimOne;
  return words.split.claim(heads);
}
