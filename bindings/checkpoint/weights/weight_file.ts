/** The files that hold the weights of a checkpoint, whatever their format. */

import type { ByteReader } from '../source/byte_reader.js';
import type { Folder, MissingFile } from '../source/folder.js';
import type { Shapes } from './slices.js';
import type { StoredTensor } from './stored_tensor.js';

/** A file of weights of any format. Its list of tensors is known; the numbers have not been read yet. */
export interface WeightFile {
  readonly name: string;
  /** Bytes, to show progress; `null` if not known. */
  readonly size: number | null;
  readonly tensors: readonly StoredTensor[];
  /** A reader at a position or before it. A reader from an earlier call must not be used any more. */
  readFrom(place: number): Promise<ByteReader>;
  /** Where the file must end, to be checked once all is read; `null` if its size was known from the start. */
  readonly end: number | null;
  close(): Promise<void>;
}

/** All the weights of a checkpoint, in one file or several. */
export interface WeightFiles {
  /** The file, or the index of the files. */
  readonly name: string;
  /** Bytes of all files, to show progress; `null` if not known. */
  readonly size: number | null;
  readonly files: readonly WeightFile[];
  /** Of all files. */
  readonly tensors: readonly StoredTensor[];
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called while a file is downloaded that can only be read once it is complete; `total`: bytes of all files. */
  readonly onDownload?: ((file: string, loaded: number, total: number | null) => void) | undefined;
}

/** Opens one file; with `isOneOfMany` it must not keep a connection open until it is read. */
export type OpenWeightFile = (
  folder: Folder,
  name: string,
  options: OpenOptions & { isOneOfMany?: boolean },
) => Promise<WeightFile | MissingFile>;

export function shapesOf({ tensors }: Pick<WeightFiles, 'tensors'>): Shapes {
  return new Map(tensors.map(({ name, shape }) => [name, shape]));
}

/** The file that holds a tensor; for a tensor that none holds, the name for all of them. */
export function fileOf({ name, files }: WeightFiles, tensor: string): string {
  return files.find(({ tensors }) => tensors.some((stored) => stored.name === tensor))?.name ?? name;
}
