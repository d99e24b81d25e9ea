/** A server's file that has been kept in full or in part: revalidates it and downloads the rest. */

import { fail, TransformerError } from '../../engine/errors.js';
import type { DownloadCache, KeptFile } from './download_cache.js';
import { announcedSize, bodyOf, fetchFile, versionOf, wholeSize, whyMissing } from './fetch_file.js';
import type { MissingFile, OpenFile, SeekableFile } from './folder.js';
import { fileOfResponse, seekableUrl } from './url_file.js';

/** Bytes per kept piece, which is how much is lost if a tab dies during a download. */
const pieceBytes = 4 << 20;

interface Place {
  readonly url: string;
  readonly cache: DownloadCache;
  readonly signal: AbortSignal | undefined;
}

export async function openCached(
  url: string,
  cache: DownloadCache,
  signal?: AbortSignal,
): Promise<OpenFile | MissingFile> {
  const place: Place = { url, cache, signal };
  const kept = await cache.find(url);
  return (kept && (await openKept(kept, place))) ?? openAnew(place);
}

/** `null` if the kept pieces are no longer valid. */
async function openKept(kept: KeptFile, place: Place): Promise<OpenFile | MissingFile | null> {
  const { url, cache, signal } = place;
  const { version, bytes, isWhole } = kept;
  // Of a complete file, request one byte: the response tells the version.
  const range = { begin: isWhole ? bytes - 1 : bytes };
  let response: Response;
  try {
    response = await fetchFile(url, { signal, range, ifSame: version, isUncached: true });
  } catch (error) {
    // No response, but the file is complete.
    if (isWhole && error instanceof TransformerError && !signal?.aborted)
      return fileOfPieces(kept, null, place);
    throw error;
  }
  // A server that is down or denies access says nothing about the file. (416: the file has become shorter.)
  if (!response.ok && response.status !== 416) {
    if (response.status === 404 || response.status === 410) await cache.drop(url);
    return whyMissing(response, url);
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

async function openAnew(place: Place): Promise<OpenFile | MissingFile> {
  const { url, cache, signal } = place;
  let response: Response;
  try {
    response = await fetchFile(url, { signal, isUncached: true });
  } catch (error) {
    // No response, but most files of a folder are optional.
    const missing = signal?.aborted ? null : await cache.findMissing(url);
    if (missing !== null) return { missing };
    throw error;
  }
  const missing = await whyMissing(response, url);
  if (missing) {
    await cache.addMissing(url, missing.missing);
    return missing;
  }
  const version = versionOf(response);
  if (version === null) {
    cache.note(`${url} is not cached: its server sends neither an ETag nor a date.`);
    return fileOfResponse(response, url, signal);
  }
  return fileOfPieces({ version, pieces: [], bytes: 0, isWhole: false }, { response, begin: 0 }, place);
}

/** A response whose body continues from some offset of the file. */
interface Rest {
  readonly response: Response;
  readonly begin: number;
}

function fileOfPieces(kept: KeptFile, rest: Rest | null, place: Place): OpenFile {
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
      return seekableUrl(await fetchFile(url, { signal, isUncached: true }), { url, signal });
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
  place: Place,
): AsyncGenerator<Uint8Array, void, void> {
  const { url, cache } = place;
  let reached = 0;
  for (const [index, piece] of kept.pieces.entries()) {
    const bytes = await cache.read(url, index, piece);
    if (!bytes) {
      await rest?.response.body?.cancel();
      await cache.drop(url, index);
      const missing = await fetchRest(reached, kept.version, place);
      yield* keep(missing, { reached, index, version: kept.version }, place);
      return;
    }
    yield bytes;
    reached += bytes.length;
  }
  if (kept.isWhole || !rest) return;
  const source = bodyOf(rest.response, url, place.signal);
  yield* keep(source, { reached, index: kept.pieces.length, version: kept.version }, place);
}

/** Downloads what follows a piece that turned out to be damaged. */
async function fetchRest(begin: number, version: string, place: Place): Promise<AsyncIterable<Uint8Array>> {
  const { url, signal } = place;
  const response = await fetchFile(url, { signal, range: { begin }, ifSame: version, isUncached: true });
  if (response.ok && versionOf(response) === version) {
    const body = bodyOf(response, url, signal);
    return response.status === 206 ? body : after(body, begin);
  }
  await response.body?.cancel();
  return fail('missing_file', `${url} changed on the server while it was being read`);
}

async function* after(
  source: AsyncIterable<Uint8Array>,
  begin: number,
): AsyncGenerator<Uint8Array, void, void> {
  let place = 0;
  for await (const piece of source) {
    const skipped = Math.min(piece.length, Math.max(0, begin - place));
    place += piece.length;
    if (skipped < piece.length) yield piece.subarray(skipped);
  }
}

/** Passes bytes on and keeps them; if the download breaks off, the incomplete last piece too. */
async function* keep(
  source: AsyncIterable<Uint8Array>,
  { reached, index, version }: { reached: number; index: number; version: string },
  { url, cache }: Place,
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

function seekablePieces({ pieces, bytes: size }: KeptFile, { url, cache }: Place): SeekableFile {
  return {
    size,
    async *bytes(begin, end) {
      for (const [index, piece] of pieces.entries()) {
        const from = Math.max(begin, piece.begin);
        const to = Math.min(end, piece.begin + piece.bytes);
        if (from >= to) continue;
        const content = await cache.read(url, index, piece);
        if (!content)
          return fail('missing_file', `${url}: its cached content was deleted while it was being read`);
        yield content.subarray(from - piece.begin, to - piece.begin);
      }
    },
    close: async () => {},
  };
}
