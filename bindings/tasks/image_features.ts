/** Pictures as vectors: those of their places, the one of the whole, or the one that can be compared with texts. */

import type { Loaded } from '../checkpoint/loaded.js';
import { runForward } from '../insight/forward.js';
import type { ForwardOutput } from '../insight/forward_output.js';
import type { ImageSource } from '../signal/open_image.js';
import { fail } from '../values/errors.js';
import { type ReadersOf, readFields, toBoolean, toSignal } from '../values/options.js';
import { concatenated, Tensor, type TensorData } from '../values/tensor.js';
import { pictureInputs } from './pixel_values.js';

export interface ImageFeatureOptions {
  /**
   * `true`: the vector of the whole picture (`poolerOutput`); `false`: those of its class, registers and patches.
   * Default: `false`; of a model that compares pictures with texts, the vectors that it compares.
   */
  pool?: boolean;
  signal?: AbortSignal;
}

const readers = { pool: toBoolean, signal: toSignal } satisfies ReadersOf<ImageFeatureOptions>;

/**
 * What the model computes for each picture.
 *
 * @param others the vectors of texts to compare it with
 */
export async function* runPictures(
  model: Loaded,
  images: readonly ImageSource[],
  { others, signal }: { others?: TensorData; signal?: AbortSignal | undefined },
): AsyncGenerator<ForwardOutput, void, void> {
  for (const image of images) {
    signal?.throwIfAborted();
    const inputs = await pictureInputs(model, image, signal);
    signal?.throwIfAborted();
    model.checkAlive();
    yield await runForward(model, inputs, others ? { others } : {});
  }
}

/**
 * [images, tokens, width], or [images, width] of whole pictures.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`, `missing_file`; the signal's reason.
 */
export async function imageFeatures(
  model: Loaded,
  images: readonly ImageSource[],
  given: ImageFeatureOptions = {},
): Promise<Tensor> {
  const { pool, signal } = readFields(given, readers);
  const parts: Tensor[] = [];
  for await (const output of runPictures(model, images, { signal })) parts.push(featuresOf(output, pool));
  const shapes = new Set(parts.map(({ shape }) => shape.join()));
  if (shapes.size > 1)
    fail('invalid_argument', 'the pictures have different numbers of patches: pass them one by one');
  const [, ...one] = parts[0]?.shape ?? [0, 0];
  return new Tensor(concatenated(parts.map(({ data }) => data)), [parts.length, ...one]);
}

function featuresOf(
  { imageEmbeds, poolerOutput, lastHiddenState }: ForwardOutput,
  pool: boolean | undefined,
): Tensor {
  if (pool === true)
    return (
      poolerOutput ?? fail('unsupported', 'this model has no vector for a whole picture: pool must be false')
    );
  const features = pool === undefined ? (imageEmbeds ?? lastHiddenState) : lastHiddenState;
  return features ?? fail('unsupported', 'the model gives no hidden states');
}
