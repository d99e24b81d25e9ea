// A page in a Chromium that no inspector is attached to, which would keep every compiled module, with the memory of its process.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumLaunch } from '../../scripts/lib/chromium.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

/** Runs `work` at the end of the page, and sends what it returns or throws. */
const pageOf = (work, ...given) => `<!doctype html><script type="importmap">{ "imports": {
  
  "wasm-feature-detect": "/node_modules/wasm-feature-detect/dist/esm/index.js"
} }</script><script type="module">
const residentBytes = async () => {
  await gc({ execution: 'async' });
  return (await fetch('/resident')).json();
};
const settle = (outcome) => fetch('/settle', { method: 'POST', body: JSON.stringify(outcome) });
await (${work})(residentBytes, ...${JSON.stringify(given)}).then(
  (result) => settle({ result }),
  (error) => settle({ error: String(error.stack) }),
);
</script>`;

function residentBytesOf(folder) {
  const listed = execFileSync('ps', ['-eo', 'rss=,args='], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const renderers = listed
    .split('\n')
    .filter((line) => line.includes('--type=renderer') && line.includes(folder));
  if (renderers.length === 0) throw new Error('Chromium shows no process of a page.');
  return 1024 * renderers.reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
}

/**
 * @param work a function of the page, which gets a function that collects garbage and measures the bytes of the page's process; it
 * imports from the root of this repository, as '/dist/index.js'; `given` follows, as JSON
 */
export async function runUnwatched(work, ...given) {
  const folder = mkdtempSync(join(tmpdir(), 'unwatched-'));
  const { promise, resolve, reject } = Promise.withResolvers?.() ?? resolvers();
  const server = createServer(async (request, response) => {
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    if (request.url === '/')
      return response.setHeader('Content-Type', 'text/html').end(pageOf(work, ...given));
    if (request.url === '/resident') return response.end(`${residentBytesOf(folder)}`);
    if (request.url === '/settle') {
      const { result, error } = JSON.parse((await request.toArray()).join(''));
      if (error === undefined) resolve(result);
      else reject(new Error(error));
      return response.end();
    }
    try {
      const data = readFileSync(join(root, new URL(request.url, 'http://localhost').pathname));
      response.setHeader('Content-Type', types[extname(request.url)] ?? 'application/octet-stream').end(data);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, 'localhost', listening));
  const args = ['--headless', '--js-flags=--expose-gc', `--user-data-dir=${folder}`];
  const address = `http://localhost:${server.address().port}/`;
  const browser = spawn(chromiumLaunch.executablePath, [...chromiumLaunch.args, ...args, address], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  browser.stderr.resume();
  // All of Chromium's processes hold this pipe: once it is closed, none of them writes to the folder.
  const ended = new Promise((closed) => browser.on('close', closed));
  browser.on('error', reject);
  browser.on('exit', (code) => reject(new Error(`Chromium ended with ${code}.`)));
  try {
    return await promise;
  } finally {
    browser.kill();
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

function resolvers() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}
