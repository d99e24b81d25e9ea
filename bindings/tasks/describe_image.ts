/** Image to text: a caption, or the words that a picture shows, from an encoder of pictures with a decoder. */

import { hasDecoder, type Loaded } from '../checkpoint/loaded.js';
import { generate } from '../generation/generate.js';
import type { GenerationOptions } from '../generation/options.js';
import type { ImageSource } from '../signal/open_image.js';
import { fail } from '../values/errors.js';
import { pictureInputs } from './pixel_values.js';

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
    const { pixelValues: features } = await pictureInputs(model, image, options.signal);
    model.checkAlive();
    const results = await generate(model, [{ features, padding: 0 }], options);
    texts.push(...results.map(({ sequences }) => sequences.map(({ text }) => text.trim())));
  }
  return texts;
}
