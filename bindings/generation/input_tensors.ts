/** Inputs of a generation as tensors, as Python's `generate()` takes them. */

import type { MaskLike } from '../values/masks.js';
import type { TensorData, TensorLike } from '../values/tensor.js';

/** A batch; each row gives one result. */
export interface GenerationInputs {
  /** [batch, time], padded on the left for a decoder alone, on the right for an encoder. */
  inputIds?: TensorLike;
  /** [batch, time], 1 or `true` for a real token; default: every id but the padding id. */
  attentionMask?: MaskLike;
  /** `[batch, bands, frames]`, for models of audio. */
  inputFeatures?: TensorLike;
  /** `[batch, samples]` at 16000 Hz, for models that read sound as it is; `attentionMask` is alike. */
  inputValues?: TensorLike;
  /** [batch, channels, height, width], normalised, for models of images. */
  pixelValues?: TensorLike;
  /** `[batch, time]`: the prompt of the decoder; the start token is prepended if it is missing. */
  decoderInputIds?: TensorLike;
}

/** One row of a batch. */
export interface RowInput {
  readonly inputIds?: readonly number[];
  /** A row of `inputFeatures`, `inputValues` or `pixelValues`. */
  readonly features?: TensorData;
  /** Of `inputValues`: 0 for padding. */
  readonly mask?: TensorData;
  readonly decoderInputIds?: readonly number[];
  /** Number of padding tokens to the left of `inputIds`. */
  readonly padding: number;
}

/** The inputs of a batch, of which it has one. */
export const sourceNames = ['inputIds', 'inputFeatures', 'inputValues', 'pixelValues'] as const;

/** Whether an input is a batch of tensors. */
export const isGenerationInputs = (input: unknown): input is GenerationInputs =>
  typeof input === 'object' && input !== null && sourceNames.some((name) => name in input);
