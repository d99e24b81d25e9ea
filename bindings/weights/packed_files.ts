/**
 * Weight files with matrices in 4 bits: the tensors of each as one, which the engine puts together. Loaded when
 * config.json declares such weights.
 */

import { type Dtype, dtypeOfBits } from '../engine/dtype.js';
import type { JsonObject } from '../files/json_object.js';
import { findMatrix } from './found_matrix.js';
import { type Layout, layoutOf, type Part } from './packed_layouts.js';
import type { StoredTensor } from './stored_tensor.js';
import { fileOf, type WeightFiles } from './weight_file.js';

interface UnpackedFiles {
  readonly files: WeightFiles;
  /** How to keep the matrices by default: in 4 bits only where that loses next to nothing. */
  readonly dtype: Dtype;
}

/**
 * @param inputsFirst the names of matrices that the model wants as [in, out]
 * @throws TransformerError `unsupported` for a layout that is not read, naming it; `bad_checkpoint`
 */
export function unpackedFiles(files: WeightFiles, config: JsonObject, inputsFirst?: RegExp): UnpackedFiles {
  const layout = layoutOf(config);
  const matrices = matricesOf(files, layout, inputsFirst);
  const parts = new Set(matrices.flatMap(({ packed }) => packed?.parts ?? []));
  const isKept = layout.isSymmetric && !layout.isOrdered && (layout.groupSize ?? 32) % 32 === 0;
  const tensors = [...files.tensors.filter((tensor) => !parts.has(tensor)), ...matrices];
  return { files: { ...files, tensors }, dtype: dtypeOfBits(isKept ? 4 : 8) };
}

/** The matrices in 4 bits. */
function matricesOf(files: WeightFiles, layout: Layout, inputsFirst?: RegExp): StoredTensor[] {
  const byName = new Map(files.tensors.map((tensor) => [tensor.name, tensor]));
  const ending = layout.endings[0]?.[1] ?? '';
  return files.tensors.flatMap(({ name }) => {
    if (!name.endsWith(ending)) return [];
    const base = name.slice(0, -ending.length);
    const parts = new Map<Part, StoredTensor>();
    for (const [part, end] of layout.endings) {
      const tensor = byName.get(base + end);
      if (tensor) parts.set(part, tensor);
    }
    const whole = base + layout.whole;
    const isInputsFirst = inputsFirst?.test(whole) ?? false;
    return [findMatrix(whole, { layout, parts, isInputsFirst, file: fileOf(files, name) })];
  });
}
