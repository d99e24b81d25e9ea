// A minimal static server: serves files unchanged, from a subfolder of the site, without extra headers.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, relative } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};

/**
 * Serves `folder` under the path `base` of a free port.
 * @param others texts in place of files, by their paths in the folder
 */
export async function serveFolder(folder, base, headers = {}, others = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const inside = normalize(decodeURIComponent(pathname.slice(base.length)) || '.');
    const path = join(folder, pathname.endsWith('/') ? join(inside, 'index.html') : inside);
    const isInside = pathname.startsWith(base) && path.startsWith(folder);
    const data = isInside
      ? (others[relative(folder, path)] ?? (await readFile(path).catch(() => null)))
      : null;
    if (!data) return response.writeHead(404).end();
    response
      .writeHead(200, { 'Content-Type': types[extname(path)] ?? 'application/octet-stream', ...headers })
      .end(data);
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${server.address().port}${base}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
