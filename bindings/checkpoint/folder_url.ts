/** A folder on a server: one plain GET a file, read as it arrives. */

import { fail } from '../engine/errors.js';
import type { Folder, OpenFile } from './folder.js';

/** @param address of the folder; in a page it may be relative to the page. What follows a `?` goes with every file. */
export function folderOfUrl(address: string): Folder {
  const base = parse(address);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return {
    name: base.href,
    async open(name, signal) {
      const url = new URL(encodeURIComponent(name), base);
      url.search = base.search;
      const response = await get(url.href, signal);
      if (response.status >= 400 && response.status < 500) {
        await response.body?.cancel();
        return { missing: `${url}: the server answered ${status(response)}` };
      }
      if (!response.ok) {
        await response.body?.cancel();
        fail('missing_file', `${url}: the server answered ${status(response)}`);
      }
      // Servers of single-page sites answer with their page whatever is asked for.
      if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
        await response.body?.cancel();
        return { missing: `${url}: the server answered with an HTML page, so there is no such file` };
      }
      return fileOfResponse(response, url.href, signal);
    },
  };
}

function parse(address: string): URL {
  // Of a page, of a worker, or nothing to be relative to.
  const here = globalThis.document?.baseURI ?? globalThis.location?.href;
  try {
    return new URL(address, here);
  } catch {
    return fail('invalid_argument', `'${address}' is not the address of a folder`);
  }
}

async function get(url: string, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    const { message, cause } = error as Error;
    return fail(
      'missing_file',
      `${url} cannot be fetched: ${cause instanceof Error ? cause.message : message}`,
    );
  }
}

function fileOfResponse(response: Response, url: string, signal?: AbortSignal): OpenFile {
  const length = response.headers.get('content-length');
  return {
    // An answer from another origin may be compressed without showing it.
    size: null,
    announcedSize: length === null || response.headers.has('content-encoding') ? null : Number(length),
    async *bytes() {
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
        await reader.cancel().catch(ignore);
      }
    },
    close: async () => {
      await response.body?.cancel();
    },
  };
}

const ignore = () => undefined;
const status = (response: Response) => `${response.status} ${response.statusText}`.trim();
