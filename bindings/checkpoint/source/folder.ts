/** A uniform view of where a checkpoint is stored: a folder whose files can be read front to back. */

/** A folder that the user opened for a page: the part of `FileSystemDirectoryHandle` that is needed. */
export interface FolderHandle {
  readonly name: string;
  getFileHandle(name: string): Promise<{ getFile(): Promise<Blob> }>;
  /** For files in folders inside, which few models have. */
  getDirectoryHandle?(name: string): Promise<FolderHandle>;
}

/** What a checkpoint can be loaded from. */
export type CheckpointSource =
  /** A URL (in a page, possibly relative), in Node.js also a path; or the id of a model on a hub: `'owner/name'`. */
  | string
  | URL
  | FolderHandle
  /** Files from an `<input type="file" webkitdirectory>` or a drop. */
  | Iterable<File>
  | ReadonlyMap<string, Blob | Uint8Array>;

/** A file that was found. Either `bytes` or `seekable` may be called, once. */
export interface OpenFile {
  /** Size in bytes; `null` if unknown. */
  readonly size: number | null;
  /** Size announced by a server, for progress only: it may be that of the compressed response. */
  readonly announcedSize: number | null;
  /** Front to back; each piece is valid until the next one is requested. */
  bytes(): AsyncIterable<Uint8Array>;
  /**
   * For formats that must be read from the end.
   *
   * @param onDownload called with the bytes so far if the whole file has to be downloaded first
   */
  seekable(onDownload?: (loaded: number) => void): Promise<SeekableFile>;
  /** Closes a file without reading it. */
  close(): Promise<void>;
}

/** A file with random access. */
export interface SeekableFile {
  readonly size: number;
  /** Reads a range within the file; each piece is valid until the next one is requested. */
  bytes(begin: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** A file that does not exist, and the reason to report. */
export interface MissingFile {
  readonly missing: string;
}

export interface Folder {
  /** Path, address or description, for messages. */
  readonly name: string;
  /** @param name of a file; in a folder inside, its path: `1_Pooling/config.json` */
  open(name: string, signal?: AbortSignal): Promise<OpenFile | MissingFile>;
}
