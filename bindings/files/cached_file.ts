/** A server's file that has been kept in full or in part: revalidates it and downloads the rest. */

import { fail, TransformerError } from '../values/errors.js';
import type { DownloadCache, KeptFile } from './download_cache.js';
import {
  announcedSize,
  bodyOf,
  fetchFile,
  type Place,
  rangeOf,
  versionOf,
  wholeSize,
  whyMissing,
} from './fetch_file.js';
import type { MissingFile, OpenFile, SeekableFile } from './folder.js';
import { fileOfResponse, seekableUrl } from './url_file.js';

/** Bytes per kept piece, which is how much is lost if a tab dies during a download. */
const pieceBytes = 4 << 20;

/** A file on a server, and where it is kept. */
interface KeptPlace extends Place {
  readonly cache: DownloadCache;
}

export async function openCached(file: Place, cache: DownloadCache): Promise<OpenFile | MissingFile> {
  const place: KeptPlace = { ...file, cache };
  const kept = await cache.find(file.url);
  return (kept && (await openKept(kept, place))) ?? openAnew(place);
}

/** `null` if the kept pieces are no longer valid. */
async function openKept(kept: KeptFile, place: KeptPlace): Promise<OpenFile | MissingFile | null> {
  const { url, cache, signal } = place;
  const { version, bytes, isWhole } = kept;
  // Of a complete file, request one byte: the response tells the version.
  const range = { begin: isWhole ? bytes - 1 : bytes };
  let response: Response;
  try {
    // Without a connection, what is complete is used at once.
    const asked = isWhole ? { ...place, retries: 0 } : place;
    response = await fetchFile(asked, { range, ifSame: version, isUncached: true });
  } catch (error) {
    // No response, but the file is complete.
    if (isWhole && error instanceof TransformerError && !signal?.aborted)
      return fileOfPieces(kept, null, place);
    throw error;
  }
  // A server that is down says nothing about the file.
  if (isWhole && response.status >= 500) {
    await response.body?.cancel();
    return fileOfPieces(kept, null, place);
  }
  // Nor does one that denies access. (416: the file has become shorter.)
  if (!response.ok && response.status !== 416) {
    if (response.status === 404 || response.status === 410) await cache.drop(url);
    return whyMissing(response, place);
  }
  // A download may have ended too early without an error.
  const isComplete = !isWhole || (wholeSize(response) ?? bytes) === bytes;
  const isSame = versionOf(response) === version && isComplete;
  if (isSame && (isWhole ? response.ok : response.status === 206)) {
    if (!isWhole) return fileOfPieces(kept, { response, begin: bytes }, place);
    await response.body?.cancel();
    return fileOfPieces(kept, null, place);
  }
  await response.body?.cancel();
  await cache.drop(url);
  return null;
}

async function openAnew(place: KeptPlace): Promise<OpenFile | MissingFile> {
  const { url, cache, signal } = place;
  // Most files of a folder are optional.
  const known = await cache.findMissing(url);
  let response: Response;
  try {
    response = await fetchFile(known === null ? place : { ...place, retries: 0 }, { isUncached: true });
  } catch (error) {
    if (known !== null && !signal?.aborted) return { missing: known };
    throw error;
  }
  if (known !== null && response.status >= 500) {
    await response.body?.cancel();
    return { missing: known };
  }
  const missing = await whyMissing(response, place);
  if (missing) {
    await cache.addMissing(url, missing.missing);
    return missing;
  }
  const version = versionOf(response);
  if (version === null) {
    cache.note(`${url} is not cached: its server sends neither an ETag nor a date.`);
    return fileOfResponse(response, place);
  }
  return fileOfPieces({ version, pieces: [], bytes: 0, isWhole: false }, { response, begin: 0 }, place);
}

/** A response whose body continues from some offset of the file. */
interface Rest {
  readonly response: Response;
  readonly begin: number;
}

function fileOfPieces(kept: KeptFile, rest: Rest | null, place: KeptPlace): OpenFile {
  const left = rest && announcedSize(rest.response);
  const total = rest ? left && rest.begin + left : kept.bytes;
  return {
    size: null,
    announcedSize: total,
    bytes: () => read(kept, rest, place),
    async seekable(onDownload) {
      const { url, cache, signal } = place;
      let loaded = 0;
      // Completes the download first, then reads at random.
      for await (const piece of read(kept, rest, place)) {
        signal?.throwIfAborted();
        loaded += piece.length;
        onDownload?.(loaded);
      }
      const whole = await cache.find(url);
      if (whole?.isWhole) return seekablePieces(whole, place);
      return seekableUrl(await fetchFile(place, { isUncached: true }), place);
    },
    close: async () => {
      await rest?.response.body?.cancel();
    },
  };
}

/** Front to back: the kept pieces, then the download, which is kept as it arrives. */
async function* read(
  kept: KeptFile,
  rest: Rest | null,
  place: KeptPlace,
): AsyncGenerator<Uint8Array, void, void> {
  const { url, cache } = place;
  let reached = 0;
  for (const [index, piece] of kept.pieces.entries()) {
    const bytes = await cache.read(url, index, piece);
    if (!bytes) {
      await rest?.response.body?.cancel();
      await cache.drop(url, index);
      const missing = rangeOf(place, { begin: reached }, kept.version);
      yield* keep(missing, { reached, index, version: kept.version }, place);
      return;
    }
    yield bytes;
    reached += bytes.length;
  }
  if (kept.isWhole || !rest) return;
  const source = bodyOf(rest.response, place, { begin: rest.begin });
  yield* keep(source, { reached, index: kept.pieces.length, version: kept.version }, place);
}

/** Passes bytes on and keeps them; if the download breaks off, the incomplete last piece too. */
async function* keep(
  source: AsyncIterable<Uint8Array>,
  { reached, index, version }: { reached: number; index: number; version: string },
  { url, cache }: KeptPlace,
): AsyncGenerator<Uint8Array, void, void> {
  const buffer = new Uint8Array(pieceBytes);
  let filled = 0;
  let begin = reached;
  let next = index;
  const flush = async (isLast: boolean) => {
    if (filled === 0) return;
    await cache.add(url, next++, { content: buffer.subarray(0, filled), begin, version, isLast });
    begin += filled;
    filled = 0;
  };
  let isAll = false;
  try {
    for await (const piece of source) {
      for (let taken = 0; taken < piece.length; ) {
        // A full piece is written only once more bytes follow, so that the last piece is known as such.
        if (filled === buffer.length) await flush(false);
        const part = piece.subarray(taken, taken + buffer.length - filled);
        buffer.set(part, filled);
        filled += part.length;
        taken += part.length;
      }
      yield piece;
    }
    isAll = true;
  } finally {
    await flush(isAll);
  }
}

export function seekablePieces(
  { pieces, bytes: size }: KeptFile,
  { url, cache }: Pick<KeptPlace, 'url' | 'cache'>,
): SeekableFile {
  return {
    size,
    async *bytes(begin, end) {
      for (const [index, piece] of pieces.entries()) {
        const from = Math.max(begin, piece.begin);
        const to = Math.min(end, piece.begin + piece.bytes);
        if (from >= to) continue;
        const content = await cache.read(url, index, piece);
        if (!content) {
          await cache.drop(url, index);
          return fail('missing_file', `${url}: its cached content was deleted while it was being read`);
        }
        yield content.subarray(from - piece.begin, to - piece.begin);
      }
    },
    close: async () => {},
  };
}
