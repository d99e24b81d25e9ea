/** The places a checkpoint can be in, behind one face: a folder with files that can be read from front to back. */

import { fail } from '../engine/errors.js';
import { folderOfFiles, folderOfHandle, folderOfMap } from './folder_files.js';
import { folderOfPath, isNode } from './folder_node.js';
import { folderOfUrl } from './folder_url.js';

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

/** A file that was found. Its bytes can be asked for once. */
export interface OpenFile {
  /** Bytes; `null` where nobody can be sure. */
  readonly size: number | null;
  /** What a server says the size is: good enough to show progress. It may be that of the compressed answer. */
  readonly announcedSize: number | null;
  bytes(): AsyncIterable<Uint8Array>;
  /** Lets go of a file whose bytes are not wanted after all. */
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
 * @throws TransformerError `invalid_argument` when it is nothing that can hold files.
 */
export function openFolder(source: CheckpointSource): Folder {
  if (source instanceof URL) return folderOfAddress(source.href);
  if (typeof source === 'string') {
    if (source.trim() === '')
      fail('invalid_argument', 'the model is an empty string; it is the address or path of a folder');
    return folderOfAddress(source);
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

function folderOfAddress(address: string): Folder {
  if (address.startsWith('file:') && isNode()) return folderOfPath(new URL(address));
  // A drive letter is no scheme: those have two characters at least.
  if (isNode() && !/^[a-z][a-z\d+.-]+:/i.test(address)) return folderOfPath(address);
  return folderOfUrl(address);
}

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
  const file = await folder.open(name, signal);
  return 'missing' in file ? null : parseJson(file, name);
}

/** As {@link readJson}, of a file that must be there. */
export async function requireJson(folder: Folder, name: string, signal?: AbortSignal): Promise<JsonObject> {
  return parseJson(await openFile(folder, name, signal), name);
}

export type JsonObject = { readonly [name: string]: unknown };

async function parseJson(file: OpenFile, name: string): Promise<JsonObject> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of file.bytes()) text += decoder.decode(chunk, { stream: true });
  text += decoder.decode();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail('bad_checkpoint', `${name} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail('bad_checkpoint', `${name} must hold a JSON object`);
  }
  return value as JsonObject;
}
