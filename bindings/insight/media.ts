/** Sound and pictures for the engine, which reads, checks and encodes them. */

import type { Front, Media } from '../plans/front_end_config.js';
import { fail } from '../values/errors.js';
import { type MaskLike, toMask } from '../values/masks.js';
import { type TensorData, type TensorLike, toIds, toTensor } from '../values/tensor.js';

/** What else comes with sound or pictures. */
interface MediaInputs {
  readonly attentionMask?: MaskLike | undefined;
  readonly pixelAttentionMask?: MaskLike | undefined;
  readonly spatialShapes?: TensorLike | undefined;
}

/**
 * @param given `pixelValues` [batch, channels, height, width], `inputFeatures` [batch, bands, frames] or `inputValues`
 *   [batch, samples]; the batch axis is optional
 * @throws TransformerError `invalid_argument`, `unsupported`
 */
export function mediaOf(front: Front, given: TensorLike, others: MediaInputs = {}): Media {
  const values = toTensor(given, front.input);
  const { attentionMask, pixelAttentionMask, spatialShapes } = others;
  if (front.input !== 'pixelValues')
    return withMask(values, attentionMask && toMask(attentionMask, 'attentionMask'));
  if (attentionMask !== undefined) fail('unsupported', 'pixelValues cannot be masked');
  const media = withMask(values, pixelAttentionMask && toMask(pixelAttentionMask, 'pixelAttentionMask'));
  return spatialShapes === undefined
    ? media
    : { ...media, grids: toIds(spatialShapes, 'spatialShapes').data };
}

const withMask = (values: TensorData, mask: TensorData | undefined): Media => ({
  values,
  ...(mask && { mask }),
});

/** The axes of one sound or picture. */
function axesOf(front: Front): number {
  const isCut = front.input === 'pixelValues' && front.patches.sizes === 'patches';
  return isCut ? 2 : { pixelValues: 3, inputFeatures: 2, inputValues: 1 }[front.input];
}

/** The number of sounds or pictures. */
export const batchOf = (front: Front, { values: { shape } }: Media): number =>
  shape.length > axesOf(front) ? (shape[0] ?? 0) : 1;

/** A single sound or picture without the batch axis, if it has one. */
export const withoutBatch = (front: Front, { data, shape }: TensorData): TensorData =>
  shape.length > axesOf(front) && shape[0] === 1 ? { data, shape: shape.slice(1) } : { data, shape };
