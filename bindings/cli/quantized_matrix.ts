/**
 * Symmetric quantisation to 8 bits (Jacob et al. 2018, without a zero point), by output channel:
 *
 *     scale = max |w| / 127        q = w / scale, rounded to the nearest, to even where two are as near
 *
 * The scale is kept in 17 bits, so that every q * scale is exact in float32: what is quantised again stays what it is, and
 * the engine makes the same integers of these numbers as of the original ones.
 */

import { elements } from '../checkpoint/weights/stored_tensor.js';

const largestInteger = 127;

/** Where the output channels of a stored matrix are: element i belongs to channel floor(i / run) % count. */
export interface Channels {
  readonly count: number;
  readonly run: number;
  /** The shape of the scales, which has the channels where the matrix has them. */
  readonly shape: readonly number[];
}

/** @param axis the one of the output channels: 0 of [out, in], 1 of [in, out] */
export function channelsOf(shape: readonly number[], axis: number): Channels {
  return {
    count: shape[axis] as number,
    run: elements(shape.slice(axis + 1)),
    shape: shape.map((size, i) => (i === axis ? size : 1)),
  };
}

/** Raises `largest`, [channels], to the magnitude of some of the matrix's elements; a NaN stays. */
export function findLargest(
  largest: Float32Array,
  weights: Float32Array,
  first: number,
  channels: Channels,
): void {
  forEachRun(weights.length, first, channels, (channel, begin, end) => {
    let most = largest[channel] as number;
    for (let i = begin; i < end; i++) {
      const magnitude = Math.abs(weights[i] as number);
      if (magnitude > most || Number.isNaN(magnitude)) most = magnitude;
    }
    largest[channel] = most;
  });
}

/** The scales, [channels], of finite magnitudes; 1 for a channel of zeros. */
export function scalesOf(largest: Float32Array): Float32Array {
  const scales = largest.map((magnitude) => magnitude / largestInteger);
  const bits = new Uint32Array(scales.buffer);
  // Of the 24 bits of a float, 7 are left for the integer.
  for (let i = 0; i < bits.length; i++) bits[i] = ((bits[i] as number) + 0x40) & ~0x7f;
  return scales.map((scale) => scale || 1);
}

/** How far the integers are from the numbers. */
export class QuantizationError {
  /** The largest difference. */
  largest = 0;
  /** Sums of squares: of the differences, and of the numbers. */
  squares = 0;
  ofSquares = 0;
}

/** Writes the integers of some of the matrix's elements. */
export function quantize(
  weights: Float32Array,
  first: number,
  channels: Channels,
  { scales, integers, error }: { scales: Float32Array; integers: Int8Array; error: QuantizationError },
): void {
  forEachRun(weights.length, first, channels, (channel, begin, end) => {
    const scale = scales[channel] as number;
    for (let i = begin; i < end; i++) {
      const weight = weights[i] as number;
      const integer = Math.max(
        -largestInteger,
        Math.min(largestInteger, toInteger(Math.fround(weight / scale))),
      );
      integers[i] = integer;
      const difference = weight - integer * scale;
      error.squares += difference * difference;
      error.ofSquares += weight * weight;
      error.largest = Math.max(error.largest, Math.abs(difference));
    }
  });
}

/** 1.5 * 2^52: added to a small number it leaves no room for a fraction, and the processor rounds to even. */
const noFraction = 6755399441055744;
const toInteger = (x: number) => x + noFraction - noFraction;

/** Calls `visit` with each channel and the elements of it that lie together. */
function forEachRun(
  count: number,
  first: number,
  { count: channels, run }: Channels,
  visit: (channel: number, begin: number, end: number) => void,
): void {
  let channel = Math.floor(first / run) % channels;
  let left = run - (first % run);
  for (let begin = 0; begin < count; begin += left, left = run) {
    visit(channel, begin, Math.min(count, begin + left));
    channel = channel + 1 === channels ? 0 : channel + 1;
  }
}
