/** From the vectors of a text's tokens to one vector: the modules of a sentence-transformers folder. */

import type { TensorData } from '../values/tensor.js';

export const poolings = ['cls', 'max', 'mean', 'mean_sqrt_len', 'lasttoken'] as const;
export type Pooling = (typeof poolings)[number];

/**
 * One vector from those of the tokens [time, width]; several ways are concatenated.
 *
 * @param tokens the vectors of the tokens that count, at least one
 */
export function pool(tokens: readonly Float32Array[], ways: readonly Pooling[]): Float32Array {
  const parts = ways.map((way) => pooled(tokens, way));
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function pooled(tokens: readonly Float32Array[], way: Pooling): ArrayLike<number> {
  const first = tokens[0] ?? new Float32Array();
  if (way === 'cls') return first;
  if (way === 'lasttoken') return tokens.at(-1) ?? first;
  const along = (join: (a: number, b: number) => number, from: number) =>
    Array.from(first, (_, i) => tokens.reduce((sum, token) => join(sum, token[i] ?? 0), from));
  if (way === 'max') return along(Math.max, Number.NEGATIVE_INFINITY);
  const divisor = way === 'mean' ? tokens.length : Math.sqrt(tokens.length);
  return along((a, b) => a + b, 0).map((sum) => sum / divisor);
}

/** A linear layer with an activation. */
export interface Dense {
  /** [outputs, inputs] */
  readonly weight: TensorData;
  readonly bias: TensorData | null;
  readonly isTanh: boolean;
}

export function dense(x: Float32Array, { weight, bias, isTanh }: Dense): Float32Array {
  const [outputs = 0, inputs = 0] = weight.shape;
  return Float32Array.from({ length: outputs }, (_, row) => {
    let sum = bias?.data[row] ?? 0;
    for (let i = 0; i < inputs; i++) sum += (weight.data[row * inputs + i] ?? 0) * (x[i] ?? 0);
    return isTanh ? Math.tanh(sum) : sum;
  });
}

/** To length 1; a vector of zeros stays as it is. */
export function normalized(x: Float32Array): Float32Array {
  const length = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
  return x.map((value) => value / Math.max(length, 1e-12));
}
