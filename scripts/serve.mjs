// Serves the built page: node scripts/serve.mjs [--port 4173] [--plain]
// (after npm run build, npm run docs and npx vite build --config web/vite.config.mjs; npm start does all of it)
//   --plain   without the headers that threads need, like a server that is not configured for them

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, preview } from 'vite';
import { ExpectedError, runMain, say } from './lib/console.mjs';
import { fingerprint } from './lib/fingerprint.mjs';
import { withLock } from './lib/lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'build/web');

/** Headers that allow a page to share memory between threads. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** The sources of the page, besides the packages. */
const sources = [
  'web',
  'dist',
  'build/api',
  'package-lock.json',
  'scripts/first_readings.mjs',
  'scripts/page_words.mjs',
  'scripts/quantized_model.mjs',
  'scripts/build/third_party.mjs',
  'scripts/notices',
];

/** Builds the page and everything it loads into build/web, unless nothing has changed. */
export async function buildPage() {
  const stampFile = join(root, 'build/web.stamp');
  await withLock(join(root, 'build/web.lock'), async () => {
    const stamp = fingerprint(root, sources);
    const isBuilt = existsSync(stampFile) && existsSync(join(folder, 'index.html'));
    if (isBuilt && readFileSync(stampFile, 'utf8') === stamp) return;
    rmSync(stampFile, { force: true });
    await build({ configFile: join(root, 'web/vite.config.mjs'), logLevel: 'warn' });
    writeFileSync(stampFile, stamp);
  });
}

/** Hosts compress WebAssembly; Vite's server compresses text only. */
const compressedWasm = {
  name: 'compressed-wasm',
  configurePreviewServer({ middlewares }) {
    const compressed = new Map(); // a file's name contains its hash
    middlewares.use((request, response, next) => {
      const file = join(folder, normalize(decodeURI(new URL(request.url, 'http://localhost').pathname)));
      const accepted = /\bgzip\b/.test(request.headers['accept-encoding']);
      if (!file.endsWith('.wasm') || !accepted || !existsSync(file)) return next();
      response.setHeader('Content-Type', 'application/wasm');
      response.setHeader('Content-Encoding', 'gzip');
      if (!compressed.has(file)) compressed.set(file, gzipSync(readFileSync(file)));
      response.end(compressed.get(file));
    });
  },
};

/**
 * Serves the page to this machine only; if the port is taken, on the next free one.
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function servePage({ port = 4173, isolated = true } = {}) {
  if (!existsSync(join(folder, 'index.html'))) {
    throw new ExpectedError('The page is not built yet. Run: npx vite build --config web/vite.config.mjs');
  }
  const server = await preview({
    configFile: false,
    root: join(root, 'web'),
    // A missing file is a 404, not the page.
    appType: 'mpa',
    logLevel: 'warn',
    build: { outDir: folder },
    plugins: [compressedWasm],
    preview: { host: 'localhost', port, headers: isolated ? isolation : {} },
  });
  const url = server.resolvedUrls?.local[0] ?? `http://localhost:${port}/`;
  return { url, close: () => server.close() };
}

async function main() {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '4173' }, plain: { type: 'boolean', default: false } },
  });
  const { url } = await servePage({ port: Number(values.port), isolated: !values.plain });
  say(`Page: ${url}   (Ctrl+C to stop)`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
