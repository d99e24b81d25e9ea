/** The places that a checkpoint can be in, behind one face: a folder whose files can be read from front to back. */

/** A folder that the user has opened to a page: the part of a `FileSystemDirectoryHandle` that is needed. */
export interface FolderHandle {
  readonly name: string;
  getFileHandle(name: string): Promise<{ getFile(): Promise<Blob> }>;
}

/** What a checkpoint can be loaded from. */
export type CheckpointSource =
  /** A URL (in a page also a relative one), in Node also a path. */
  | string
  | URL
  | FolderHandle
  /** As an `<input type="file" webkitdirectory>` or a drop gives them. */
  | Iterable<File>
  | ReadonlyMap<string, Blob | Uint8Array>;

/** A file that was found. Either `bytes` or `seekable` may be called, once. */
export interface OpenFile {
  /** In bytes; `null` if it is not certain. */
  readonly size: number | null;
  /** The size that a server announces: good enough to show progress, but it may be that of a compressed response. */
  readonly announcedSize: number | null;
  /** From front to back; each piece is valid until the next one is requested. */
  bytes(): AsyncIterable<Uint8Array>;
  /**
   * For formats that must be read from their end.
   *
   * @param onDownload called with the bytes so far if all of the file must be downloaded first
   */
  seekable(onDownload?: (loaded: number) => void): Promise<SeekableFile>;
  /** Releases a file whose bytes are not wanted after all. */
  close(): Promise<void>;
}

/** A file that can be read at any position, any number of times. */
export interface SeekableFile {
  readonly size: number;
  /** From one position to another, both inside the file; each piece is valid until the next one is requested. */
  bytes(begin: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** A file that is not there, and how that was found out. */
export interface MissingFile {
  readonly missing: string;
}

export interface Folder {
  /** For messages: its path or URL, or a description. */
  readonly name: string;
  open(name: string, signal?: AbortSignal): Promise<OpenFile | MissingFile>;
}
