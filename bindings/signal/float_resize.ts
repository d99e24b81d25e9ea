/** Pictures that are resized as floats, after they were brought to between 0 and 1, as DINOv3's processor does. */

import { fail } from '../values/errors.js';
import { resizedGrid } from '../values/resized_grid.js';
import type { TensorData } from '../values/tensor.js';
import type { PixelPlan } from './embind.js';

/** The steps before, in the signal module. */
export const stepsBefore = ({ rescale = 1 }: Partial<PixelPlan>): Partial<PixelPlan> => ({ rescale });

/** [channels, rows, columns] -> the plan's size, normalised. */
export function resizedFloats({ data, shape }: TensorData, plan: Partial<PixelPlan>): TensorData {
  const { size = {}, resample, mean = [0, 0, 0], deviation = [1, 1, 1] } = plan;
  const kernels: Readonly<Record<string, number | null>> = { bilinear: null, bicubic: -0.5 };
  const [channels = 0, rows = 0, columns = 0] = shape;
  const { rows: newRows = rows, columns: newColumns = columns } = size;
  const cubic = kernels[resample ?? 'bilinear'];
  if (cubic === undefined)
    fail('unsupported', `preprocessor_config.json: floats cannot be resized by the kernel '${resample}'`);
  const plane = newRows * newColumns;
  const made = new Float32Array(channels * plane);
  for (let channel = 0; channel < channels; channel++) {
    const own = data.subarray(channel * rows * columns, (channel + 1) * rows * columns);
    const grid = { data: own, shape: [rows, columns, 1] };
    const resized = resizedGrid(grid, [newRows, newColumns], { cubic, antialias: true });
    for (let i = 0; i < plane; i++)
      made[channel * plane + i] = ((resized.data[i] ?? 0) - (mean[channel] ?? 0)) / (deviation[channel] ?? 1);
  }
  return { data: made, shape: [channels, newRows, newColumns] };
}
