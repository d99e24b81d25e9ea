/** The places that a checkpoint can be in, behind one face: a folder whose files can be read from front to back. */

/** A folder that the user let a page open: a `FileSystemDirectoryHandle`, of which no more than this is needed. */
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

/** A file that was found. One of `bytes` and `seekable` can be asked for, once. */
export interface OpenFile {
  /** Bytes; `null` where nobody can be sure. */
  readonly size: number | null;
  /** What a server says the size is: good enough to show progress. It may be that of the compressed answer. */
  readonly announcedSize: number | null;
  /** From front to back; each piece is good until the next is asked for. */
  bytes(): AsyncIterable<Uint8Array>;
  /**
   * For formats that begin at their end.
   *
   * @param onDownload called with the bytes so far where all of the file has to be downloaded before
   */
  seekable(onDownload?: (loaded: number) => void): Promise<SeekableFile>;
  /** Lets go of a file whose bytes are not wanted after all. */
  close(): Promise<void>;
}

/** A file that can be read anywhere, as often as wanted. */
export interface SeekableFile {
  readonly size: number;
  /** From one place to another, both inside of the file; each piece is good until the next is asked for. */
  bytes(begin: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** A file that is not there, and how that showed. */
export interface MissingFile {
  readonly missing: string;
}

export interface Folder {
  /** For messages: the path or the address, or what it is. */
  readonly name: string;
  open(name: string, signal?: AbortSignal): Promise<OpenFile | MissingFile>;
}
