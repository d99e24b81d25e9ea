/** Images cut into square patches (Dosovitskiy et al. 2021, section 3.1). */

import type { TensorData } from '../values/tensor.js';

/** An image [channels, height, width], and the side of a patch. */
export interface PatchGrid {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly patch: number;
}

/**
 * [batch, channels, height, width] -> [batch, patches, channels * patch * patch], patches in row-major order; rows and
 * columns that do not fill a patch are left out.
 */
export function patchesOf(data: Float32Array, batch: number, grid: PatchGrid): TensorData {
  const { channels, height, width, patch } = grid;
  const [rows, columns] = [Math.floor(height / patch), Math.floor(width / patch)];
  const size = channels * patch * patch;
  const patches = new Float32Array(batch * rows * columns * size);
  let to = 0;
  for (let image = 0; image < batch; image++)
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        for (let channel = 0; channel < channels; channel++)
          for (let y = row * patch; y < (row + 1) * patch; y++) {
            const from = ((image * channels + channel) * height + y) * width + column * patch;
            patches.set(data.subarray(from, from + patch), to);
            to += patch;
          }
  return { data: patches, shape: [batch, rows * columns, size] };
}

/** Prepends a vector to each sequence [batch, time, width]. */
export function withFirst({ data, shape }: TensorData, first: Float32Array): TensorData {
  const [batch = 0, time = 0, width = 0] = shape;
  const joined = new Float32Array(batch * (time + 1) * width);
  for (let row = 0; row < batch; row++) {
    joined.set(first, row * (time + 1) * width);
    const states = data.subarray(row * time * width, (row + 1) * time * width);
    joined.set(states, (row * (time + 1) + 1) * width);
  }
  return { data: joined, shape: [batch, time + 1, width] };
}
