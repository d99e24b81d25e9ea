/** Converts stored floating-point numbers (little-endian) to float32. The engine has a faster twin. */

import { fail } from '../values/errors.js';

type Convert = (bytes: ArrayBuffer) => Float32Array;

const converters: Readonly<Record<string, Convert>> = {
  F32: (bytes) => new Float32Array(bytes),
  F64: (bytes) => Float32Array.from(new Float64Array(bytes)),
  BF16: (bytes) => new Float32Array(Uint32Array.from(new Uint16Array(bytes), (bits) => bits << 16).buffer),
  F16: (bytes) => Float32Array.from(new Uint16Array(bytes), fromHalf),
};

/** Data types of weights that are not quantised. */
export const floatTypes: readonly string[] = Object.keys(converters);

/** @param dtype one of {@link floatTypes} */
export function toFloats(bytes: Uint8Array, dtype: string): Float32Array {
  const convert = converters[dtype] ?? fail('internal', `${dtype} is not a type of floats`);
  return convert(bytes.slice().buffer);
}

/** The number of 16 bits that stand for a float16. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  return sign * (1024 + mantissa) * 2 ** (exponent - 25);
}
