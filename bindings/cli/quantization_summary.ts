/** The effect of a quantisation on the weights. */

import type { QuantizedPart } from '../checkpoint/plan_quantization.js';
import { elements } from '../values/tensor.js';
import { elementBytes } from '../weights/stored_tensor.js';

export interface QuantizedCheckpoint {
  readonly folder: string;
  readonly family: string;
  /** Total bytes of the weight files. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Names of the quantised matrices. */
  readonly quantized: readonly string[];
  /** Names of the tensors that are copied unchanged. */
  readonly kept: readonly string[];
  readonly keptBytes: number;
  /** Names of the tensors that the model does not use, which are not written. */
  readonly leftOut: readonly string[];
  /** The largest difference between a weight and its quantised value. */
  readonly largestError: { readonly tensor: string | null; readonly value: number };
  /** Root mean square of the differences, relative to that of the weights. */
  readonly relativeError: number;
  /** Names of all written files. */
  readonly files: readonly string[];
}

export function summaryOf(
  parts: readonly QuantizedPart[],
): Pick<QuantizedCheckpoint, 'quantized' | 'kept' | 'keptBytes' | 'largestError' | 'relativeError'> {
  const kept = parts.filter(({ matrix }) => !matrix).map(({ tensor }) => tensor);
  let largestError: QuantizedCheckpoint['largestError'] = { tensor: null, value: 0 };
  let squares = 0;
  let ofSquares = 0;
  for (const { tensor, matrix } of parts) {
    if (!matrix) continue;
    const { error } = matrix;
    if (error.largest > largestError.value) largestError = { tensor: tensor.name, value: error.largest };
    squares += error.squares;
    ofSquares += error.ofSquares;
  }
  return {
    quantized: parts.filter(({ matrix }) => matrix).map(({ tensor }) => tensor.name),
    kept: kept.map(({ name }) => name),
    keptBytes: kept.reduce((sum, tensor) => sum + elements(tensor.shape) * elementBytes(tensor), 0),
    largestError,
    relativeError: ofSquares > 0 ? Math.sqrt(squares / ofSquares) : 0,
  };
}
