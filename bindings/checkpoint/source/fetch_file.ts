/** Requests for files, and for parts of files, and what goes wrong with them. */

import { fail } from '../../engine/errors.js';
import type { MissingFile } from './folder.js';

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  /** The bytes from one place on, up to another or to the file's end. A server may send the whole file all the same. */
  readonly range?: { readonly begin: number; readonly end?: number };
  /** Send a part only of a file that is still this one. */
  readonly ifSame?: string;
  /** Whether the browser's own cache stays out of it. */
  readonly isUncached?: boolean;
}

/** @throws TransformerError `missing_file` where nobody answers; the signal's reason. */
export async function fetchFile(url: string, options: FetchOptions = {}): Promise<Response> {
  const { signal, range, ifSame, isUncached } = options;
  const headers: Record<string, string> = {};
  if (range) headers.Range = `bytes=${range.begin}-${range.end === undefined ? '' : range.end - 1}`;
  // To another origin this header would need a permission that servers of files do not give; what comes is compared
  // by whoever asks.
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

/** A page's own server; outside of a browser every server is. */
const isSameOrigin = (url: string) =>
  !globalThis.location || new URL(url).origin === globalThis.location.origin;

/**
 * Why an answer is no file, or `null` for one that is.
 *
 * @throws TransformerError `missing_file` for a server that fails.
 */
export async function whyMissing(response: Response, url: string): Promise<MissingFile | null> {
  const isPage = /^text\/html\b/i.test(response.headers.get('content-type') ?? '');
  if (response.ok && !isPage) return null;
  await response.body?.cancel();
  const status = `${response.status} ${response.statusText}`.trim();
  // Servers of single-page sites answer with their page whatever is asked for.
  if (response.ok)
    return { missing: `${url}: the server answered with an HTML page, so there is no such file` };
  const missing = `${url}: the server answered ${status}`;
  return response.status < 500 ? { missing } : fail('missing_file', missing);
}

/** Bytes of the file, as the server says; `null` for a compressed answer, whose length is another. */
export function announcedSize(response: Response): number | null {
  const length = response.headers.get('content-length');
  return length === null || response.headers.has('content-encoding') ? null : Number(length);
}

/** Bytes of the whole file, as an answer with all or a part of it says; `null` where it does not. */
export function wholeSize(response: Response): number | null {
  if (response.status !== 206) return announcedSize(response);
  const [, total] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  return total === undefined ? null : Number(total);
}

/** What changes when the file does; `null` where the server says nothing of the kind. */
export const versionOf = ({ headers }: Response) => headers.get('etag') ?? headers.get('last-modified');

/** The answer's bytes as they arrive. */
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
    // Ends a download that nobody wants any more. Where the connection broke off, that error is already on its way.
    await reader.cancel().catch(() => undefined);
  }
}
