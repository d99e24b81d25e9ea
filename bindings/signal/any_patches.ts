/** Pictures of any shape as so many patches as a model takes, as SigLIP 2's processor makes them. */

import type { JsonObject } from '../files/json_object.js';
import type { ImageSize, PixelPlan, RawImage } from './embind.js';
import { pixelPlan, processorFields } from './image_processor.js';

/** The size, in whole patches, that a picture is brought to, and its other steps. */
export function patchPlan(json: JsonObject | null, image: RawImage): Partial<PixelPlan> {
  const fields = processorFields(json);
  const patch = fields.count('patch_size', 16);
  const size = fittingSize(image, patch, fields.count('max_num_patches', 256));
  const sized = json === null ? null : { ...json, size: { height: size.rows, width: size.columns } };
  return { ...pixelPlan(sized, size, image), patch };
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
