/** Waits for somebody else: each one has a limit, and ends with the caller's signal. */

import { onAbort } from '../values/aborts.js';

/** Milliseconds without a byte after which a download counts as broken off. */
export const longestSilence = 60_000;

/** A limit was reached. */
export class Silence extends Error {}

export interface Limit {
  readonly milliseconds: number;
  /** Who is silent, for the message. */
  readonly who: string;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the work may still go on after the signal; default: none. */
  readonly grace?: number | undefined;
}

/** @throws {@link Silence} at the limit; the signal's reason. */
export async function inTime<T>(work: Promise<T>, { milliseconds, who, signal, grace }: Limit): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ignore = () => {};
  const end = new Promise<never>((_, reject) => {
    const silence = new Silence(`${who} did not answer for ${milliseconds / 1000} seconds`);
    timer = setTimeout(() => reject(silence), milliseconds);
    const leave = () => reject(signal?.reason);
    ignore = onAbort(signal, () => {
      if (!grace) return leave();
      clearTimeout(timer);
      timer = setTimeout(leave, grace);
    });
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    ignore();
  }
}

/** What ends the wait for the signal's abort, of answers that are still on their way. */
const onTheirWay = new WeakMap<Response, () => void>();

/** Ends a download that nobody wants. */
export function discard(response: Response | null): void {
  if (!response) return;
  onTheirWay.get(response)?.();
  response.body?.cancel().catch(() => undefined);
}

/**
 * The answer to a request, which is read with {@link piecesInTime} or discarded. A server that accepts the connection
 * and sends nothing is left at the limit; the signal also ends an answer that nobody has read yet.
 *
 * @throws {@link Silence} at the limit; the signal's reason; what `fetch` throws.
 */
export async function fetchInTime(url: string | URL, request: RequestInit, limit: Limit): Promise<Response> {
  const { signal } = limit;
  const leave = new AbortController();
  signal?.throwIfAborted();
  const ignore = onAbort(signal, () => leave.abort(signal?.reason));
  try {
    const response = await inTime(fetch(url, { ...request, signal: leave.signal }), limit);
    onTheirWay.set(response, ignore);
    return response;
  } catch (error) {
    ignore();
    leave.abort();
    throw error;
  }
}

/** A body as it comes, each piece within the limit. A reader that leaves ends the download. */
export async function* piecesInTime(
  response: Response,
  limit: Limit,
): AsyncGenerator<Uint8Array, void, void> {
  if (!response.body) return discard(response);
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), limit);
      if (done) return;
      yield value;
    }
  } finally {
    onTheirWay.get(response)?.();
    // If the connection broke off, that error has already been thrown.
    reader.cancel().catch(() => undefined);
  }
}
