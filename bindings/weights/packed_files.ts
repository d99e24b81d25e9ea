/**
 * Weight files with matrices in 4 bits, as if they were stored in float32: one file, in which each matrix is where the
 * last of its tensors is. Loaded when config.json declares such weights.
 */

import { type Dtype, dtypeOfBits } from '../engine/dtype.js';
import { ByteReader } from '../files/byte_reader.js';
import type { JsonObject } from '../files/json_object.js';
import { elements } from '../values/tensor.js';
import { type FoundMatrix, findMatrix } from './found_matrix.js';
import { type Layout, layoutOf, type Part } from './packed_layouts.js';
import { widenRows } from './packed_matrix.js';
import { readTensors } from './read_tensors.js';
import { elementBytes, type StoredTensor } from './stored_tensor.js';
import { fileOf, type WeightFile, type WeightFiles } from './weight_file.js';

/** Numbers that are widened at a time. */
const pieceNumbers = 1 << 18;

export interface UnpackedFiles {
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
  const matrixOf = matricesOf(files, layout, inputsFirst);
  const tensors = placesOf(files, matrixOf);
  const { name, size } = files;
  let reader: ByteReader | null = null;
  let position = 0;
  const close = async () => {
    const open = reader;
    reader = null;
    await open?.close();
  };
  const file: WeightFile = {
    name,
    size,
    tensors,
    end: null,
    bytesRead: () => position,
    async readFrom(place) {
      if (reader && reader.position <= place) return reader;
      await close();
      const onPosition = (reached: number) => {
        position = reached;
      };
      reader = new ByteReader(widened(files, matrixOf, onPosition), name);
      return reader;
    },
    async close() {
      await close();
      await files.close();
    },
  };
  const isKept = layout.isSymmetric && !layout.isOrdered && (layout.groupSize ?? 32) % 32 === 0;
  return {
    files: { name, size, files: [file], tensors, close: () => file.close() },
    dtype: dtypeOfBits(isKept ? 4 : 8),
  };
}

type MatrixOf = ReadonlyMap<string, { readonly matrix: FoundMatrix; readonly part: Part }>;

/** The matrices in 4 bits, by the names of their tensors. */
function matricesOf(files: WeightFiles, layout: Layout, inputsFirst?: RegExp): MatrixOf {
  const byName = new Map(files.tensors.map((tensor) => [tensor.name, tensor]));
  const found = new Map<string, { matrix: FoundMatrix; part: Part }>();
  const ending = layout.endings[0]?.[1] ?? '';
  for (const { name } of files.tensors) {
    if (!name.endsWith(ending)) continue;
    const base = name.slice(0, -ending.length);
    const parts = new Map<Part, StoredTensor>();
    for (const [part, end] of layout.endings) {
      const tensor = byName.get(base + end);
      if (tensor) parts.set(part, tensor);
    }
    const whole = base + layout.whole;
    const isInputsFirst = inputsFirst?.test(whole) ?? false;
    const matrix = findMatrix(whole, { layout, parts, isInputsFirst, file: fileOf(files, name) });
    for (const [part, tensor] of parts) found.set(tensor.name, { matrix, part });
  }
  return found;
}

/** The tensors of a file in the order in which they are read. */
const inOrderOfPlace = ({ tensors }: WeightFile): StoredTensor[] =>
  [...tensors].sort((a, b) => a.storage.begin - b.storage.begin || (a.offset - b.offset) * elementBytes(a));

/** The tensors as they are handed on, one after the other. */
function placesOf({ files }: WeightFiles, matrixOf: MatrixOf): StoredTensor[] {
  const left = new Map<FoundMatrix, number>();
  const tensors: StoredTensor[] = [];
  let begin = 0;
  const add = (name: string, dtype: string, shape: readonly number[]) => {
    const bytes = elements(shape) * elementBytes({ dtype });
    tensors.push({ name, dtype, shape, storage: { begin, bytes }, offset: 0, strides: null });
    begin += bytes;
  };
  for (const file of files) {
    for (const { name, dtype, shape } of inOrderOfPlace(file)) {
      const matrix = matrixOf.get(name)?.matrix;
      const others = matrix ? (left.get(matrix) ?? matrix.parts.size) - 1 : 0;
      if (!matrix) add(name, dtype, shape);
      else if (others > 0) left.set(matrix, others);
      else add(matrix.name, 'F32', matrix.shape);
    }
  }
  return tensors;
}

/** The bytes of all tensors. Of the matrices that are widened, only those whose tensors are apart are held together. */
async function* widened(
  { files }: WeightFiles,
  matrixOf: MatrixOf,
  onPosition: (reached: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  const waiting = new Map<FoundMatrix, Map<Part, Uint8Array>>();
  let before = 0;
  for (const file of files) {
    for await (const { tensor, first, isLast, bytes, position } of readTensors(file, () => true)) {
      onPosition(before + position);
      const found = matrixOf.get(tensor.name);
      if (!found) {
        yield bytes;
        continue;
      }
      const { matrix, part } = found;
      const parts = waiting.get(matrix) ?? new Map<Part, Uint8Array>();
      waiting.set(matrix, parts);
      const size = elementBytes(tensor);
      const whole = parts.get(part) ?? new Uint8Array(elements(tensor.shape) * size);
      parts.set(part, whole);
      whole.set(bytes, first * size);
      if (!isLast || parts.size < matrix.parts.size) continue;
      waiting.delete(matrix);
      const packed = matrix.read((one) => parts.get(one) ?? null);
      const [rows, cols] = matrix.shape;
      const step = Math.max(1, Math.floor(pieceNumbers / cols));
      for (let row = 0; row < rows; row += step)
        yield new Uint8Array(widenRows(packed, row, Math.min(step, rows - row)).buffer);
    }
    before += file.size ?? 0;
    await file.close();
  }
}
