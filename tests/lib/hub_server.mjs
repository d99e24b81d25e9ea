// A server that behaves as a model hub does: files under /owner/name/resolve/revision/, large ones behind a redirect to
// another origin, ranges, ETags, and refusals that name their reason in a header. Its faults can be set.

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const listen = async (answer) => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
};

/**
 * What a broken connection has brought, but nobody has read, is lost. For `arrived`, if the client is in this process.
 *
 * @param mock of a test's context
 * @returns resolves when a client that has so many bytes of an answer asks for more
 */
export function watchReads(mock) {
  const { read } = ReadableStreamDefaultReader.prototype;
  const taken = new WeakMap();
  const [asking, waiting] = [new Set(), new Map()];
  mock.method(ReadableStreamDefaultReader.prototype, 'read', async function () {
    const bytes = taken.get(this) ?? 0;
    asking.add(bytes);
    waiting.get(bytes)?.();
    const result = await read.call(this);
    asking.delete(bytes);
    taken.set(this, bytes + (result.value?.length ?? 0));
    return result;
  });
  return (bytes) =>
    new Promise((resolve) => {
      if (asking.has(bytes)) resolve();
      else waiting.set(bytes, resolve);
    });
}

/**
 * @param models `Map` from ids to { files: Map of bytes, revisions?: string[], isGated?, isPrivate?, commit?, version?,
 *   versions?: Map of the files' own versions }
 * @returns the hub's `host`, its `log` of requests, and `faults` to set: `busy` (number of requests that answer 503),
 *   `cutAfter` (bytes of a large file after which the connection breaks, once per entry of `cuts`), `isDown`, `refuse` (`Map`
 *   from names to statuses), `onlyFirst` (nothing but config.json is answered), `arrived` (when so many bytes of an answer
 *   have been read, of which the connection then breaks; default: after a moment)
 */
export async function startHub(models, { token = 'hf_secret' } = {}) {
  const log = [];
  const faults = { busy: 0, cuts: [], isDown: false, retryAfter: null, arrived: null };
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': 'authorization, range',
    'Access-Control-Expose-Headers': 'ETag, X-Error-Code, X-Error-Message, X-Repo-Commit, Content-Range',
  };
  const refuse = (response, status, code) =>
    response.writeHead(status, { ...headers, 'X-Error-Code': code }).end('refused');

  /** Sends a file or the range that was asked for; may break off. */
  const send = (request, response, bytes, version) => {
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const begin = Number(from ?? 0);
    if (begin >= bytes.length) return response.writeHead(416, headers).end();
    const end = to ? Math.min(Number(to) + 1, bytes.length) : bytes.length;
    const isPart = from !== undefined;
    response.writeHead(isPart ? 206 : 200, {
      ...headers,
      'Content-Type': 'application/octet-stream',
      'Accept-Ranges': 'bytes',
      'Content-Length': end - begin,
      ETag: `"${version}"`,
      ...(isPart && { 'Content-Range': `bytes ${begin}-${end - 1}/${bytes.length}` }),
    });
    const isLarge = bytes.length > 5000;
    const cut = isLarge && !to ? faults.cuts.shift() : undefined;
    if (cut === undefined) return response.end(bytes.subarray(begin, end));
    const arrived = faults.arrived ?? (() => sleep(50));
    response.write(bytes.subarray(begin, begin + cut), () => arrived(cut).then(() => response.destroy()));
  };

  const fileOf = (url) => {
    const [, id, revision, name] = /^\/((?:[^/]+\/)?[^/]+)\/resolve\/([^/]+)\/([^/]+)$/.exec(url) ?? [];
    return { id, revision: decodeURIComponent(revision ?? ''), name };
  };
  const entry = (request) => {
    const { authorization, range } = request.headers;
    log.push({ host: request.headers.host, url: request.url, authorization, range });
  };

  // Another origin, which must not see the token.
  const store = await listen((request, response) => {
    if (faults.isDown) return request.socket.destroy();
    entry(request);
    const { id, name } = fileOf(new URL(request.url, 'http://store').pathname);
    const model = models.get(id);
    return send(request, response, model.files.get(name), model.version ?? 'one');
  });
  const storeHost = `http://127.0.0.1:${store.address().port}`;

  const hub = await listen((request, response) => {
    if (faults.isDown) return request.socket.destroy();
    if (request.method === 'OPTIONS') return response.writeHead(204, headers).end();
    entry(request);
    if (faults.busy > 0) {
      faults.busy--;
      const retry = faults.retryAfter === null ? {} : { 'Retry-After': faults.retryAfter };
      return response.writeHead(503, { ...headers, ...retry }).end();
    }
    const { id, revision, name } = fileOf(request.url);
    const model = models.get(id);
    const isKnown = request.headers.authorization === `Bearer ${token}`;
    if (!model || (model.isPrivate && !isKnown)) return refuse(response, isKnown ? 404 : 401, 'RepoNotFound');
    if (model.isGated && !isKnown)
      return refuse(response, request.headers.authorization ? 403 : 401, 'GatedRepo');
    if (faults.onlyFirst && name !== 'config.json') return request.socket.destroy();
    if (model.commit) response.setHeader('X-Repo-Commit', model.commit);
    if (![...(model.revisions ?? ['main']), model.commit].includes(revision))
      return refuse(response, 404, 'RevisionNotFound');
    const status = faults.refuse?.get(name);
    if (status) return response.writeHead(status, headers).end();
    const bytes = model.files.get(name);
    if (!bytes) return refuse(response, 404, 'EntryNotFound');
    if (bytes.length > 5000)
      return response.writeHead(302, { ...headers, Location: `${storeHost}${request.url}` }).end();
    return send(request, response, bytes, model.versions?.get(name) ?? model.version ?? 'one');
  });

  return {
    host: `http://127.0.0.1:${hub.address().port}`,
    storeHost,
    log,
    faults,
    close() {
      for (const server of [hub, store]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
