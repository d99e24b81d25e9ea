/** A server's answer to a request for a file. Every response is checked here against the request. */

import { fail } from '../values/errors.js';
import { type Asked, fetchFile, isSameOrigin, type Place, type Range } from './fetch_file.js';
import { commitOf } from './snapshot.js';
import { discard } from './waits.js';

/** Bytes of the file are on their way. */
export interface Sent {
  readonly kind: 'sent';
  readonly response: Response;
  /** Offset of the first of them. */
  readonly begin: number;
  /** Bytes of the whole file; `null` if the server does not say. */
  readonly total: number | null;
  /** Of the file: its ETag or date; `null` if the server sends neither. */
  readonly version: string | null;
}

/** There are no bytes. */
export interface NotSent {
  /**
   * - `absent`: there is no such file
   * - `changed`: it is not what was asked for: another version, commit or range
   * - `refused`, `unreachable`: nothing was said about the file
   */
  readonly kind: 'absent' | 'changed' | 'refused' | 'unreachable';
  readonly why: string;
  /** Bytes of the whole file, where a range is beyond its end. */
  readonly total?: number | undefined;
}

export type Answer = Sent | NotSent;

/** @throws the signal's reason. */
export async function ask(place: Place, asked: Asked = {}): Promise<Answer> {
  const response = await fetchFile(place, asked);
  if (response instanceof Error)
    return { kind: 'unreachable', why: `${place.url} could not be fetched: ${response.message}` };
  const answer = judge(response, place, asked);
  if (answer.kind !== 'sent') discard(response);
  return answer;
}

function judge(response: Response, place: Place, asked: Asked): Answer {
  const { url, explain, snapshot } = place;
  const { status } = response;
  const isFound = status === 200 || status === 206;
  const explained = isFound ? null : explain?.(response);
  const why = explained ?? `${url}: the server answered ${`${status} ${response.statusText}`.trim()}`;
  const changed = { kind: 'changed', why: `${url} changed on the server while it was being read` } as const;
  if (status === 416 && asked.range) return { ...changed, ...sizeBeyond(response) };
  const isAbsent = (status === 404 || status === 410) && !explained;
  if (!isAbsent && !isFound) return { kind: 'refused', why };
  if (snapshot?.admits(commitOf(response)) === false) return changed;
  if (isAbsent) return { kind: 'absent', why };
  if (isPage(response)) return answeredByPage(response, place, asked);
  return sentBy(response, place, asked) ?? changed;
}

const isPage = ({ headers }: Response) => /^text\/html\b/i.test(headers.get('content-type') ?? '');

/**
 * Servers of single-page applications answer every unknown address with their page. But a hub does not, and what was a
 * file before, or leads elsewhere, is hidden by a page to log in.
 */
function answeredByPage({ redirected }: Response, { url, explain }: Place, { same }: Asked): NotSent {
  const why = `${url}: the server answered with an HTML page`;
  return explain || redirected || same
    ? { kind: 'refused', why: `${why} in place of the file` }
    : { kind: 'absent', why: `${why}, so there is no such file` };
}

/** `null` if the bytes are not those that were asked for. */
function sentBy(response: Response, { url }: Place, { range, same }: Asked): Sent | null {
  const part = response.status === 206 ? partOf(response, range) : { begin: 0, total: sizeOf(response, url) };
  if (!part) return null;
  const version = versionOf(response);
  const { total } = part;
  const isSame = !same || (version === same.version && (total ?? same.total) === (same.total ?? total));
  return isSame ? { kind: 'sent', response, ...part, version } : null;
}

/** The range that a response holds; `null` if it is not stated, or not inside the requested one. */
function partOf({ headers }: Response, range: Range | undefined): Pick<Sent, 'begin' | 'total'> | null {
  const [, from, to, size] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('content-range') ?? '') ?? [];
  // The range of a compressed form is not one of the file.
  if (from === undefined || !range || headers.has('content-encoding')) return null;
  const [begin, last] = [Number(from), Number(to)];
  const total = size === '*' ? null : Number(size);
  const fits =
    begin === range.begin && begin <= last && last < Math.min(range.end ?? Infinity, total ?? Infinity);
  return fits ? { begin, total } : null;
}

/** Size of the file that a response holds; `null` of a compressed one, whose length differs. */
function sizeOf(response: Response, url: string): number | null {
  // Across origins, a page cannot see whether a response is compressed.
  const isPlain = isSameOrigin(url) && !response.headers.has('content-encoding');
  return isPlain ? announcedSize(response) : null;
}

/** The length of the response as sent, perhaps compressed; `null` if it is not stated. */
export function announcedSize({ headers }: Response): number | null {
  const length = headers.get('content-length') ?? '';
  return /^\d+$/.test(length) && !headers.has('content-encoding') ? Number(length) : null;
}

function sizeBeyond({ headers }: Response): { total?: number } {
  const [, total] = /^bytes \*\/(\d+)$/i.exec(headers.get('content-range') ?? '') ?? [];
  return total === undefined ? {} : { total: Number(total) };
}

/** Of a file's compressed forms and the plain one, servers mark the ETags in these ways. */
const markOfForm = /^W\/|[-;]+(?:gzip|br|zstd|deflate)(?="$)/g;

const versionOf = ({ headers }: Response): string | null =>
  headers.get('etag')?.replace(markOfForm, '') ?? headers.get('last-modified');

/** @throws TransformerError `missing_file` if nothing was sent. */
export const expectSent = (answer: Answer): Sent =>
  answer.kind === 'sent' ? answer : fail('missing_file', answer.why);
