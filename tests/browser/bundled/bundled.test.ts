// A bundled page contains every file that the engine needs, under whatever name, and runs under a strict content security
// policy.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as buildByEsbuild } from 'esbuild';
import { type Browser, chromium } from 'playwright';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromiumLaunch } from '../../../scripts/lib/chromium.mjs';

const page = fileURLToPath(new URL('page', import.meta.url));
const wasm = fileURLToPath(new URL('../../../dist/wasm', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

const folders: string[] = [];
let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch(chromiumLaunch);
});
afterAll(async () => {
  await browser.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** In the checkout's build folder, which git ignores. */
function makeFolder(): string {
  const folder = mkdtempSync(join(fileURLToPath(new URL('../../../build/', import.meta.url)), 'bundled-'));
  folders.push(folder);
  return folder;
}

/** Serves a folder with strict security headers. */
function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '').replace(/\?.*/, '');
    response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream');
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'",
    );
    try {
      response.end(readFileSync(join(folder, path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** The page's result: JSON in its title. */
async function open(folder: string): Promise<unknown> {
  const server = await serve(folder);
  const tab = await browser.newPage();
  try {
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await tab.waitForFunction(() => /^["[]/.test(document.title), undefined, { timeout: 20_000 });
    return JSON.parse(await tab.title());
  } finally {
    await tab.close();
    server.close();
  }
}

const inWorker = { variant: 'relaxed-threads', threads: 2, row: [0.5, 0.5], worker: true };
const inPage = { variant: 'relaxed', threads: 1, row: [0.5, 0.5], worker: false };

test('a page bundled by Vite', async () => {
  const outDir = makeFolder();
  await build({
    root: page,
    configFile: false,
    logLevel: 'silent',
    build: { outDir, emptyOutDir: true, target: 'es2022' },
  });
  const names = readdirSync(join(outDir, 'assets'));
  for (const variant of ['simd', 'relaxed', 'simd-threads', 'relaxed-threads']) {
    for (const extension of ['mjs', 'wasm']) {
      const file = new RegExp(`^transformer-${variant}-[\\w-]{8}\\.${extension}$`);
      expect(names.filter((name) => file.test(name))).toHaveLength(1);
    }
  }
  expect(names.filter((name) => name.startsWith('worker'))).toHaveLength(1);
  expect(await open(outDir)).toEqual([inWorker, inPage]);
});

test("a page bundled by esbuild, with the engine's files copied next to it", async () => {
  const outdir = makeFolder();
  // esbuild does not change URLs: the engine's files are one folder up.
  await buildByEsbuild({
    entryPoints: { 'engine/main': join(page, 'main.ts') },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    outdir,
    external: ['node:*'],
  });
  cpSync(wasm, join(outdir, 'wasm'), { recursive: true });
  const html = readFileSync(join(page, 'index.html'), 'utf8').replace('./main.ts', './engine/main.js');
  writeFileSync(join(outdir, 'index.html'), html);
  expect(await open(outdir)).toEqual([inWorker, inPage]);
});
