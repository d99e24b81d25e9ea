/** Requests for files and ranges of files, and their failures. */

import { fail, messageOf } from '../values/errors.js';
import type { MissingFile } from './folder.js';
import { defaultRetries, isOffline, isPassing, pause } from './retries.js';

/** A file on a server, and how to ask for it. */
export interface Place {
  readonly url: string;
  readonly signal?: AbortSignal | undefined;
  /** Sent with every request. A redirect to another origin drops `Authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How often a request is repeated that failed for a passing reason. */
  readonly retries?: number | undefined;
  /** Why the server refused, for servers that say more than a status; `null` if this one does not. */
  readonly explain?: ((response: Response) => string | null) | undefined;
}

export interface FetchOptions {
  /** Byte range: from an offset to another, or to the end. A server may still send the whole file. */
  readonly range?: Range;
  /** Only send a range if the file still has this version. */
  readonly ifSame?: string | null;
  /** Whether to bypass the browser's HTTP cache. */
  readonly isUncached?: boolean;
}

export interface Range {
  readonly begin: number;
  readonly end?: number | undefined;
}

/** @throws TransformerError `missing_file` if there is no response; the signal's reason. */
export async function fetchFile(place: Place, options: FetchOptions = {}): Promise<Response> {
  const { url, signal, retries = defaultRetries } = place;
  const request = requestOf(place, options);
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url, request).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (attempt < retries && !isOffline()) return null;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return fail('missing_file', `${url} could not be fetched: ${messageOf(cause)}`);
    });
    if (response && (attempt === retries || !isPassing(response))) return response;
    await response?.body?.cancel();
    await pause(attempt, response, signal);
  }
}

function requestOf(place: Place, { range, ifSame, isUncached }: FetchOptions): RequestInit {
  const headers: Record<string, string> = { ...place.headers };
  if (range) headers.Range = `bytes=${range.begin}-${range.end === undefined ? '' : range.end - 1}`;
  // Across origins this header would need CORS permission, which file servers do not grant; the caller compares the
  // version of the response instead.
  if (range && ifSame && isSameOrigin(place.url)) headers['If-Range'] = ifSame;
  return {
    headers,
    ...(place.signal && { signal: place.signal }),
    ...(isUncached && { cache: 'no-store' as const }),
  };
}

/** Same origin as the page; outside of a browser, every server. */
const isSameOrigin = (url: string) =>
  !globalThis.location || new URL(url).origin === globalThis.location.origin;

/**
 * Why a response is not a file, or `null` if it is one.
 *
 * @throws TransformerError `missing_file` if the server failed.
 */
export async function whyMissing(response: Response, { url, explain }: Place): Promise<MissingFile | null> {
  const isPage = /^text\/html\b/i.test(response.headers.get('content-type') ?? '');
  if (response.ok && !isPage) return null;
  await response.body?.cancel();
  const status = `${response.status} ${response.statusText}`.trim();
  // Servers of single-page applications answer every unknown address with their page.
  if (response.ok)
    return { missing: `${url}: the server answered with an HTML page, so there is no such file` };
  const missing = explain?.(response) ?? `${url}: the server answered ${status}`;
  return response.status < 500 ? { missing } : fail('missing_file', missing);
}

/** Size in bytes as announced; `null` for a compressed response, whose length differs. */
export function announcedSize(response: Response): number | null {
  const length = response.headers.get('content-length');
  return length === null || response.headers.has('content-encoding') ? null : Number(length);
}

/** Size of the whole file, as a full or partial response states it; `null` if it does not. */
export function wholeSize(response: Response): number | null {
  if (response.status !== 206) return announcedSize(response);
  const [, total] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  return total === undefined ? null : Number(total);
}

/** The file's version (ETag or date); `null` if the server sends neither. */
export const versionOf = ({ headers }: Response) => headers.get('etag') ?? headers.get('last-modified');

/**
 * The response's bytes as they arrive. Where the connection breaks off, the rest is requested, if the server tells
 * versions of the file apart; the failure counts once several requests in a row bring nothing.
 *
 * @param range of the file, that the response is
 */
export async function* bodyOf(
  response: Response,
  place: Place,
  range: Range = { begin: 0 },
): AsyncGenerator<Uint8Array, void, void> {
  const { url, signal, retries = defaultRetries } = place;
  const version = response.headers.has('content-encoding') ? null : versionOf(response);
  let { begin } = range;
  let pieces: AsyncIterable<Uint8Array> = chunksOf(response);
  for (let failures = 0; ; ) {
    let broken: unknown;
    try {
      for await (const piece of pieces) {
        failures = 0;
        begin += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      broken = error;
    }
    if (version === null || failures === retries || isOffline())
      fail('missing_file', `${url}: the connection broke off: ${messageOf(broken)}`);
    await pause(failures++, null, signal);
    const rest = await requestRange(place, { ...range, begin }, version);
    pieces = rest.status === 206 ? chunksOf(rest) : within(chunksOf(rest), { ...range, begin });
  }
}

/** Like {@link bodyOf}, for a part of a file of which an earlier response told the version. */
export async function* rangeOf(
  place: Place,
  range: Range,
  version: string,
): AsyncGenerator<Uint8Array, void, void> {
  const response = await requestRange(place, range, version);
  if (response.status === 206) yield* bodyOf(response, place, range);
  else yield* within(bodyOf(response, place), range);
}

/**
 * @returns the range, or the whole file
 * @throws TransformerError `missing_file` if the file has another version now.
 */
async function requestRange(place: Place, range: Range, version: string): Promise<Response> {
  const response = await fetchFile(place, { range, ifSame: version, isUncached: true });
  if (response.ok && versionOf(response) === version) return response;
  await response.body?.cancel();
  return fail('missing_file', `${place.url} changed on the server while it was being read`);
}

/** The bytes of a range, from those of the whole file. */
async function* within(
  source: AsyncIterable<Uint8Array>,
  { begin, end = Number.POSITIVE_INFINITY }: Range,
): AsyncGenerator<Uint8Array, void, void> {
  let place = 0;
  for await (const piece of source) {
    const part = piece.subarray(Math.max(0, begin - place), Math.max(0, end - place));
    place += piece.length;
    if (part.length > 0) yield part;
    if (place >= end) return;
  }
}

/** Milliseconds without a byte after which a download counts as broken off. */
const longestSilence = 60_000;

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const error = new Error(`the server sent nothing for ${longestSilence / 1000} seconds`);
    timer = setTimeout(() => reject(error), longestSilence);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array, void, void> {
  if (!response.body) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // Cancels a download that is no longer wanted. If the connection broke off, that error has already been thrown.
    await reader.cancel().catch(() => undefined);
  }
}
