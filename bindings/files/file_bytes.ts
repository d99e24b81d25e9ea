/** The bytes of a file as a server sends them. Where they break off, the rest of the same version is requested. */

import { fail, messageOf } from '../values/errors.js';
import { ask, expectSent, type Sent } from './answer.js';
import type { Place, Range } from './fetch_file.js';
import { defaultRetries, isOffline, pause } from './retries.js';
import { discard, longestSilence, piecesInTime } from './waits.js';

/**
 * The failure counts once several requests in a row bring nothing, or if the server does not tell versions apart.
 *
 * @param first the answer with the range's beginning, not read yet
 * @param isWhole see `OpenFile.bytes`
 * @returns whether it is certain that the file ends where the bytes do
 * @throws TransformerError `missing_file`; the signal's reason.
 */
export async function* fileBytes(
  first: Sent,
  place: Place,
  range: Range = { begin: 0 },
  isWhole?: () => boolean,
): AsyncGenerator<Uint8Array, boolean, void> {
  const { url, signal, retries = defaultRetries } = place;
  let position = range.begin;
  let end = range.end ?? first.total;
  let answer = first;
  for (let failures = 0; ; ) {
    let broken: unknown = new Error('it ended too early');
    try {
      for await (const piece of within(answer, { begin: position, end: end ?? Infinity }, signal)) {
        failures = 0;
        position += piece.length;
        yield piece;
      }
      // A stated length, if only of the compressed form, has been checked by `fetch`.
      if (end === null && (answer.response.headers.has('content-length') || isWhole?.())) return true;
      end ??= await sizeAtEnd(first, place, position);
      if (end === null) return false;
      if (position === end) return true;
    } catch (error) {
      signal?.throwIfAborted();
      broken = error;
    }
    if (first.version === null || failures === retries || isOffline())
      fail('missing_file', `${url}: the connection broke off: ${messageOf(broken)}`);
    await pause(failures++, null, signal);
    answer = await askSame(first, place, { ...range, begin: position });
  }
}

/**
 * Asks for a range of a version; the answer may be the whole file.
 *
 * @throws TransformerError `missing_file` if the file has another version now.
 */
export async function askSame(
  same: Pick<Sent, 'version' | 'total'>,
  place: Place,
  range: Range,
): Promise<Sent> {
  const answer = await ask(place, { range, same, isUncached: true });
  // Without a range, the same version may come in a form that cannot be sent in parts.
  return expectSent(answer.kind === 'changed' ? await ask(place, { same, isUncached: true }) : answer);
}

/**
 * The size of a file of which `position` bytes came without it; `null` if the server does not tell it at all.
 *
 * @throws TransformerError `missing_file`
 */
export async function sizeAtEnd(same: Sent, place: Place, position: number): Promise<number | null> {
  const range = { begin: Math.max(0, position - 1) };
  const answer = await ask(place, { range, same, isUncached: true });
  if (answer.kind === 'changed' && answer.total === position) return position;
  const { response, total } = expectSent(answer);
  discard(response);
  if (total !== null && total < position)
    fail('missing_file', `${place.url} became shorter while it was read`);
  return total;
}

/** The part of a response's bytes that is in a range of the file. */
async function* within(
  { response, begin: first }: Sent,
  { begin, end }: Required<Range> & { end: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  let place = first;
  const limit = { milliseconds: longestSilence, who: 'the server', signal };
  for await (const piece of piecesInTime(response, limit)) {
    const part = piece.subarray(Math.max(0, begin - place), Math.max(0, end - place));
    place += piece.length;
    if (part.length > 0) yield part;
    if (place >= end) return;
  }
}
