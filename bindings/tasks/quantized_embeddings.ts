/** Embeddings as integers or bits, as `quantize_embeddings` of sentence-transformers makes them. */

import { fail } from '../values/errors.js';
import { type TensorLike, toTensor } from '../values/tensor.js';

/**
 * `int8`, `uint8`: each number by the range that its dimension has; `binary`, `ubinary`: one bit a number, 1 if it is
 * positive, eight in a byte, of which `binary` subtracts 128.
 */
export const precisions = ['float32', 'int8', 'uint8', 'binary', 'ubinary'] as const;
export type Precision = (typeof precisions)[number];

/** Embeddings [texts, width], or [width] of one text; with bits, an eighth of the width. */
export interface QuantizedEmbeddings {
  data: Int8Array | Uint8Array;
  shape: number[];
}

/** The smallest and the largest number of each dimension, [2, width]. */
function rangesOf(data: Float32Array, width: number): Float32Array {
  const ranges = new Float32Array(2 * width);
  for (let i = 0; i < data.length; i++) {
    const at = i % width;
    const value = data[i] ?? 0;
    ranges[at] = i < width ? value : Math.min(ranges[at] ?? 0, value);
    ranges[width + at] = i < width ? value : Math.max(ranges[width + at] ?? 0, value);
  }
  return ranges;
}

/**
 * @param embeddings [texts, width]
 * @param given ranges [2, width], for `int8` and `uint8`; default: those of the embeddings, which should be a hundred
 *   or more
 * @throws TransformerError `invalid_argument`
 */
export function quantized(
  embeddings: { readonly data: Float32Array; readonly shape: readonly number[] },
  precision: Exclude<Precision, 'float32'>,
  given?: TensorLike,
): QuantizedEmbeddings {
  const { data, shape } = embeddings;
  const [count = 0, width = 0] = shape;
  if (precision === 'binary' || precision === 'ubinary') {
    if (width % 8 !== 0)
      fail(
        'invalid_argument',
        `precision '${precision}' needs a width that is a multiple of 8, not ${width}`,
      );
    return { data: bits(data, precision === 'binary'), shape: [count, width / 8] };
  }
  if (given === undefined && count < 2)
    fail(
      'invalid_argument',
      `precision '${precision}' needs ranges [2, ${width}], or several texts to tell them by`,
    );
  const ranges = given === undefined ? rangesOf(data, width) : checkedRanges(given, width);
  const scaled = new (precision === 'int8' ? Int8Array : Uint8Array)(data.length);
  const { fround } = Math;
  for (let i = 0; i < data.length; i++) {
    const [low = 0, high = 0] = [ranges[i % width], ranges[width + (i % width)]];
    const step = fround(fround(high - low) / 255);
    const place = step > 0 ? fround(fround((data[i] ?? 0) - low) / step) : 0;
    // Towards zero, as NumPy converts; what lies beyond the ranges is at their ends.
    const inside = Math.min(255, Math.max(0, place));
    scaled[i] = precision === 'int8' ? Math.trunc(fround(inside - 128)) : Math.trunc(inside);
  }
  return { data: scaled, shape: [count, width] };
}

function checkedRanges(given: TensorLike, width: number): Float32Array {
  const { data, shape } = toTensor(given, 'ranges');
  if (shape.join() !== `2,${width}`)
    fail('invalid_argument', `ranges must have the shape [2, ${width}], got [${shape.join(', ')}]`);
  return Float32Array.from(data);
}

/** The first of eight numbers is the highest bit. */
function bits(data: Float32Array, isSigned: boolean): Int8Array | Uint8Array {
  const packed = new Uint8Array(data.length / 8);
  for (let i = 0; i < data.length; i++)
    if ((data[i] ?? 0) > 0) packed[i >> 3] = (packed[i >> 3] ?? 0) | (128 >> (i & 7));
  return isSigned ? Int8Array.from(packed, (byte) => byte - 128) : packed;
}
