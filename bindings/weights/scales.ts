/** Reads the scales of quantised matrices before the matrices themselves, whatever their order in the files. */

import { fail } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import { floatTypes, toFloats } from './floats.js';
import { scaleName } from './quantization.js';
import { readTensors } from './read_tensors.js';
import type { StoredTensor } from './stored_tensor.js';
import { fileOf, type WeightFiles } from './weight_file.js';

/** Element i of the matrix (row-major) is q * values[floor(i / run) % values.length]. */
export interface Scales {
  readonly values: Float32Array;
  readonly run: number;
}

/**
 * The scales by the names of their matrices. In a sharded checkpoint, a scale may be in another file than its matrix.
 *
 * @throws TransformerError `bad_checkpoint` for a scale that is missing, has the wrong shape or is not positive.
 */
export async function readScales(
  files: WeightFiles,
  matrices: readonly StoredTensor[],
): Promise<ReadonlyMap<string, Scales>> {
  const byName = new Map(files.tensors.map((tensor) => [tensor.name, tensor]));
  const scales = new Map<string, Scales>();
  const values = new Map<StoredTensor, Float32Array>();
  for (const matrix of matrices) {
    const file = fileOf(files, matrix.name);
    const stored = byName.get(scaleName(matrix.name));
    if (!stored)
      fail(
        'bad_checkpoint',
        `${file}: the tensor '${matrix.name}' is stored as I8, but there is no '${scaleName(matrix.name)}'`,
      );
    const floats = new Float32Array(elements(stored.shape));
    scales.set(matrix.name, { values: floats, run: runOf(matrix, stored, fileOf(files, stored.name)) });
    values.set(stored, floats);
  }
  for (const file of files.files) {
    if (!file.tensors.some((tensor) => values.has(tensor))) continue;
    // The rest of the file is read later.
    const pieces = readTensors({ ...file, end: null }, (tensor) => values.has(tensor));
    for await (const { tensor, first, bytes } of pieces) {
      const floats = toFloats(bytes, tensor.dtype);
      const wrong = floats.find((value) => !(value > 0 && value < Number.POSITIVE_INFINITY));
      if (wrong !== undefined)
        fail(
          'bad_checkpoint',
          `${file.name}: the tensor '${tensor.name}' holds ${wrong}, which is not a valid scale`,
        );
      values.get(tensor)?.set(floats, first);
    }
  }
  return scales;
}

/** How many consecutive elements share a scale: it applies to one index along one axis, or to the whole matrix. */
function runOf({ name: matrix, shape }: StoredTensor, scale: StoredTensor, file: string): number {
  const what = `${file}: the tensor '${scale.name}'`;
  if (!floatTypes.includes(scale.dtype))
    fail('bad_checkpoint', `${what} is stored as ${scale.dtype}; scales are ${floatTypes.join(', ')}`);
  if (elements(shape) === 0)
    fail('bad_checkpoint', `${what} belongs to a matrix without elements, [${shape}]`);
  if (elements(scale.shape) === 1) return elements(shape);
  const axis = scale.shape.findIndex((size) => size !== 1);
  const expected = shape.map((size, i) => (i === axis ? size : 1));
  if (expected.join() === scale.shape.join()) return elements(shape.slice(axis + 1));
  return fail(
    'bad_checkpoint',
    `${what} has the shape [${scale.shape}], expected one scale for each row of '${matrix}' [${shape}], [${[shape[0], ...shape.slice(1).fill(1)]}]`,
  );
}
