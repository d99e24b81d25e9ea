/**
 * Padding on the left of sequences. The engine counts positions from the first token of a row, so rows that are padded
 * on the left are rolled until they begin with their first real token, and the results are rolled back.
 */

import { fail } from '../values/errors.js';
import { elements, type TensorData } from '../values/tensor.js';

/** The number of places by which each row is rolled to the left; `null` if none is. */
export type Shifts = readonly number[] | null;

/** @param isPadding whether each position is padding, [batch, time] */
export function shiftsOf(isPadding: readonly boolean[], time: number): Shifts {
  const shifts: number[] = [];
  for (let begin = 0; begin < isPadding.length; begin += time) {
    const first = isPadding.slice(begin, begin + time).indexOf(false);
    shifts.push(Math.max(0, first));
  }
  return shifts.some((shift) => shift > 0) ? shifts : null;
}

/** Rolls each row of [batch, time] to the left by its shift. */
export function rollLeft<T extends Float32Array | Int32Array>(data: T, time: number, shifts: Shifts): T {
  if (!shifts) return data;
  const result = data.slice() as T;
  for (const [row, shift] of shifts.entries())
    for (let i = 0; i < time; i++) result[row * time + i] = data[row * time + ((i + shift) % time)] ?? 0;
  return result;
}

/** Rolls an axis of a result to the right by the shift of its row. The first axis is the batch. */
export function rollRight(tensor: TensorData, axis: number, shifts: Shifts): TensorData {
  if (!shifts) return tensor;
  const { data, shape } = tensor;
  const length = shape[axis] ?? 0;
  const inner = elements(shape.slice(axis + 1));
  const outer = elements(shape.slice(1, axis));
  const result = new Float32Array(data.length);
  for (const [row, shift] of shifts.entries())
    for (let block = row * outer; block < (row + 1) * outer; block++)
      for (let i = 0; i < length; i++) {
        const from = (block * length + i) * inner;
        result.set(data.subarray(from, from + inner), (block * length + ((i + shift) % length)) * inner);
      }
  return { data: result, shape };
}

/** Rejects padding between real tokens, for a model that counts positions over the real tokens only. */
export function refuseGaps(isPadding: readonly boolean[], time: number, name: string): void {
  for (let begin = 0; begin < isPadding.length; begin += time) {
    const row = isPadding.slice(begin, begin + time);
    if (row.slice(row.indexOf(false), row.lastIndexOf(false) + 1).includes(true)) {
      fail(
        'unsupported',
        `${name} has padding between real tokens, which this model's positions cannot skip`,
      );
    }
  }
}
