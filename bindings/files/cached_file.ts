/** A server's file that has been kept in full or in part: revalidates it and downloads the rest. */

import { fail } from '../values/errors.js';
import { type Answer, announcedSize, ask, expectSent, type NotSent, type Sent } from './answer.js';
import type { DownloadCache, KeptFile } from './download_cache.js';
import type { Place } from './fetch_file.js';
import { askSame, fileBytes } from './file_bytes.js';
import type { MissingFile, OpenFile, SeekableFile } from './folder.js';
import { commitOf } from './snapshot.js';
import { fileOfAnswer, seekableUrl } from './url_file.js';
import { discard } from './waits.js';

/** Bytes per kept piece, which is how much is lost if a tab dies during a download; an abort loses nothing. */
const pieceBytes = 4 << 20;

/** Milliseconds to wait for a server where there is something else to use. */
const shortPatience = 15_000;

/** A file on a server, and where it is kept. */
interface KeptPlace extends Place {
  readonly cache: DownloadCache;
  readonly key: string;
}

export async function openCached(file: Place, cache: DownloadCache): Promise<OpenFile | MissingFile> {
  const place: KeptPlace = { key: file.url, ...file, cache } as KeptPlace;
  const kept = await cache.find(place.key);
  const known = kept === null || kept.isWhole ? await keptAnswer(kept, place) : null;
  // With something to use, one failure is enough.
  const asked = known ? { ...place, retries: 0, patience: shortPatience } : place;
  const answer = await askAbout(kept, asked);
  if (answer.kind === 'sent') return openSent(answer, kept, place);
  if (answer.kind === 'absent') {
    await cache.drop(place.key);
    await cache.see(place.key, { commit: place.snapshot?.commit ?? null, version: null, why: answer.why });
    return { missing: answer.why };
  }
  return fallBack(known, answer, place);
}

/** The kept file, if it is of the version that the server was last known to have, and of this load's commit. */
async function keptAnswer(
  kept: KeptFile | null,
  place: KeptPlace,
): Promise<{ file: () => OpenFile | MissingFile; commit: string | null } | null> {
  const seen = await place.cache.findSeen(place.key);
  if (!seen || seen.version !== (kept?.version ?? null)) return null;
  const missing = seen.why ?? '';
  return { commit: seen.commit, file: () => (kept ? fileOfPieces(kept, null, place) : { missing }) };
}

/** Of a complete file, one byte is requested, of an incomplete one the rest: the answer tells the version. */
async function askAbout(kept: KeptFile | null, place: KeptPlace): Promise<Answer> {
  if (kept) {
    const range = { begin: kept.isWhole ? kept.bytes - 1 : kept.bytes };
    const answer = await ask(place, { range, same: kept, isUncached: true });
    if (answer.kind !== 'changed') return answer;
  }
  return ask(place, { isUncached: true });
}

async function fallBack(
  known: Awaited<ReturnType<typeof keptAnswer>>,
  { kind, why }: NotSent,
  { snapshot, cache }: KeptPlace,
): Promise<OpenFile | MissingFile> {
  if (!known) return fail('missing_file', why);
  if (snapshot && !snapshot.admits(known.commit))
    return fail('missing_file', `${why}; what is kept of it is of another commit`);
  if (kind !== 'unreachable') cache.note(`${why}: what was kept of it is used.`);
  return known.file();
}

async function openSent(answer: Sent, kept: KeptFile | null, place: KeptPlace): Promise<OpenFile> {
  const { cache, key, snapshot } = place;
  const { response, version, total } = answer;
  const commit = snapshot?.commit ?? commitOf(response);
  const isSame = kept?.version === version && (total ?? kept.total) === (kept.total ?? total);
  if (kept && !isSame) await cache.drop(key);
  if (version === null) {
    cache.note(`${key} is not cached: its server sends neither an ETag nor a date.`);
    return fileOfAnswer(answer, place);
  }
  await cache.see(key, { commit, version });
  if (!kept || !isSame)
    return fileOfPieces({ version, pieces: [], bytes: 0, isWhole: false, total }, answer, place);
  if (kept.isWhole) discard(response);
  return fileOfPieces(kept, kept.isWhole ? null : answer, place);
}

/** @param rest answer whose body continues the pieces; `null` if they are the whole file */
function fileOfPieces(kept: KeptFile, rest: Sent | null, place: KeptPlace): OpenFile {
  const left = rest && announcedSize(rest.response);
  return {
    size: null,
    announcedSize: rest ? (rest.total ?? (left && rest.begin + left)) : kept.bytes,
    bytes: (isWhole) => read(kept, rest, place, isWhole),
    async seekable(onDownload) {
      const { key, cache, signal } = place;
      let loaded = 0;
      // Completes the download first, then reads at random.
      for await (const piece of read(kept, rest, place)) {
        signal?.throwIfAborted();
        loaded += piece.length;
        onDownload?.(loaded);
      }
      const whole = await cache.find(key);
      if (whole?.isWhole) return seekablePieces(whole, place);
      return seekableUrl(expectSent(await ask(place, { isUncached: true })), place);
    },
    close: async () => discard(rest?.response ?? null),
    version: kept.version,
    forget: () => place.cache.drop(place.key),
  };
}

/** Front to back: the kept pieces, then the download, which is kept as it arrives. */
async function* read(
  kept: KeptFile,
  rest: Sent | null,
  place: KeptPlace,
  isWhole?: () => boolean,
): AsyncGenerator<Uint8Array, void, void> {
  const { key, cache } = place;
  let begin = 0;
  let index = 0;
  let answer = rest;
  for (const piece of kept.pieces) {
    const bytes = await cache.read(key, index, piece);
    if (!bytes) {
      discard(rest?.response ?? null);
      await cache.drop(key, index);
      answer = await askSame(kept, place, { begin });
      break;
    }
    yield bytes;
    begin += bytes.length;
    index++;
  }
  if (answer) yield* keep(answer, { begin, index, version: kept.version, isWhole }, place);
}

interface KeptSoFar {
  readonly begin: number;
  /** Of the next piece. */
  readonly index: number;
  readonly version: string;
  readonly isWhole: (() => boolean) | undefined;
}

/** Passes bytes on and keeps them; if the download breaks off, the incomplete last piece too. */
async function* keep(
  answer: Sent,
  { begin: reached, index, version, isWhole }: KeptSoFar,
  place: KeptPlace,
): AsyncGenerator<Uint8Array, void, void> {
  const { key, cache } = place;
  const buffer = new Uint8Array(pieceBytes);
  let filled = 0;
  let begin = reached;
  let next = index;
  const flush = async (isLast: boolean) => {
    if (filled === 0) return;
    const piece = { content: buffer.subarray(0, filled), begin, version, isLast };
    begin += filled;
    filled = 0;
    await cache.add(key, next++, piece);
  };
  const source = fileBytes(answer, place, { begin }, isWhole);
  let isAll = false;
  try {
    let step = await source.next();
    for (; !step.done; step = await source.next()) {
      const piece = step.value;
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
    isAll = step.value;
    if (!isAll) cache.note(`${key} is not cached: its server does not tell where it ends.`);
  } finally {
    await source.return(false);
    // A reader may stop at the last byte, before the end is reported.
    await flush(isAll || begin + filled === answer.total);
  }
}

export function seekablePieces(
  { pieces, bytes: size }: KeptFile,
  { key, cache }: Pick<KeptPlace, 'key' | 'cache'>,
): SeekableFile {
  return {
    size,
    async *bytes(begin, end) {
      for (const [index, piece] of pieces.entries()) {
        const from = Math.max(begin, piece.begin);
        const to = Math.min(end, piece.begin + piece.bytes);
        if (from >= to) continue;
        const content = await cache.read(key, index, piece);
        if (!content) {
          cache.hasLost = true;
          await cache.drop(key, index);
          return fail('missing_file', `${key}: its cached content was deleted while it was being read`);
        }
        yield content.subarray(from - piece.begin, to - piece.begin);
      }
    },
    close: async () => {},
  };
}
