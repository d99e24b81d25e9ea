// The plugin for Vite's development server: threads need two headers on every answer, also on pages that a framework renders.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer } from 'vite';
import transformerWasm from '../../dist/vite.js';

let root;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  await writeFile(join(root, 'index.html'), '<h1>Vite’s own page</h1>');
  await writeFile(join(root, 'main.js'), 'export default 1;');
});
after(() => rm(root, { recursive: true, force: true }));

/** Renders pages as SvelteKit, React Router and Astro do: in a middleware after Vite's own, with `writeHead`. */
const framework = {
  name: 'framework',
  configureServer: (server) => () => {
    server.middlewares.use((request, response, next) =>
      request.url.startsWith('/rendered')
        ? response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>rendered</h1>')
        : next(),
    );
  },
};

async function headersOf(options, path) {
  const config = { root, configFile: false, logLevel: 'silent', cacheDir: join(root, '.vite') };
  const server = await createServer({
    ...config,
    appType: 'custom',
    server: { port: 0, ws: false, hmr: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    plugins: [transformerWasm(options), framework],
  });
  await server.listen();
  try {
    const response = await fetch(`http://localhost:${server.httpServer.address().port}${path}`);
    return [
      response.headers.get('cross-origin-opener-policy'),
      response.headers.get('cross-origin-embedder-policy'),
    ];
  } finally {
    await server.close();
  }
}

for (const path of ['/rendered', '/main.js', '/missing'])
  test(`${path} is isolated`, async () => {
    assert.deepEqual(await headersOf({}, path), ['same-origin', 'require-corp']);
    assert.deepEqual(await headersOf({ isolated: false }, path), [null, null]);
  });

test('what is configured concerns the package alone', () => {
  const { optimizeDeps, ...others } = transformerWasm().config();
  assert.deepEqual(others, {});
  assert.deepEqual(optimizeDeps.exclude, ['transformer-wasm']);
});
