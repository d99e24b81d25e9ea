/** The places a checkpoint can be in, behind one face: a folder with files that can be read from front to back. */

import { fail } from '../engine/errors.js';
import type { DownloadCache } from './download_cache.js';
import { folderOfFiles, folderOfHandle, folderOfMap } from './folder_files.js';
import { folderOfPath, isNode } from './folder_node.js';
import { folderOfUrl } from './folder_url.js';
import { isNestedDeeper } from './json_depth.js';

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

/**
 * The folder behind a source.
 *
 * @param cache where to keep what is downloaded
 * @throws TransformerError `invalid_argument` when it is nothing that can hold files.
 */
export function openFolder(source: CheckpointSource, cache?: DownloadCache): Folder {
  if (source instanceof URL) return folderOfAddress(source.href, cache);
  if (typeof source === 'string') {
    if (source.trim() === '')
      fail('invalid_argument', 'the model is an empty string; it is the address or path of a folder');
    return folderOfAddress(source, cache);
  }
  if (source instanceof Map) return folderOfMap(source as ReadonlyMap<string, Blob | Uint8Array>);
  if (typeof source === 'object' && source !== null) {
    if ('getFileHandle' in source) return folderOfHandle(source);
    if (Symbol.iterator in source) return folderOfFiles(source as Iterable<File>);
  }
  fail(
    'invalid_argument',
    'a model is loaded from the URL or path of a folder, a folder handle, an array of File, or a Map from names to Blob or Uint8Array',
  );
}

function folderOfAddress(address: string, cache: DownloadCache | undefined): Folder {
  if (!isPath(address)) return folderOfUrl(address, cache);
  return folderOfPath(address.startsWith('file:') ? new URL(address) : address);
}

/** A drive letter is no scheme: those have two characters at least. */
const isPath = (address: string) =>
  isNode() && (address.startsWith('file:') || !/^[a-z][a-z\d+.-]+:/i.test(address));

/** Whether a source's files are downloaded; all others are at hand. */
export const isDownloaded = (source: CheckpointSource) =>
  source instanceof URL ? !isPath(source.href) : typeof source === 'string' && !isPath(source);

/** @throws TransformerError `missing_file`. */
export async function openFile(folder: Folder, name: string, signal?: AbortSignal): Promise<OpenFile> {
  const file = await folder.open(name, signal);
  return 'missing' in file ? fail('missing_file', file.missing) : file;
}

/**
 * A JSON object, or `null` where there is no such file.
 *
 * @throws TransformerError `bad_checkpoint` when the file holds something else.
 */
export async function readJson(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<JsonObject | null> {
  const read = await readJsonText(folder, name, signal);
  return 'missing' in read ? null : read.value;
}

/** As {@link readJson}, of a file that must be there. */
export async function requireJson(folder: Folder, name: string, signal?: AbortSignal): Promise<JsonObject> {
  const read = await readJsonText(folder, name, signal);
  return 'missing' in read ? fail('missing_file', read.missing) : read.value;
}

export type JsonObject = { readonly [name: string]: unknown };

/** The largest tokenizers have 40 MB. */
const maxJsonBytes = 64 << 20;

/** Deeper than anything that a model's files say. */
const maxJsonDepth = 200;

/** A JSON object together with its text. */
export async function readJsonText(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<{ value: JsonObject; text: string } | MissingFile> {
  const file = await folder.open(name, signal);
  if ('missing' in file) return file;
  const text = await readText(file, name);
  if (isNestedDeeper(text, maxJsonDepth)) fail('bad_checkpoint', `${name} is nested too deeply`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail('bad_checkpoint', `${name} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail('bad_checkpoint', `${name} must hold a JSON object`);
  }
  return { value: value as JsonObject, text };
}

async function readText(file: OpenFile, name: string): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of file.bytes()) {
    bytes += chunk.length;
    if (bytes > maxJsonBytes)
      fail('bad_checkpoint', `${name} is too long to be read, over ${maxJsonBytes} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
