/** A picture as the numbers that a model reads, by its preprocessor_config.json. */

import type { Loaded } from '../checkpoint/loaded.js';
import { readJson } from '../files/read_json.js';
import { pixelPlan } from '../signal/image_processor.js';
import { guarded, signalModule } from '../signal/module.js';
import { type ImageSource, openImage } from '../signal/open_image.js';
import { fail } from '../values/errors.js';
import type { TensorData } from '../values/tensor.js';

/**
 * The picture, [1, channels, height, width].
 *
 * @throws TransformerError `unsupported` for a model that takes no pictures.
 */
export async function pixelValuesOf(
  model: Loaded,
  image: ImageSource,
  signal: AbortSignal | undefined,
): Promise<TensorData> {
  const { frontEnd } = model.plan;
  if (frontEnd?.input !== 'pixelValues') fail('unsupported', 'this model does not take pictures');
  const [raw, module, json] = await Promise.all([
    openImage(image, signal),
    signalModule(model.host),
    readJson(model.folder, 'preprocessor_config.json', signal),
  ]);
  const size = { rows: frontEnd.height, columns: frontEnd.width };
  const plan = pixelPlan(json, size, raw);
  const { data, shape } = guarded(() => module.pixelValues(raw, plan));
  return { data, shape: [1, ...shape] };
}
