/** Requests for files and for parts of files, and what can go wrong with them. */

import { fail } from '../../engine/errors.js';
import type { MissingFile } from './folder.js';

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  /** The bytes from one position up to another, or to the end of the file. A server may still send the whole file. */
  readonly range?: { readonly begin: number; readonly end?: number };
  /** Sends a part only if the file still has this version. */
  readonly ifSame?: string;
  /** Whether to bypass the browser's own cache. */
  readonly isUncached?: boolean;
}

/** @throws TransformerError `missing_file` if the server cannot be reached; the signal's reason. */
export async function fetchFile(url: string, options: FetchOptions = {}): Promise<Response> {
  const { signal, range, ifSame, isUncached } = options;
  const headers: Record<string, string> = {};
  if (range) headers.Range = `bytes=${range.begin}-${range.end === undefined ? '' : range.end - 1}`;
  // Another origin would have to allow this header, which file servers do not; there the caller compares the versions.
  if (range && ifSame !== undefined && isSameOrigin(url)) headers['If-Range'] = ifSame;
  try {
    return await fetch(url, {
      headers,
      ...(signal && { signal }),
      ...(isUncached && { cache: 'no-store' as const }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const { message, cause } = error as Error;
    return fail(
      'missing_file',
      `${url} cannot be fetched: ${cause instanceof Error ? cause.message : message}`,
    );
  }
}

/** Whether a URL belongs to the page's own server; outside a browser every URL does. */
const isSameOrigin = (url: string) =>
  !globalThis.location || new URL(url).origin === globalThis.location.origin;

/**
 * Why a response is not the file, or `null` if it is.
 *
 * @throws TransformerError `missing_file` if the server fails.
 */
export async function whyMissing(response: Response, url: string): Promise<MissingFile | null> {
  const isPage = /^text\/html\b/i.test(response.headers.get('content-type') ?? '');
  if (response.ok && !isPage) return null;
  await response.body?.cancel();
  const status = `${response.status} ${response.statusText}`.trim();
  // Servers of single-page sites answer every request with that page.
  if (response.ok)
    return { missing: `${url}: the server answered with an HTML page, so there is no such file` };
  const missing = `${url}: the server answered ${status}`;
  return response.status < 500 ? { missing } : fail('missing_file', missing);
}

/** The file's size according to the server; `null` for a compressed response, whose length is different. */
export function announcedSize(response: Response): number | null {
  const length = response.headers.get('content-length');
  return length === null || response.headers.has('content-encoding') ? null : Number(length);
}

/** The size of the whole file according to a response with all or part of it; `null` if it does not say. */
export function wholeSize(response: Response): number | null {
  if (response.status !== 206) return announcedSize(response);
  const [, total] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  return total === undefined ? null : Number(total);
}

/** What changes when the file does; `null` if the server sends nothing of the kind. */
export const versionOf = ({ headers }: Response) => headers.get('etag') ?? headers.get('last-modified');

/** The response's bytes as they arrive. */
export async function* bodyOf(
  response: Response,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  if (!response.body) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: Error) => {
        signal?.throwIfAborted();
        return fail('missing_file', `${url}: the connection broke off: ${error.message}`);
      });
      if (done) return;
      yield value;
    }
  } finally {
    // Ends a download that is no longer wanted. If the connection broke off, that error is already on its way.
    await reader.cancel().catch(() => undefined);
  }
}
