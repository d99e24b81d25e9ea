/** A picture as the numbers that a model reads, by its preprocessor_config.json. */

import type { Loaded } from '../checkpoint/loaded.js';
import { readJson } from '../files/read_json.js';
import { grayOf } from '../signal/gray.js';
import { pixelPlan, processorOf } from '../signal/image_processor.js';
import { guarded, signalModule } from '../signal/module.js';
import { type ImageSource, openImage } from '../signal/open_image.js';
import { fail } from '../values/errors.js';
import { elements, type TensorData } from '../values/tensor.js';

/** What `forward` takes of a picture. */
export interface PictureInputs {
  /** [1, channels, height, width], or patches. */
  readonly pixelValues: TensorData;
  readonly spatialShapes?: number[][];
}

/** @throws TransformerError `unsupported` for a model that takes no pictures. */
export async function pictureInputs(
  model: Loaded,
  image: ImageSource,
  signal: AbortSignal | undefined,
): Promise<PictureInputs> {
  const frontEnd = model.plan.frontEnd ?? model.plan.tower?.frontEnd;
  if (frontEnd?.input !== 'pixelValues') fail('unsupported', 'this model does not take pictures');
  const [raw, module, json] = await Promise.all([
    openImage(image, signal),
    signalModule(model.host),
    readJson(model.folder, 'preprocessor_config.json', signal),
  ]);
  const { height: rows, width: columns, channels } = frontEnd;
  if (channels !== 1 && channels !== 3)
    fail('unsupported', `this model takes pictures of ${channels} channels: pass pixelValues to forward`);
  if (frontEnd.sizes === 'patches') {
    const { flatPatches, patchPlan } = await import('../signal/any_patches.js');
    const { plan, patch } = patchPlan(json, raw);
    return flatPatches(
      guarded(() => module.pixelValues(raw, plan)),
      patch,
    );
  }
  const plan = pixelPlan(json, { rows, columns, channels }, raw);
  const picture = channels === 1 ? grayOf(raw) : raw;
  const { data, shape } = await valuesOf();
  const [, ...plane] = shape;
  // A gray picture has three equal colours.
  return {
    pixelValues: { data: data.subarray(0, channels * elements(plane)), shape: [1, channels, ...plane] },
  };

  async function valuesOf(): Promise<TensorData> {
    if (processorOf(json) !== 'DINOv3ViT') return guarded(() => module.pixelValues(picture, plan));
    const { resizedFloats, stepsBefore } = await import('../signal/float_resize.js');
    return resizedFloats(
      guarded(() => module.pixelValues(picture, stepsBefore(plan))),
      plan,
    );
  }
}
