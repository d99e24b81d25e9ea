/** A file on a server: read as it arrives, or at random by range requests. */

import { fail } from '../values/errors.js';
import { announcedSize, ask, expectSent, type Sent } from './answer.js';
import type { Place } from './fetch_file.js';
import { fileBytes, sizeAtEnd } from './file_bytes.js';
import type { OpenFile, SeekableFile } from './folder.js';
import { seekableBlob } from './folder_files.js';
import { discard } from './waits.js';

export function fileOfAnswer(answer: Sent, place: Place): OpenFile {
  const { response } = answer;
  return {
    // A cross-origin response may be compressed without saying so.
    size: null,
    announcedSize: announcedSize(response),
    bytes: (isWhole) => fileBytes(answer, place, { begin: 0 }, isWhole),
    seekable: (onDownload) => seekableUrl(answer, place, onDownload),
    close: async () => discard(response),
    version: answer.version,
  };
}

type OnDownload = (loaded: number) => void;

/**
 * Random access by range requests, if the server honours them. Otherwise downloads the whole file once into a Blob,
 * which a browser may keep on disk; in Node.js it is in memory.
 *
 * @param first answer to a request for the whole file, not read yet
 */
export async function seekableUrl(first: Sent, place: Place, onDownload?: OnDownload): Promise<SeekableFile> {
  const { headers } = first.response;
  const hasRanges = headers.get('accept-ranges') !== 'none' && !headers.has('content-encoding');
  const size = hasRanges ? (first.total ?? (await sizeAtEnd(first, place, 0))) : null;
  if (size === null) return download(first, place, onDownload);
  discard(first.response);
  const same = { version: first.version, total: size };
  let whole: SeekableFile | undefined;
  return {
    size,
    async *bytes(begin, end) {
      if (begin === end) return;
      const range = { begin, end };
      if (!whole) {
        const part = await ask(place, { range, same });
        if (part.kind === 'sent' && part.response.status === 206) {
          yield* fileBytes(part, place, range);
          return;
        }
        // One that sends other ranges than those asked for still has the whole file.
        const all = part.kind === 'changed' ? await ask(place, { same, isUncached: true }) : part;
        whole = await download(expectSent(all), place, onDownload);
        if (whole.size !== size)
          fail('bad_checkpoint', `${place.url} is cut off: ${whole.size} bytes of ${size}`);
      }
      yield* whole.bytes(begin, end);
    },
    close: async () => {},
  };
}

/** The engine's memory is smaller: a longer file of which the server does not tell the size has no end. */
const maxUnannounced = 8 * 2 ** 30;

async function download(answer: Sent, place: Place, onDownload?: OnDownload): Promise<SeekableFile> {
  const parts: Blob[] = [];
  const most = answer.total ?? maxUnannounced;
  let loaded = 0;
  // A Blob of Blobs: bytes that are in a Blob no longer count as JavaScript memory.
  for await (const piece of fileBytes(answer, place)) {
    parts.push(new Blob([piece as BlobPart]));
    loaded += piece.length;
    if (loaded > most)
      fail('bad_checkpoint', `${place.url} is longer than ${most} bytes, the most that can be used`);
    onDownload?.(loaded);
  }
  return seekableBlob(new Blob(parts));
}
