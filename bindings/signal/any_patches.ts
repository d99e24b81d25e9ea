/** Pictures of any shape as so many patches as a model takes, as SigLIP 2's processor makes them. */

import type { JsonObject } from '../files/json_object.js';
import type { TensorData } from '../values/tensor.js';
import type { ImageSize, PixelPlan } from './embind.js';
import { pixelPlan, processorFields } from './image_processor.js';

/** The size, in whole patches, that a picture is brought to, and its other steps. */
export function patchPlan(
  json: JsonObject | null,
  image: ImageSize & { channels: number; data: Uint8Array },
) {
  const fields = processorFields(json);
  const patch = fields.count('patch_size', 16);
  const size = fittingSize(image, patch, fields.count('max_num_patches', 256));
  const plan: Partial<PixelPlan> = {
    ...pixelPlan(
      json === null ? null : { ...json, size: { height: size.rows, width: size.columns } },
      size,
      image,
    ),
  };
  return { plan, patch };
}

/** How near the search comes to the largest scale. */
const precision = 1e-5;

/** The largest size, of about the picture's proportions, that has at most so many patches. */
export function fittingSize({ rows, columns }: ImageSize, patch: number, most: number): ImageSize {
  const scaled = (side: number, scale: number) => Math.max(patch, Math.ceil((side * scale) / patch) * patch);
  let [low, high] = [precision / 10, 100];
  while (high - low >= precision) {
    const scale = (low + high) / 2;
    const count = (scaled(rows, scale) / patch) * (scaled(columns, scale) / patch);
    if (count <= most) low = scale;
    else high = scale;
  }
  return { rows: scaled(rows, low), columns: scaled(columns, low) };
}

/** [channels, rows, columns] -> [1, patches, patch * patch * channels], each patch by rows, columns and channels. */
export function flatPatches({ data, shape }: TensorData, patch: number) {
  const [channels = 0, rows = 0, columns = 0] = shape;
  const grid = [Math.floor(rows / patch), Math.floor(columns / patch)] as const;
  const size = patch * patch * channels;
  const made = new Float32Array(grid[0] * grid[1] * size);
  let to = 0;
  for (let top = 0; top < grid[0] * patch; top += patch)
    for (let left = 0; left < grid[1] * patch; left += patch)
      for (let y = top; y < top + patch; y++)
        for (let x = left; x < left + patch; x++)
          for (let channel = 0; channel < channels; channel++)
            made[to++] = data[(channel * rows + y) * columns + x] ?? 0;
  return {
    pixelValues: { data: made, shape: [1, grid[0] * grid[1], size] },
    spatialShapes: [[...grid]],
  };
}
