/** Requests for files and ranges of files, repeated where they fail for a passing reason. */

import { messageOf } from '../values/errors.js';
import { defaultRetries, isOffline, isPassing, pause } from './retries.js';
import type { Snapshot } from './snapshot.js';
import { discard, fetchInTime, longestSilence } from './waits.js';

/** A file on a server, and how to ask for it. */
export interface Place {
  readonly url: string;
  /** The address that it is kept under, if that is another one. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sent with every request. A redirect to another origin drops `Authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How often a request is repeated that failed for a passing reason. */
  readonly retries?: number | undefined;
  /** Milliseconds to wait for an answer. */
  readonly patience?: number | undefined;
  /** Why the server refused, for servers that say more than a status; `null` if this one does not. */
  readonly explain?: ((response: Response) => string | null) | undefined;
  /** The commit that the file must be of, on servers that tell it. */
  readonly snapshot?: Snapshot | undefined;
}

/** Bytes of a file: from an offset to another, or to the end. */
export interface Range {
  readonly begin: number;
  readonly end?: number | undefined;
}

export interface Asked {
  /** A server may still send the whole file. */
  readonly range?: Range | undefined;
  /** The state of the file according to an earlier answer, which must be the same now. */
  readonly same?: { readonly version: string | null; readonly total: number | null } | undefined;
  /** Whether to bypass the browser's HTTP cache. */
  readonly isUncached?: boolean | undefined;
}

/**
 * @returns the last response; an Error if there is none
 * @throws the signal's reason.
 */
export async function fetchFile(place: Place, asked: Asked): Promise<Response | Error> {
  const { signal, retries = defaultRetries } = place;
  for (let attempt = 0; ; attempt++) {
    const response = await fetchOnce(place, asked).catch((error: unknown) => {
      signal?.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return new Error(messageOf(cause));
    });
    const isLast = attempt === retries || (response instanceof Error ? isOffline() : !isPassing(response));
    if (isLast) return response;
    const busy = response instanceof Error ? null : response;
    discard(busy);
    await pause(attempt, busy, signal);
  }
}

function fetchOnce(place: Place, asked: Asked): Promise<Response> {
  const { url, signal, patience = longestSilence } = place;
  return fetchInTime(url, requestOf(place, asked), { milliseconds: patience, who: 'the server', signal });
}

function requestOf({ headers: own, url }: Place, { range, same, isUncached }: Asked): RequestInit {
  const headers: Record<string, string> = { ...own };
  if (range) headers.Range = `bytes=${range.begin}-${range.end === undefined ? '' : range.end - 1}`;
  // Across origins this header would need CORS permission, which file servers do not grant; the version of the response
  // is compared in any case.
  if (range && same?.version && isSameOrigin(url)) headers['If-Range'] = same.version;
  return { headers, ...(isUncached && { cache: 'no-store' as const }) };
}

/** Same origin as the page; outside of a browser, every server. */
export const isSameOrigin = (url: string) =>
  !globalThis.location || new URL(url).origin === globalThis.location.origin;
