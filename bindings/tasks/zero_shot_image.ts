/** Zero-shot classification of pictures (Radford et al. 2021): which of several texts describes a picture best. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { ImageSource } from '../signal/open_image.js';
import { fail } from '../values/errors.js';
import { type ReadersOf, readFields, toSignal, toTemplate } from '../values/options.js';
import { concatenated } from '../values/tensor.js';
import { checkText } from './batch_encoder.js';
import { runPictures } from './image_features.js';
import { type LabelScore, ranked, sigmoid, softmax } from './labels.js';
import { textVectors } from './tower_texts.js';

export interface ZeroShotImageOptions {
  /** The sentence that says that a label applies, with `{}` in its place; default: 'This is a photo of {}.' */
  hypothesisTemplate?: string;
  signal?: AbortSignal;
}

const readers = {
  hypothesisTemplate: toTemplate,
  signal: toSignal,
} satisfies ReadersOf<ZeroShotImageOptions>;

/**
 * The labels of each picture, best first.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`, `missing_file`; the signal's reason.
 */
export async function classifyImagesZeroShot(
  model: Loaded,
  images: readonly ImageSource[],
  labels: readonly string[],
  given: ZeroShotImageOptions = {},
): Promise<LabelScore[][]> {
  const { hypothesisTemplate: template = 'This is a photo of {}.', signal } = readFields(given, readers);
  const { tower } = model;
  if (!tower) fail('unsupported', 'this model does not compare pictures with texts, as CLIP and SigLIP do');
  if (labels.length === 0) fail('invalid_argument', 'there must be at least one candidate label');
  const sentences = labels.map((label) =>
    template.replaceAll('{}', () => checkText(label, 'a candidate label')),
  );
  const features = await textVectors(model, sentences, null, signal);
  const others = { data: concatenated(features), shape: [features.length, features[0]?.length ?? 0] };
  const isSigmoid = tower.plan.model.contrast?.bias;
  const results: LabelScore[][] = [];
  for await (const { logitsPerImage } of runPictures(model, images, { others, signal })) {
    const logits = logitsPerImage?.data ?? fail('internal', 'nothing was compared');
    results.push(ranked(labels, isSigmoid ? sigmoid(logits) : softmax(logits), labels.length));
  }
  return results;
}
