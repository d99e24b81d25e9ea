/** The file of a checkpoint that holds its weights. */

import { fail } from '../engine/errors.js';
import { ByteReader } from './byte_reader.js';
import type { Folder, OpenFile } from './folder.js';
import { readHeader, type StoredTensor } from './safetensors.js';
import type { Shapes } from './torch_names.js';

/** A file of weights whose header has been read, waiting at its first tensor. */
export interface WeightFile {
  readonly name: string;
  /** Bytes; for progress, `null` where nobody knows. */
  readonly size: number | null;
  /** In the order of the file. */
  readonly tensors: readonly StoredTensor[];
  readonly reader: ByteReader;
}

const fileName = 'model.safetensors';

/** Files that hold weights in ways that are not read. */
const others: readonly (readonly [name: string, what: string])[] = [
  ['model.safetensors.index.json', 'weights in several files'],
  ['pytorch_model.bin', 'weights in the format of torch.save'],
];

/**
 * Opens `model.safetensors`.
 *
 * @throws TransformerError `missing_file`, `unsupported` where there are only weights of another format,
 *   `bad_checkpoint` where the header is wrong.
 */
export async function openWeights(folder: Folder, signal?: AbortSignal): Promise<WeightFile> {
  const file = await folder.open(fileName, signal);
  if ('missing' in file) return failWithoutWeights(folder, file.missing, signal);
  const reader = new ByteReader(file.bytes(), fileName);
  try {
    const tensors = await readHeader(reader, fileName, file.size);
    return { name: fileName, size: file.size ?? file.announcedSize, tensors, reader };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function failWithoutWeights(folder: Folder, missing: string, signal?: AbortSignal): Promise<never> {
  for (const [name, what] of others) {
    const other = await folder.open(name, signal);
    if ('missing' in other) continue;
    await (other satisfies OpenFile).close();
    fail('unsupported', `${folder.name} holds ${what} (${name}); only ${fileName} can be loaded`);
  }
  fail('missing_file', missing);
}

export function shapesOf(file: WeightFile): Shapes {
  return new Map(file.tensors.map(({ name, shape }) => [name, shape]));
}
