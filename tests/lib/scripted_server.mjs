// A server inside the process, in place of `fetch`: a plain folder or a hub whose versions, answers and faults a test scripts.
// It says of every answer what a real server would: lengths, ranges, encodings, ETags by content, commits.

import { createHash } from 'node:crypto';

export const site = 'https://files.example';
export const modelId = 'owner/model';

/** The commit of a version of a hub's model. */
export const commitOf = (version) => `${version}`.repeat(40).slice(0, 40);

export class ScriptedServer {
  /** Index of the version that a plain folder, or the branch of a hub, holds now. */
  current = 0;
  /**
   * What is wrong with the next answers, one entry each; `undefined` for a sound one:
   *
   * - `publish` another version is there from this answer on
   * - `status`, `isDown`, `isPage`: the file is not sent
   * - `cut`, `short`: the connection breaks after as many bytes; or the body ends there, and no length was sent
   * - `isBare`, `isZipped`, `isWhole`, `hasNoRanges`, `isUnnamed`: no length; compressed; ranges are ignored; and refused; no ETag
   * - `shift`, `excess`: a range begins, or ends, so many bytes further on; `range` is another Content-Range, of no shift
   * - `isStuck`: 'headers' or 'body' never come
   */
  script = [];
  log = [];
  #tags = new WeakMap();

  /** @param versions array of `Map`s from names to bytes */
  constructor(versions, { isHub = false } = {}) {
    this.versions = versions;
    this.isHub = isHub;
  }

  /** Answers in place of `fetch` until the returned function is called. */
  start() {
    const before = globalThis.fetch;
    globalThis.fetch = (url, init) => this.#answer(String(url), init ?? {});
    return () => {
      globalThis.fetch = before;
    };
  }

  /** An ETag without its marks: as of a hub's large files, the content's SHA-256. */
  #tagOf(bytes) {
    if (!this.#tags.has(bytes)) this.#tags.set(bytes, createHash('sha256').update(bytes).digest('hex'));
    return this.#tags.get(bytes);
  }

  async #answer(url, { headers = {}, signal }) {
    const fault = this.script.shift() ?? {};
    if (fault.publish !== undefined) this.current = fault.publish;
    this.log.push({ url, range: headers.Range, name: url.split('/').at(-1) });
    signal?.throwIfAborted();
    if (fault.isStuck === 'headers') return new Promise(() => {});
    if (fault.isDown) throw new TypeError('fetch failed');
    const version = this.#versionOf(url);
    const commit = this.isHub && version !== null ? { 'x-repo-commit': commitOf(version) } : {};
    if (fault.status) return new Response(null, { status: fault.status, headers: commit });
    if (fault.isPage) return new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const bytes = this.versions[version]?.get(url.split('/').at(-1));
    if (!bytes) return new Response(null, { status: 404, headers: commit });
    return responseOf(bytes, { tag: this.#tagOf(bytes), commit, fault, asked: headers, signal });
  }

  #versionOf(url) {
    if (!this.isHub) return this.current;
    const revision = url.split('/').at(-2);
    if (revision === 'main') return this.current;
    const version = this.versions.findIndex((_, index) => commitOf(index) === revision);
    return version === -1 ? null : version;
  }
}

function responseOf(bytes, { tag, commit, fault, asked, signal }) {
  const range = fault.isWhole || fault.hasNoRanges ? null : rangeOf(asked, bytes, tag);
  const total = bytes.length;
  // Other bytes under the right name could be told by nobody.
  const shift = fault.range === undefined ? (fault.shift ?? 0) : 0;
  const begin = range ? Math.min(range.begin + shift, total - 1) : 0;
  const end = range ? Math.min(range.end + (fault.excess ?? 0) + shift, total) : total;
  if (range && range.begin >= total)
    return new Response(null, {
      status: 416,
      headers: { ...commit, 'content-range': `bytes */${total}` },
    });
  const isZipped = fault.isZipped && !range;
  const hasLength = !fault.isBare && fault.short === undefined;
  const headers = {
    ...commit,
    ...(!fault.isUnnamed && { etag: `"${tag}${isZipped ? '-gzip' : ''}"` }),
    ...(hasLength && { 'content-length': `${isZipped ? 20 + (total >> 1) : end - begin}` }),
    ...(isZipped && { 'content-encoding': 'gzip' }),
    ...(fault.hasNoRanges && { 'accept-ranges': 'none' }),
    ...(range && { 'content-range': fault.range ?? `bytes ${begin}-${end - 1}/${total}` }),
  };
  const body = bodyOf(bytes.subarray(begin, end), fault, signal);
  return new Response(body, { status: range ? 206 : 200, headers });
}

function rangeOf({ Range: range, 'If-Range': same }, bytes, tag) {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (from === undefined || (same !== undefined && same !== `"${tag}"`)) return null;
  return { begin: Number(from), end: Math.min(to ? Number(to) + 1 : bytes.length, bytes.length) };
}

function bodyOf(bytes, { cut, short, isStuck }, signal) {
  const end = Math.min(cut ?? short ?? bytes.length, bytes.length);
  let sent = 0;
  return new ReadableStream({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
    pull(controller) {
      if (isStuck === 'body') return new Promise(() => {});
      if (sent < end) {
        // A copy, as from a socket, in parts that match no other boundary.
        const part = bytes.slice(sent, Math.min(end, sent + 65_521));
        sent += part.length;
        return controller.enqueue(part);
      }
      if (cut !== undefined && cut < bytes.length) return controller.error(new TypeError('terminated'));
      return controller.close();
    },
  });
}
