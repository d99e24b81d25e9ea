/** Determines what kind of source a checkpoint is. */

import { fail } from '../../engine/errors.js';
import type { DownloadCache } from './download_cache.js';
import type { CheckpointSource, Folder } from './folder.js';
import { folderOfFiles, folderOfHandle, folderOfMap } from './folder_files.js';
import { folderOfPath, isNode } from './folder_node.js';
import { folderOfUrl } from './folder_url.js';

/**
 * The folder behind a source.
 *
 * @param cache where to keep downloads
 * @throws TransformerError `invalid_argument` if it cannot hold files.
 */
export function openFolder(source: CheckpointSource, cache?: DownloadCache): Folder {
  if (source instanceof URL) return folderOfAddress(source.href, cache);
  if (typeof source === 'string') {
    if (source.trim() === '')
      fail(
        'invalid_argument',
        'the address of the model is an empty string; expected the URL or path of a folder',
      );
    return folderOfAddress(source, cache);
  }
  if (source instanceof Map) return folderOfMap(source as ReadonlyMap<string, Blob | Uint8Array>);
  if (typeof source === 'object' && source !== null) {
    if ('getFileHandle' in source) return folderOfHandle(source);
    if (Symbol.iterator in source) return folderOfFiles(source as Iterable<File>);
  }
  fail(
    'invalid_argument',
    'the model must be the URL or path of a folder, a folder handle, an array of File, or a Map from file names to Blob or Uint8Array',
  );
}

function folderOfAddress(address: string, cache: DownloadCache | undefined): Folder {
  if (!isPath(address)) return folderOfUrl(address, cache);
  return folderOfPath(address.startsWith('file:') ? new URL(address) : address);
}

/** URL schemes have at least two characters, so a drive letter is not one. */
const isPath = (address: string) =>
  isNode() && (address.startsWith('file:') || !/^[a-z][a-z\d+.-]+:/i.test(address));

/** Whether a source's files are downloaded rather than local. */
export const isDownloaded = (source: CheckpointSource) =>
  source instanceof URL ? !isPath(source.href) : typeof source === 'string' && !isPath(source);
