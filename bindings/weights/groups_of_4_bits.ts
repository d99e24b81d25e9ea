/**
 * Quantisation to 4 bits in groups of 32 inputs, to the same numbers as the engine's (src/base/int4_matrix.cpp): the
 * scale is the one of a few that are near max |w| / 8 which leaves the least sum of squared errors, in bfloat16;
 * q = round(w / scale), ties to even, from -8 to 7.
 */

import type { QuantizationError } from './quantized_matrix.js';

export const groupSize = 32;

const divisors = [8.5, 8, 7.5, 7, 6, 5, 4, 3, 2, 1];
/** Groups of smaller numbers than this count as zero. */
const smallestLargest = Math.fround(1e-32);
/** Smaller divisors are for numbers that are multiples of the scale already, up to this share of it. */
const leastForAll = 7;
const exactly = 1 / 32;
/** Partial sums of squared errors: they are added in the engine's order. */
const sumCount = 8;

/** A matrix in 4 bits, eight in a word; see packed_layouts.ts. */
export interface PackedGroups {
  readonly words: Uint32Array;
  /** In bfloat16. */
  readonly scales: Uint16Array;
}

export interface PackedShapes {
  readonly words: readonly [number, number];
  readonly scales: readonly [number, number];
}

/** The shapes of integers and scales. `axis`: of the outputs, 0 for [out, in], 1 for [in, out]. */
export function packedShapes([rows = 0, cols = 0]: readonly number[], axis: number): PackedShapes {
  return axis === 0
    ? { words: [rows, cols / 8], scales: [rows, Math.ceil(cols / groupSize)] }
    : { words: [rows / 8, cols], scales: [Math.ceil(rows / groupSize), cols] };
}

/** The number of inputs must be divisible by 8. */
export function packGroups(
  weights: Float32Array,
  shape: readonly [number, number],
  { axis, error }: { axis: number; error: QuantizationError },
): PackedGroups {
  const [rows, cols] = shape;
  const [outputs, inputs] = axis === 0 ? [rows, cols] : [cols, rows];
  const [outputStep, inputStep] = axis === 0 ? [inputs, 1] : [1, outputs];
  const groups = Math.ceil(inputs / groupSize);
  const [wordStep, nextWord] = axis === 0 ? [inputs / 8, 1] : [1, outputs];
  const [scaleStep, nextScale] = axis === 0 ? [groups, 1] : [1, outputs];
  const words = new Uint32Array((outputs * inputs) / 8);
  const scales = new Uint16Array(outputs * groups);
  const group = new Float32Array(groupSize);
  for (let output = 0; output < outputs; output++) {
    for (let index = 0; index < groups; index++) {
      const begin = index * groupSize;
      const count = Math.min(groupSize, inputs - begin);
      group.fill(0);
      for (let i = 0; i < count; i++) group[i] = weights[output * outputStep + (begin + i) * inputStep] ?? 0;
      const scale = scaleOf(group);
      scales[output * scaleStep + index * nextScale] = bitsOf(scale) >>> 16;
      const inverse = scale > 0 ? Math.fround(1 / scale) : 0;
      for (let i = 0; i < count; i++) {
        const weight = group[i] ?? 0;
        const integer = nearest(Math.fround(weight * inverse));
        const word = output * wordStep + ((begin + i) >> 3) * nextWord;
        words[word] = (words[word] ?? 0) | ((integer + 8) << (4 * (i & 7)));
        error.add(weight, integer * scale);
      }
    }
  }
  return { words, scales };
}

/** 1.5 * 2^23: in float32, adding it to a small number removes the fraction, rounding to even. */
const noFraction = 12582912;
const nearest = (x: number) =>
  Math.max(-8, Math.min(7, Math.fround(Math.fround(x + noFraction) - noFraction)));

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);
function bitsOf(x: number): number {
  floats[0] = x;
  return bits[0] ?? 0;
}

/** Rounds a positive number to bfloat16, ties to even. */
function toBf16(x: number): number {
  const own = bitsOf(x);
  bits[0] = ((own + 0x7fff + ((own >>> 16) & 1)) >>> 16) << 16;
  return floats[0] ?? 0;
}

function scaleOf(group: Float32Array): number {
  let largest = 0;
  for (const weight of group) largest = Math.max(largest, Math.abs(weight));
  if (largest < smallestLargest) return 0;
  let chosen = 0;
  let least = 0;
  for (const divisor of divisors) {
    const scale = toBf16(Math.fround(largest / divisor));
    const inverse = Math.fround(1 / scale);
    if (divisor < leastForAll && !areMultiples(group, inverse)) continue;
    const steps = Math.fround(scale / largest);
    const error = Math.fround(squaredError(group, inverse) * Math.fround(steps * steps));
    if (chosen !== 0 && !(error < least)) continue;
    least = error;
    chosen = scale;
  }
  return chosen;
}

/** The error of a number in steps of the scale. */
function errorOf(weight: number, inverse: number): number {
  const exact = Math.fround(weight * inverse);
  return Math.fround(exact - nearest(exact));
}

const areMultiples = (group: Float32Array, inverse: number) =>
  group.every((weight) => Math.abs(errorOf(weight, inverse)) <= exactly);

const sums = new Float32Array(sumCount);

function squaredError(group: Float32Array, inverse: number): number {
  sums.fill(0);
  for (let i = 0; i < groupSize; i++) {
    const error = errorOf(group[i] ?? 0, inverse);
    const at = i % sumCount;
    sums[at] = (sums[at] ?? 0) + Math.fround(error * error);
  }
  return sums.reduce((sum, one) => Math.fround(sum + one), 0);
}
