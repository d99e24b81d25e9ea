/** When a request is worth repeating, and after which pause. */

import { onAbort } from '../values/aborts.js';

/** How often a request that failed for a passing reason is repeated before the failure counts. */
export const defaultRetries = 4;

/** Milliseconds before the first repetition; doubles with each further one. */
const firstPause = 200;
/** A server may ask for a longer pause, but not for one that looks like a hang. */
const longestPause = 30_000;

/** Request timeout, too many requests, and failures of the server or of a proxy before it. */
export const isPassing = ({ status }: Response) => [408, 425, 429, 500, 502, 503, 504].includes(status);

/** Whether the browser knows that it has no network, so that waiting is in vain. */
export const isOffline = () => globalThis.navigator?.onLine === false;

/**
 * Waits before the next attempt: exponential back-off with jitter, so that many pages do not return at once, or as long
 * as the server asks (`Retry-After`).
 *
 * @throws the signal's reason.
 */
export async function pause(attempt: number, response: Response | null, signal?: AbortSignal): Promise<void> {
  const asked = response && secondsOf(response.headers.get('retry-after'));
  const own = firstPause * 2 ** attempt * (0.75 + Math.random() / 2);
  const milliseconds = Math.min(asked === null ? own : asked * 1000, longestPause);
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      ignore();
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    const ignore = onAbort(signal, done);
  });
  signal?.throwIfAborted();
}

/** `Retry-After` in seconds: a number, or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
