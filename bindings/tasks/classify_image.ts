/** Image classification: which of its labels a model gives a picture (Dosovitskiy et al. 2021). */

import type { Loaded } from '../checkpoint/loaded.js';
import { runForward } from '../insight/forward.js';
import type { ImageSource } from '../signal/open_image.js';
import { fail } from '../values/errors.js';
import { readFields } from '../values/options.js';
import { type ClassifyOptions, classifyReaders, scoresOf } from './classify.js';
import { type LabelScore, labelsOf, ranked } from './labels.js';
import { pictureInputs } from './pixel_values.js';

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
  const inputs = await pictureInputs(model, image, signal);
  signal?.throwIfAborted();
  model.checkAlive();
  const { logits } = await runForward(model, inputs, {});
  if (!logits) fail('unsupported', 'this model has no classifier: use forward');
  const labels = labelsOf(model.config, logits.data.length);
  return ranked(labels, scoresOf(model.config, logits.data, functionToApply), topK);
}
