/** Pictures or sound on their way into an encoder. */

import type { MaskLike } from '../values/masks.js';
import type { TensorData, TensorLike } from '../values/tensor.js';

/** What else comes with pictures or sound. */
export interface FrontInputs {
  readonly attentionMask?: MaskLike | undefined;
  readonly pixelAttentionMask?: MaskLike | undefined;
  readonly spatialShapes?: TensorLike | undefined;
}

/** The input of the encoder. */
export interface EncodedInput {
  /** [batch, time, dModel] */
  readonly vectors: TensorData;
  /** [batch, time], 0 for padding. */
  readonly mask?: TensorData;
  /** Patches in a row of the grid; 0: the pictures differ. */
  readonly columns?: number;
}

/** Applies a layer of the front end. */
export type RunLayer = (name: string, x: TensorData) => Promise<TensorData>;
