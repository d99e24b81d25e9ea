/** Requests for files and ranges of files, and their failures. */

import { fail, messageOf } from '../../engine/errors.js';
import type { MissingFile } from './folder.js';

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Byte range: from an offset to another, or to the end. A server may still send the whole file. */
  readonly range?: { readonly begin: number; readonly end?: number };
  /** Only send a range if the file still has this version. */
  readonly ifSame?: string;
  /** Whether to bypass the browser's HTTP cache. */
  readonly isUncached?: boolean;
}

/** @throws TransformerError `missing_file` if there is no response; the signal's reason. */
export async function fetchFile(url: string, options: FetchOptions = {}): Promise<Response> {
  const { signal, range, ifSame, isUncached } = options;
  const headers: Record<string, string> = {};
  if (range) headers.Range = `bytes=${range.begin}-${range.end === undefined ? '' : range.end - 1}`;
  // Across origins this header would need CORS permission, which file servers do not grant; the caller compares the
  // version of the response instead.
  if (range && ifSame !== undefined && isSameOrigin(url)) headers['If-Range'] = ifSame;
  try {
    return await fetch(url, {
      headers,
      ...(signal && { signal }),
      ...(isUncached && { cache: 'no-store' as const }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return fail('missing_file', `${url} could not be fetched: ${messageOf(cause)}`);
  }
}

/** Same origin as the page; outside of a browser, every server. */
const isSameOrigin = (url: string) =>
  !globalThis.location || new URL(url).origin === globalThis.location.origin;

/**
 * Why a response is not a file, or `null` if it is one.
 *
 * @throws TransformerError `missing_file` if the server failed.
 */
export async function whyMissing(response: Response, url: string): Promise<MissingFile | null> {
  const isPage = /^text\/html\b/i.test(response.headers.get('content-type') ?? '');
  if (response.ok && !isPage) return null;
  await response.body?.cancel();
  const status = `${response.status} ${response.statusText}`.trim();
  // Servers of single-page applications answer every unknown address with their page.
  if (response.ok)
    return { missing: `${url}: the server answered with an HTML page, so there is no such file` };
  const missing = `${url}: the server answered ${status}`;
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
    // Cancels a download that is no longer wanted. If the connection broke off, that error has already been thrown.
    await reader.cancel().catch(() => undefined);
  }
}
