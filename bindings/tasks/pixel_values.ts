/** A picture as the numbers that a model reads, by its preprocessor_config.json. */

import type { Loaded } from '../checkpoint/loaded.js';
import { readJson } from '../files/read_json.js';
import { anyFrontOf } from '../plans/front_end_config.js';
import { pixelPlan } from '../signal/image_processor.js';
import { guarded, signalModule } from '../signal/module.js';
import { type ImageSource, openImage } from '../signal/open_image.js';
import { fail } from '../values/errors.js';
import type { TensorData } from '../values/tensor.js';

/** What `forward` takes of a picture. */
interface PictureInputs {
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
  const front = anyFrontOf(model.plan);
  if (front?.input !== 'pixelValues') fail('unsupported', 'this model does not take pictures');
  const [raw, module, json] = await Promise.all([
    openImage(image, signal),
    signalModule(model.host),
    readJson(model.folder, 'preprocessor_config.json', signal),
  ]);
  const { height: rows, width: columns, channels, sizes } = front.patches;
  if (channels !== 1 && channels !== 3)
    fail('unsupported', `this model takes pictures of ${channels} channels: pass pixelValues to forward`);
  const plan =
    sizes === 'patches'
      ? (await import('../signal/any_patches.js')).patchPlan(json, raw)
      : pixelPlan(json, { rows, columns, channels }, raw);
  const { data, shape } = guarded(() => module.pixelValues(raw, plan));
  const [first = 0, second = 0, third = 0] = shape;
  return plan.patch
    ? { pixelValues: { data, shape: [1, first * second, third] }, spatialShapes: [[first, second]] }
    : { pixelValues: { data, shape: [1, ...shape] } };
}
