/** Image to text: a caption, or the words that a picture shows, from an encoder of pictures with a decoder. */

import { fail } from '../engine/errors.js';
import { generate } from '../model/generate.js';
import { hasDecoder, type Loaded } from '../model/loaded.js';
import type { GenerationOptions } from '../model/options.js';
import type { ImageSource } from '../signal/open_image.js';
import { pixelValuesOf } from './pixel_values.js';

/**
 * The texts for each picture, as many as `numReturnSequences`, best first.
 *
 * @throws TransformerError `invalid_argument`, `unsupported` (a model that does not turn pictures into texts, a file
 *   that cannot be decoded), `missing_file`; the signal's reason.
 */
export async function describeImages(
  model: Loaded,
  images: readonly ImageSource[],
  options: GenerationOptions,
): Promise<string[][]> {
  if (!hasDecoder(model))
    fail('unsupported', 'this model has no decoder, so it cannot write about a picture');
  const texts: string[][] = [];
  for (const image of images) {
    const features = await pixelValuesOf(model, image, options.signal);
    model.checkAlive();
    const results = await generate(model, [{ features, padding: 0 }], options);
    texts.push(...results.map(({ sequences }) => sequences.map(({ text }) => text.trim())));
  }
  return texts;
}
