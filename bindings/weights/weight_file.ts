/** The weight files of a checkpoint, in any format. */

import type { ByteReader } from '../files/byte_reader.js';
import type { Folder, MissingFile } from '../files/folder.js';
import type { Shapes } from './slices.js';
import type { StoredTensor } from './stored_tensor.js';

/** One weight file. Its header has been read, its numbers have not. */
export interface WeightFile {
  readonly name: string;
  /** Size in bytes, for progress; `null` if unknown. */
  readonly size: number | null;
  readonly tensors: readonly StoredTensor[];
  /** A reader at or before an offset. Invalidates the previous reader. */
  readFrom(place: number): Promise<ByteReader>;
  /** Where the file must end, checked after reading; `null` if its size was known from the start. */
  readonly end: number | null;
  close(): Promise<void>;
}

/** All weights of a checkpoint, in one file or several. */
export interface WeightFiles {
  /** Name of the file, or of the index. */
  readonly name: string;
  /** Total size in bytes, for progress; `null` if unknown. */
  readonly size: number | null;
  readonly files: readonly WeightFile[];
  /** The tensors of all files. */
  readonly tensors: readonly StoredTensor[];
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called while files that need random access are downloaded; `total`: bytes of all files. */
  readonly onDownload?: ((file: string, loaded: number, total: number | null) => void) | undefined;
}

/** Opens one file. `isOneOfMany`: it must not keep a connection open until it is read. */
export type OpenWeightFile = (
  folder: Folder,
  name: string,
  options: OpenOptions & { isOneOfMany?: boolean },
) => Promise<WeightFile | MissingFile>;

export function shapesOf({ tensors }: Pick<WeightFiles, 'tensors'>): Shapes {
  return new Map(tensors.map(({ name, shape }) => [name, shape]));
}

/** Name of the file with a tensor; the name of all weights if no file has it. */
export function fileOf({ name, files }: WeightFiles, tensor: string): string {
  return files.find(({ tensors }) => tensors.some((stored) => stored.name === tensor))?.name ?? name;
}
