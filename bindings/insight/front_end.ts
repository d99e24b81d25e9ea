/** Turns images (as patches) and audio (as frames) into vectors for the encoder. */

import type { FrontEnd } from '../checkpoint/front_end.js';
import type { Loaded } from '../checkpoint/loaded.js';
import { patchesOf, withFirst } from '../layers/patches.js';
import { frontVectors, type SoundConfig, window } from '../plans/front_end_config.js';
import { fail } from '../values/errors.js';
import { type TensorData, type TensorLike, toTensor } from '../values/tensor.js';

/**
 * @param given `pixelValues` [batch, channels, height, width] or `inputFeatures` [batch, bands, frames]; the batch axis
 *   is optional
 * @returns [batch, time, dModel]
 * @throws TransformerError `invalid_argument`
 */
export async function encodeInput(model: Loaded, frontEnd: FrontEnd, given: TensorLike): Promise<TensorData> {
  const { config } = frontEnd;
  const { data, shape } = batchOf(given, frontEnd);
  const [batch = 0] = shape;
  const run = (name: string, x: TensorData) => {
    const layer = frontEnd.layers.get(name) ?? fail('internal', `there is no front layer '${name}'`);
    return model.host.invoke(layer, 'forward', x);
  };
  if (config.input === 'pixelValues') {
    let states = await run('patches', patchesOf(data, batch, config));
    for (const name of frontVectors(config).reverse()) {
      const first = await run(name, { data: Float32Array.of(1), shape: [1, 1] });
      states = withFirst(states, first.data);
    }
    return states;
  }
  const frames = await run('conv1', windowsOf(bandsLast(data, batch, config), 1));
  return run('conv2', windowsOf(frames, 2));
}

function batchOf(given: TensorLike, { config }: FrontEnd): TensorData {
  const { data, shape } = toTensor(given, config.input);
  const [axes, one] =
    config.input === 'pixelValues'
      ? ['channels, height, width', [config.channels, config.height, config.width]]
      : ['bands, frames', [config.bands, config.frames]];
  const isBatch = shape.length === one.length + 1;
  if ((isBatch ? shape.slice(1) : shape).join() !== one.join() || data.length === 0) {
    const wanted = `[batch, ${axes}] = [batch, ${one.join(', ')}]`;
    fail('invalid_argument', `${config.input} must have the shape ${wanted}, got [${shape.join(', ')}]`);
  }
  return { data, shape: isBatch ? shape : [1, ...shape] };
}

/** [batch, bands, frames] -> [batch, frames, bands] */
function bandsLast(data: Float32Array, batch: number, { bands, frames }: SoundConfig): TensorData {
  const transposed = new Float32Array(data.length);
  for (let row = 0; row < batch; row++)
    for (let band = 0; band < bands; band++)
      for (let frame = 0; frame < frames; frame++)
        transposed[(row * frames + frame) * bands + band] = data[(row * bands + band) * frames + frame] ?? 0;
  return { data: transposed, shape: [batch, frames, bands] };
}

/**
 * The windows of a convolution: [batch, time, width] -> [batch, time / stride, width * window], with the frames of a
 * window adjacent for each of the width, and zero-padded by one frame at both ends.
 */
function windowsOf({ data, shape }: TensorData, stride: number): TensorData {
  const [batch = 0, time = 0, width = 0] = shape;
  const steps = Math.floor((time - 1) / stride) + 1;
  const windows = new Float32Array(batch * steps * width * window);
  let to = 0;
  for (let row = 0; row < batch; row++)
    for (let step = 0; step < steps; step++)
      for (let column = 0; column < width; column++)
        for (let i = 0; i < window; i++, to++) {
          const frame = step * stride + i - 1;
          if (frame >= 0 && frame < time) windows[to] = data[(row * time + frame) * width + column] ?? 0;
        }
  return { data: windows, shape: [batch, steps, width * window] };
}
