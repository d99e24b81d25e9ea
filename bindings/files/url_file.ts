/** A file on a server: read as it arrives, or at random by range requests. */

import { fail } from '../values/errors.js';
import { announcedSize, bodyOf, fetchFile, type Place, versionOf } from './fetch_file.js';
import type { OpenFile, SeekableFile } from './folder.js';
import { seekableBlob } from './folder_files.js';

export function fileOfResponse(response: Response, place: Place): OpenFile {
  return {
    // A cross-origin response may be compressed without saying so.
    size: null,
    announcedSize: announcedSize(response),
    bytes: () => bodyOf(response, place),
    seekable: (onDownload) => seekableUrl(response, place, onDownload),
    close: async () => {
      await response.body?.cancel();
    },
  };
}

type OnDownload = (loaded: number) => void;

/**
 * Random access by range requests, if the server honours them. Otherwise downloads the whole file once into a Blob,
 * which a browser may keep on disk; in Node.js it is in memory.
 *
 * @param first response to a request for the whole file, not read yet
 */
export async function seekableUrl(
  first: Response,
  place: Place,
  onDownload?: OnDownload,
): Promise<SeekableFile> {
  const { url } = place;
  const size = announcedSize(first);
  if (size === null || first.headers.get('accept-ranges') === 'none')
    return download(first, place, onDownload);
  await first.body?.cancel();
  let whole: SeekableFile | undefined;
  return {
    size,
    async *bytes(begin, end) {
      if (begin === end) return;
      if (!whole) {
        const response = await fetchFile(place, { range: { begin, end } });
        if (response.status === 206) {
          await checkVersion(response, { first, url });
          yield* bodyOf(response, place, { begin, end });
          return;
        }
        if (response.status !== 200) {
          await response.body?.cancel();
          fail('missing_file', `${url}: the server answered ${response.status} to a range request`);
        }
        await checkVersion(response, { first, url });
        whole = await download(response, place, onDownload);
        if (whole.size !== size) fail('bad_checkpoint', `${url} is cut off: ${whole.size} bytes of ${size}`);
      }
      yield* whole.bytes(begin, end);
    },
    close: async () => {},
  };
}

async function checkVersion(
  response: Response,
  { first, url }: { first: Response; url: string },
): Promise<void> {
  if (versionOf(response) === versionOf(first)) return;
  await response.body?.cancel();
  fail('missing_file', `${url} changed on the server while it was being read`);
}

/** The engine's memory is smaller: a longer file of which the server does not tell the size has no end. */
const maxUnannounced = 8 * 2 ** 30;

async function download(response: Response, place: Place, onDownload?: OnDownload): Promise<SeekableFile> {
  const parts: Blob[] = [];
  const most = announcedSize(response) ?? maxUnannounced;
  let loaded = 0;
  // A Blob of Blobs: bytes that are in a Blob no longer count as JavaScript memory.
  for await (const piece of bodyOf(response, place)) {
    parts.push(new Blob([piece as BlobPart]));
    loaded += piece.length;
    if (loaded > most)
      fail('bad_checkpoint', `${place.url} is longer than ${most} bytes, the most that can be used`);
    onDownload?.(loaded);
  }
  return seekableBlob(new Blob(parts));
}
