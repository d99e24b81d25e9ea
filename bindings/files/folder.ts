/** A uniform view of where a checkpoint is stored: a folder whose files can be read front to back. */

import type { JsonObject } from './json_object.js';

/** A folder that the user opened for a page: the part of `FileSystemDirectoryHandle` that is needed. */
export interface FolderHandle {
  readonly name: string;
  getFileHandle(name: string): Promise<{ getFile(): Promise<Blob> }>;
  /** For files in folders inside, which few models have. */
  getDirectoryHandle?(name: string): Promise<FolderHandle>;
  /** Names of files, for models whose files have names of their own. */
  keys?(): AsyncIterable<string>;
}

/** The sources that a checkpoint can be loaded from. */
export type CheckpointSource =
  /**
   * A URL (in a page, possibly relative), in Node.js also a path; or the id of a model on a hub: `'owner/name'`. What
   * ends in `.gguf` is a file: `'models/name.gguf'`, `'owner/name/file.gguf'`.
   */
  | string
  | URL
  | FolderHandle
  /** A GGUF file. */
  | Blob
  /** Files from an `<input type="file" webkitdirectory>` or a drop. */
  | Iterable<File>
  /** Files by name, at hand or at an address of their own, as a bundler gives them. */
  | ReadonlyMap<string, Blob | Uint8Array | URL>;

/** A file that was found. Either `bytes` or `seekable` may be called, once. */
export interface OpenFile {
  /** Size in bytes; `null` if unknown. */
  readonly size: number | null;
  /** Size announced by a server, for progress only: it may be that of the compressed response. */
  readonly announcedSize: number | null;
  /**
   * Front to back; each piece is valid until the next one is requested.
   *
   * @param isWhole whether the pieces so far are a whole file. Asked at their end where the server did not tell the
   * size, as most that compress do; without it, the server is asked once more, which is a round trip
   */
  bytes(isWhole?: () => boolean): AsyncIterable<Uint8Array>;
  /**
   * For formats that must be read from the end.
   *
   * @param onDownload called with the bytes so far if the whole file has to be downloaded first
   */
  seekable(onDownload?: (loaded: number) => void): Promise<SeekableFile>;
  /** Closes a file without reading it. */
  close(): Promise<void>;
  /** The server's name for this version; `null` or undefined if it gives none. */
  readonly version?: string | null | undefined;
  /** What it holds, of a file that was made of another as an object: its text is not written and read again. */
  readonly json?: JsonObject;
  /** Drops what a cache keeps of it, because it is not what was meant. */
  forget?(): Promise<void>;
}

/** A file with random access. */
export interface SeekableFile {
  readonly size: number;
  /** Reads a range within the file; each piece is valid until the next one is requested. */
  bytes(begin: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Writes bytes at a place of a file. Places need not come in order. */
export type RandomWrite = (bytes: Uint8Array, place: number) => Promise<void>;

/** A file that was made of downloads. */
export interface DerivedFile extends SeekableFile {
  readonly version: string;
}

/** Keeps files that were made of a folder's downloads. */
export interface DerivedFiles {
  /**
   * The version of a file on the server now; `null` if it has none or there is no such file, undefined if the server
   * does not answer.
   */
  version(name: string, signal?: AbortSignal): Promise<string | null | undefined>;
  /** A file that was made, if it is complete. */
  find(name: string): Promise<DerivedFile | null>;
  /** Makes a file. Each byte is to be written once. What cannot be kept is noted and ignored. */
  writer(name: string, file: { version: string; size: number }): RandomWrite;
  drop(name: string): Promise<void>;
  /** Drops the download that a file was made of. */
  dropDownload(name: string): Promise<void>;
}

/** A file that does not exist, and the reason to report. */
export interface MissingFile {
  readonly missing: string;
}

export interface Folder {
  /** Path, address or description, for messages. */
  readonly name: string;
  /** The one file that was meant, a GGUF file, which holds what otherwise several hold. */
  readonly file?: string | undefined;
  /** @param name of a file; in a folder inside, its path: `1_Pooling/config.json` */
  open(name: string, signal?: AbortSignal): Promise<OpenFile | MissingFile>;
  /** The names of its files; undefined where nobody tells them, as on a server. */
  readonly names?: (() => Promise<string[]>) | undefined;
  /** Whether something that was kept could not be read any more: what is opened now is asked of the server. */
  hasLost?(): boolean;
  /** Where files can be kept that were made of its downloads; undefined for a folder whose downloads are not kept. */
  readonly derived?: (() => Promise<DerivedFiles | undefined>) | undefined;
  /** The address under which a download of a file is kept; undefined where nothing is downloaded. */
  readonly keyOf?: ((name: string) => string | undefined) | undefined;
  /** The commit that its files are of; `null` before the first file, or where nobody tells it. */
  readonly commit?: (() => string | null) | undefined;
  /** SHA-256 of files that were opened, in hexadecimal digits, where it was checked or the hub tells it. */
  readonly hashes?: (() => Readonly<Record<string, string>>) | undefined;
}
