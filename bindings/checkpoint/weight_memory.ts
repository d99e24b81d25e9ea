/** How the engine keeps the weights of files, and the memory that they take. */

import { bytesOfNumber, type LoadDtype, smallerDtype } from '../engine/dtype.js';
import type { Plan } from '../plans/family.js';
import { fail } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import type { StoredTensor } from '../weights/stored_tensor.js';
import type { WeightFiles } from '../weights/weight_file.js';

/** The address space of 32-bit WebAssembly. */
const memoryBytes = 2 ** 32;

/**
 * Weights that cannot fit are refused before they are read.
 *
 * @throws TransformerError `out_of_memory`
 */
export function checkSize(files: WeightFiles, plan: Plan, dtype: LoadDtype): void {
  const used = new Set(plan.slices.map(({ from }) => from));
  const sizeOf = (tensor: StoredTensor) =>
    bytesOfNumber(tensor.shape.length !== 2 ? 'f32' : dtype === 'auto' ? keptDtype(tensor) : dtype);
  const bytes = files.tensors
    .filter((tensor) => used.has(tensor.name))
    .reduce((sum, tensor) => sum + elements(tensor.shape) * sizeOf(tensor), 0);
  if (bytes <= memoryBytes) return;
  const kept = dtype === 'auto' ? mostOf(files, plan) : dtype;
  const smaller = smallerDtype(kept);
  const advice = smaller ? `; dtype: '${smaller.dtype}' takes about ${smaller.share}` : '';
  fail(
    'out_of_memory',
    `${files.name}: the weights take ${gigabytes(bytes)} in ${kept}, but the engine's memory has ${gigabytes(memoryBytes)}${advice}`,
  );
}

/** How the engine keeps a matrix of the file with `dtype: 'auto'`. */
function keptDtype({ dtype }: StoredTensor): 'f32' | 'f16' | 'bf16' {
  return dtype === 'F16' ? 'f16' : dtype === 'BF16' ? 'bf16' : 'f32';
}

/** The type of most numbers in matrices. */
export function mostOf({ tensors }: WeightFiles, { slices }: Plan): 'f32' | 'f16' | 'bf16' {
  const stored = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const counts = { f32: 0, f16: 0, bf16: 0 };
  for (const { from, shape } of slices) {
    const tensor = stored.get(from);
    if (tensor && shape.length === 2) counts[keptDtype(tensor)] += elements(shape);
  }
  return (['bf16', 'f16'] as const).find((dtype) => counts[dtype] > counts.f32) ?? 'f32';
}

const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GB`;
