/** Sound through convolutions over time (Radford et al. 2022; Jeffries et al. 2024). */

import type { Convolution, SoundConfig, WaveConfig } from '../plans/front_end_config.js';
import { fail } from '../values/errors.js';
import { toMask } from '../values/masks.js';
import { type TensorData, type TensorLike, toTensor } from '../values/tensor.js';
import type { EncodedInput, FrontInputs, RunLayer } from './encoded_input.js';

interface SoundFront {
  readonly config: SoundConfig | WaveConfig;
  readonly tables: ReadonlyMap<string, TensorData>;
  readonly run: RunLayer;
}

/** @throws TransformerError `invalid_argument`, `unsupported` */
export async function encodeFrames(
  { config, tables, run }: SoundFront,
  given: TensorLike,
  { attentionMask }: FrontInputs,
): Promise<EncodedInput> {
  if (config.input === 'inputFeatures' && attentionMask !== undefined)
    fail('unsupported', 'inputFeatures cannot be masked');
  const input = config.input === 'inputFeatures' ? featuresOf(given, config) : samplesOf(given, config);
  let frames = input;
  for (const convolution of config.convolutions) {
    frames = await run(convolution.name, windowsOf(frames, convolution));
    if (convolution.isNormed) normalise(frames, tables);
  }
  if (attentionMask === undefined) return { vectors: frames };
  return { vectors: frames, mask: maskOf(toMask(attentionMask, 'attentionMask'), { input, frames, config }) };
}

/** [batch, bands, frames] -> [batch, frames, bands] */
function featuresOf(given: TensorLike, { bands, frames }: SoundConfig): TensorData {
  const { data, shape } = toTensor(given, 'inputFeatures');
  const isBatch = shape.length === 3;
  if ((isBatch ? shape.slice(1) : shape).join() !== `${bands},${frames}` || data.length === 0) {
    const wanted = `[batch, bands, frames] = [batch, ${bands}, ${frames}]`;
    fail('invalid_argument', `inputFeatures must have the shape ${wanted}, got [${shape.join(', ')}]`);
  }
  const batch = isBatch ? (shape[0] ?? 0) : 1;
  const transposed = new Float32Array(data.length);
  for (let row = 0; row < batch; row++)
    for (let band = 0; band < bands; band++)
      for (let frame = 0; frame < frames; frame++)
        transposed[(row * frames + frame) * bands + band] = data[(row * bands + band) * frames + frame] ?? 0;
  return { data: transposed, shape: [batch, frames, bands] };
}

/** [batch, samples] -> [batch, samples, 1] */
function samplesOf(given: TensorLike, config: WaveConfig): TensorData {
  const { data, shape } = toTensor(given, 'inputValues');
  const time = shape.at(-1) ?? 0;
  const least = leastSamples(config);
  if (shape.length < 1 || shape.length > 2 || data.length === 0 || time < least)
    fail(
      'invalid_argument',
      `inputValues must have the shape [batch, samples] with at least ${least} samples, got [${shape.join(', ')}]`,
    );
  return { data, shape: [data.length / time, time, 1] };
}

/** The fewest samples that make a frame. */
export const leastSamples = ({ convolutions }: WaveConfig): number =>
  convolutions.reduceRight(
    (frames, { window, stride, padding }) => (frames - 1) * stride + window - 2 * padding,
    1,
  );

/** Frame i is real if the sample at which it would begin without windows is. */
function maskOf(
  { data, shape }: TensorData,
  { input, frames, config }: { input: TensorData; frames: TensorData; config: SoundConfig | WaveConfig },
): TensorData {
  const [batch = 0, samples = 0] = input.shape;
  const [, time = 0] = frames.shape;
  if (shape.join() !== `${batch},${samples}` && !(batch === 1 && shape.join() === `${samples}`))
    fail(
      'invalid_argument',
      `attentionMask has the shape [${shape.join(', ')}], but its input has [${batch}, ${samples}]`,
    );
  const step = config.convolutions.reduce((product, { stride }) => product * stride, 1);
  const mask = new Float32Array(batch * time);
  for (let row = 0; row < batch; row++)
    for (let frame = 0; frame < time; frame++)
      mask[row * time + frame] = data[row * samples + frame * step] ?? 0;
  return { data: mask, shape: [batch, time] };
}

/**
 * The windows of a convolution: [batch, time, width] -> [batch, steps, width * window], with the frames of a window
 * adjacent for each of the width.
 */
function windowsOf({ data, shape }: TensorData, { window, stride, padding }: Convolution): TensorData {
  const [batch = 0, time = 0, width = 0] = shape;
  const steps = Math.floor((time + 2 * padding - window) / stride) + 1;
  const windows = new Float32Array(batch * steps * width * window);
  let to = 0;
  for (let row = 0; row < batch; row++)
    for (let step = 0; step < steps; step++)
      for (let column = 0; column < width; column++)
        for (let i = 0; i < window; i++, to++) {
          const frame = step * stride + i - padding;
          if (frame >= 0 && frame < time) windows[to] = data[(row * time + frame) * width + column] ?? 0;
        }
  return { data: windows, shape: [batch, steps, width * window] };
}

const epsilon = 1e-5;

/** All numbers of each sequence to a mean of 0 and a variance of 1 (Wu and He 2018, with one group), in place. */
function normalise({ data, shape }: TensorData, tables: ReadonlyMap<string, TensorData>): void {
  const [batch = 0, time = 0, width = 0] = shape;
  const table = (name: string) => tables.get(name)?.data ?? fail('internal', `there is no '${name}'`);
  const [weight, bias] = [table('norm.weight'), table('norm.bias')];
  const size = time * width;
  for (let row = 0; row < batch; row++) {
    const numbers = data.subarray(row * size, (row + 1) * size);
    const mean = numbers.reduce((sum, one) => sum + one, 0) / size;
    const variance = numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0) / size;
    const scale = 1 / Math.sqrt(variance + epsilon);
    for (const [i, one] of numbers.entries())
      numbers[i] = (one - mean) * scale * (weight[i % width] ?? 0) + (bias[i % width] ?? 0);
  }
}
