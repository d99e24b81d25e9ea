/** The files that hold the weights of a checkpoint, whatever their format. */

import type { ByteReader } from '../source/byte_reader.js';
import type { Folder, MissingFile } from '../source/folder.js';
import type { Shapes } from './slices.js';
import type { StoredTensor } from './stored_tensor.js';

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

export function shapesOf({ tensors }: Pick<WeightFiles, 'tensors'>): Shapes {
  return new Map(tensors.map(({ name, shape }) => [name, shape]));
}

/** The file that holds a tensor; that of all weights for one that no file holds. */
export function fileOf({ name, files }: WeightFiles, tensor: string): string {
  return files.find(({ tensors }) => tensors.some((stored) => stored.name === tensor))?.name ?? name;
}
