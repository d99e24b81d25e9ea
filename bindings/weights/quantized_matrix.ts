/**
 * Symmetric 8-bit quantisation (Jacob et al. 2018, without a zero point), per output channel:
 *
 *     scale = max |w| / 127        q = round(w / scale), ties to even
 *
 * The scale has 17 significant bits, so that every q * scale is exact in float32: quantising again changes nothing, and
 * the engine derives the same integers from these numbers as from the original ones.
 */

import { elements } from '../values/tensor.js';

const largestInteger = 127;

/** The output channels of a stored matrix: element i belongs to channel floor(i / run) % count. */
export interface Channels {
  /** 0 for [out, in], 1 for [in, out]. */
  readonly axis: number;
  readonly count: number;
  readonly run: number;
  /** Shape of the scales: the matrix's shape with every axis but the channels' reduced to 1. */
  readonly shape: readonly number[];
}

/** @param axis index of the output channels: 0 for [out, in], 1 for [in, out] */
export function channelsOf(shape: readonly number[], axis: number): Channels {
  return {
    axis,
    count: shape[axis] ?? 1,
    run: elements(shape.slice(axis + 1)),
    shape: shape.map((size, i) => (i === axis ? size : 1)),
  };
}

/** Raises `largest` [channels] to the magnitudes of some of the matrix's elements; NaN propagates. */
export function findLargest(
  largest: Float32Array,
  weights: Float32Array,
  first: number,
  channels: Channels,
): void {
  forEachRun(weights.length, first, channels, (channel, begin, end) => {
    let most = largest[channel] ?? 0;
    for (let i = begin; i < end; i++) {
      const magnitude = Math.abs(weights[i] ?? 0);
      if (magnitude > most || Number.isNaN(magnitude)) most = magnitude;
    }
    largest[channel] = most;
  });
}

/** The scales [channels] for finite magnitudes; 1 for a channel of zeros. */
export function scalesOf(largest: Float32Array): Float32Array {
  const scales = largest.map((magnitude) => magnitude / largestInteger);
  const bits = new Uint32Array(scales.buffer);
  // A float has 24 significant bits, of which the integer needs 7.
  for (let i = 0; i < bits.length; i++) bits[i] = ((bits[i] ?? 0) + 0x40) & ~0x7f;
  return scales.map((scale) => scale || 1);
}

/** Accumulates the difference between weights and quantised values. */
export class QuantizationError {
  /** The largest difference. */
  largest = 0;
  /** Sums of squares: of the differences, and of the weights. */
  squares = 0;
  ofSquares = 0;

  add(weight: number, quantized: number): void {
    const difference = weight - quantized;
    this.squares += difference * difference;
    this.ofSquares += weight * weight;
    this.largest = Math.max(this.largest, Math.abs(difference));
  }
}

/** Quantises some of the matrix's elements. */
export function quantize(
  weights: Float32Array,
  first: number,
  channels: Channels,
  { scales, integers, error }: { scales: Float32Array; integers: Int8Array; error: QuantizationError },
): void {
  forEachRun(weights.length, first, channels, (channel, begin, end) => {
    const scale = scales[channel] ?? 1;
    for (let i = begin; i < end; i++) {
      const weight = weights[i] ?? 0;
      const integer = Math.max(
        -largestInteger,
        Math.min(largestInteger, toInteger(Math.fround(weight / scale))),
      );
      integers[i] = integer;
      error.add(weight, integer * scale);
    }
  });
}

/** 1.5 * 2^52: adding it to a small number removes the fraction, rounding to even. */
const noFraction = 6755399441055744;
const toInteger = (x: number) => x + noFraction - noFraction;

/** Calls `visit` for each run of consecutive elements in the same channel. */
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
