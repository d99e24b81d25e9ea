/** Turns images (as patches) and audio (as frames) into vectors for the encoder. */

import type { FrontEnd } from '../checkpoint/front_end.js';
import type { Loaded } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import type { TensorLike } from '../values/tensor.js';
import type { EncodedInput, FrontInputs, RunLayer } from './encoded_input.js';

/**
 * @param given `pixelValues` [batch, channels, height, width], `inputFeatures` [batch, bands, frames] or `inputValues`
 *   [batch, samples]; the batch axis is optional
 * @throws TransformerError `invalid_argument`
 */
export async function encodeInput(
  model: Loaded,
  frontEnd: FrontEnd,
  given: TensorLike,
  others: FrontInputs = {},
): Promise<EncodedInput> {
  const { config } = frontEnd;
  const run: RunLayer = (name, x) => {
    const layer = frontEnd.layers.get(name) ?? fail('internal', `there is no front layer '${name}'`);
    return model.host.invoke(layer, 'forward', x);
  };
  if (config.input === 'pixelValues')
    return (await import('./patch_vectors.js')).encodePatches(
      { config, tables: frontEnd.tables, run },
      given,
      others,
    );
  return (await import('./frame_vectors.js')).encodeFrames(
    { config, tables: frontEnd.tables, run },
    given,
    others,
  );
}
