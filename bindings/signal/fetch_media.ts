/** A sound or a picture at an address: fetched whole, but no more of it than can be used, and not for ever. */

import { discard, fetchInTime, type Limit, longestSilence, piecesInTime } from '../files/waits.js';
import { fail, messageOf, TransformerError } from '../values/errors.js';

interface MediaLimits {
  /** The most bytes that the file may have. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a byte, or without an answer, after which the server counts as silent. Default: a minute. */
  readonly silence?: number;
}

/** @throws TransformerError `missing_file`, `invalid_argument` for a file that is too long; the signal's reason. */
export async function fetchMedia(source: string | URL, limits: MediaLimits): Promise<Blob> {
  const { signal, silence = longestSilence } = limits;
  const limit = { milliseconds: silence, who: 'the server', signal };
  let response: Response | null = null;
  try {
    response = await fetchInTime(source, {}, limit);
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`);
    checkLength(source, Number(response.headers.get('content-length') ?? 0), limits);
    return await wholeOf(source, response, limits, limit);
  } catch (error) {
    discard(response);
    signal?.throwIfAborted();
    if (error instanceof TransformerError) throw error;
    return fail('missing_file', `Cannot read ${source}: ${messageOf(error)}`, error);
  }
}

async function wholeOf(
  source: string | URL,
  response: Response,
  limits: MediaLimits,
  limit: Limit,
): Promise<Blob> {
  const parts: Blob[] = [];
  let loaded = 0;
  for await (const piece of piecesInTime(response, limit)) {
    loaded += piece.length;
    checkLength(source, loaded, limits);
    // Bytes that are in a Blob do not count as JavaScript's memory.
    parts.push(new Blob([piece as BlobPart]));
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? '' });
}

function checkLength(source: string | URL, bytes: number, { maxBytes }: MediaLimits): void {
  if (bytes > maxBytes)
    fail('invalid_argument', `${source} is longer than ${maxBytes / 2 ** 20} MiB, the most that can be used`);
}
