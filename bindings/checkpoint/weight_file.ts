/** The files of a checkpoint that hold its weights. */

import { fail } from '../engine/errors.js';
import type { ByteReader } from './byte_reader.js';
import type { Folder, MissingFile } from './folder.js';
import { openSafetensors } from './safetensors_file.js';
import { openShards } from './shards.js';
import type { StoredTensor } from './stored_tensor.js';
import { openTorch } from './torch_file.js';
import type { Shapes } from './torch_names.js';

/** One file of weights, of whatever format. What it holds is known; the numbers have not been read yet. */
export interface WeightFile {
  readonly name: string;
  /** Bytes; for progress, `null` where nobody knows. */
  readonly size: number | null;
  readonly tensors: readonly StoredTensor[];
  /** A reader at that place or before it. The reader that was given before must not be used any more. */
  readFrom(place: number): Promise<ByteReader>;
  /** Where the file must end, to be seen when all has been read; `null` where its size was known from the start. */
  readonly end: number | null;
  close(): Promise<void>;
}

/** All the weights of a checkpoint, in one file or in several. */
export interface WeightFiles {
  /** The file, or the index of the files. */
  readonly name: string;
  /** Bytes of all files; for progress, `null` where nobody knows. */
  readonly size: number | null;
  readonly files: readonly WeightFile[];
  /** Of all files. */
  readonly tensors: readonly StoredTensor[];
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called while files are downloaded that can only be read when all of them is there; `total`: bytes of all files. */
  readonly onDownload?: ((file: string, loaded: number, total: number | null) => void) | undefined;
}

/** Opens one file. `isOneOfMany`: it must not hold a connection until it is read. */
export type OpenWeightFile = (
  folder: Folder,
  name: string,
  options: OpenOptions & { isOneOfMany?: boolean },
) => Promise<WeightFile | MissingFile>;

/** The names that weights have on the hub, best first: an older format often lies beside a newer one. */
const places = [
  { name: 'model.safetensors', open: openSafetensors, isIndex: false },
  { name: 'model.safetensors.index.json', open: openSafetensors, isIndex: true },
  { name: 'pytorch_model.bin', open: openTorch, isIndex: false },
  { name: 'pytorch_model.bin.index.json', open: openTorch, isIndex: true },
] as const;

/**
 * Opens the weights of a folder and reads what they are.
 *
 * @throws TransformerError `missing_file`, also of a shard that the index names; `bad_checkpoint` where a header, an index
 *   or a pickle is wrong; `unsupported`.
 */
export async function openWeights(folder: Folder, options: OpenOptions = {}): Promise<WeightFiles> {
  const missing: string[] = [];
  for (const { name, open, isIndex } of places) {
    const found = isIndex ? await openShards(folder, name, open, options) : await open(folder, name, options);
    if (!('missing' in found)) return 'files' in found ? found : alone(found);
    missing.push(found.missing);
  }
  const others = places.slice(1).map(({ name }) => name);
  fail('missing_file', `${missing[0]}; nor is there ${others.join(', ')}`);
}

function alone(file: WeightFile): WeightFiles {
  const { name, size, tensors } = file;
  return { name, size, files: [file], tensors, close: () => file.close() };
}

export function shapesOf({ tensors }: Pick<WeightFiles, 'tensors'>): Shapes {
  return new Map(tensors.map(({ name, shape }) => [name, shape]));
}

/** The file that holds a tensor; that of all weights for one that no file holds. */
export function fileOf({ name, files }: WeightFiles, tensor: string): string {
  return files.find(({ tensors }) => tensors.some((stored) => stored.name === tensor))?.name ?? name;
}
