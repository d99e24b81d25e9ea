/** Zero-shot classification of pictures (Radford et al. 2021): which of several texts describes a picture best. */

import type { Loaded } from '../checkpoint/loaded.js';
import { atLengthOne, logitsOf } from '../insight/towers.js';
import type { ImageSource } from '../signal/open_image.js';
import { fail } from '../values/errors.js';
import { readFields, toBe } from '../values/options.js';
import { Tensor } from '../values/tensor.js';
import { checkText } from './batch_encoder.js';
import { toSignal } from './classify.js';
import { runPictures } from './image_features.js';
import { type LabelScore, ranked, sigmoid, softmax } from './labels.js';
import { textFeatures } from './tower_texts.js';

export interface ZeroShotImageOptions {
  /** The sentence that says that a label applies, with `{}` in its place; default: 'This is a photo of {}.' */
  hypothesisTemplate?: string;
  signal?: AbortSignal;
}

const readers = {
  hypothesisTemplate: toBe(
    'a text that contains {}',
    (value): value is string => typeof value === 'string' && value.includes('{}'),
  ),
  signal: toSignal,
};

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
  const features = await textFeatures(model, sentences, signal);
  const width = features[0]?.length ?? 0;
  const texts = new Float32Array(features.length * width);
  for (const [i, one] of features.entries()) texts.set(one, i * width);
  const embeds = atLengthOne({ data: texts, shape: [features.length, width] });
  const results: LabelScore[][] = [];
  for await (const { imageEmbeds = new Tensor(new Float32Array(), [0, 0]) } of runPictures(
    model,
    images,
    signal,
  )) {
    const { data: logits } = logitsOf(tower, imageEmbeds, embeds);
    const scores = tower.plan.isSigmoid ? sigmoid(logits) : softmax(logits);
    results.push(ranked(labels, scores, labels.length));
  }
  return results;
}
