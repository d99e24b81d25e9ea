/** Image classification: which of its labels a model gives a picture (Dosovitskiy et al. 2021). */

import { readJson } from '../checkpoint/source/read_json.js';
import { fail } from '../engine/errors.js';
import { readFields } from '../engine/options.js';
import type { TensorData } from '../engine/tensor.js';
import { runForward } from '../model/forward.js';
import type { Loaded } from '../model/loaded.js';
import { pixelPlan } from '../signal/image_processor.js';
import { guarded, signalModule } from '../signal/module.js';
import { type ImageSource, openImage } from '../signal/open_image.js';
import { type ClassifyOptions, classifyReaders, scoresOf } from './classify.js';
import { type LabelScore, labelsOf, ranked } from './labels.js';

export type { Drawable, ImageSource, Pixels } from '../signal/open_image.js';

export interface ClassifyImageOptions {
  /** How many labels to return, best first; default: all. */
  topK?: number;
  /** As in {@link ClassifyOptions}. */
  functionToApply?: ClassifyOptions['functionToApply'];
  signal?: AbortSignal;
}

/**
 * The labels of a picture, best first.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`, `missing_file`; the signal's reason.
 */
export async function classifyImage(
  model: Loaded,
  image: ImageSource,
  given: ClassifyImageOptions,
): Promise<LabelScore[]> {
  const { topK = Number.POSITIVE_INFINITY, functionToApply, signal } = readFields(given, classifyReaders);
  signal?.throwIfAborted();
  const pixelValues = await pixelValuesOf(model, image, signal);
  signal?.throwIfAborted();
  model.checkAlive();
  const { logits } = await runForward(model, { pixelValues }, {});
  if (!logits) fail('unsupported', 'this model has no classifier: use forward');
  const labels = labelsOf(model.config, logits.data.length);
  return ranked(labels, scoresOf(model.config, logits.data, functionToApply), topK);
}

/**
 * A picture as a model reads it, [1, channels, height, width].
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
