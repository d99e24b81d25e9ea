// The browser's download cache: requested once, resumed where a download broke off, restarted if the file has changed.
// The pages are real; the server is ours, counts requests, and can fail at any byte.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { chromiumLaunch } from '../../../scripts/lib/chromium.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../../lib/tiny_model.mjs';
import { writeTorch } from '../../lib/torch_save.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};
const pageText = readFileSync(fileURLToPath(new URL('page.html', import.meta.url)));

// The weights span several pieces (of four megabytes each), because of the model's many positions.
const config = { positions: 'learned', max_length: 106_250 };
const table = { shape: [106_250, 16], data: new Float32Array(106_250 * 16) };
const tables = { 'src_positions.weight': table, 'tgt_positions.weight': table };
const tensors = new Map([...Object.entries(tables), ...tinyTensors(tinyConfig)]);
const weights = 'model.safetensors';

/** The server's state and behaviour. */
interface Site {
  files: Map<string, Uint8Array>;
  version: string;
  /** The connection is closed after this many bytes of the weights. */
  cutAfter: number;
  knowsRanges: boolean;
  saysVersion: boolean;
  isDown: boolean;
  /** Requests for the model's files: name, range, bytes sent. */
  log: { name: string; range: string; ifRange: string; bytes: number }[];
}

let site: Site;
let server: Server;
let browser: Browser;
let context: BrowserContext;

function answer(request: IncomingMessage, response: ServerResponse): unknown {
  const path = new URL(request.url ?? '', 'http://localhost').pathname;
  if (path.startsWith('/model/')) return answerModel(path.slice('/model/'.length), request, response);
  response.setHeader('Content-Type', types[extname(path)] ?? 'text/html');
  if (path === '/') return response.end(pageText);
  try {
    response.end(readFileSync(join(root, normalize(path))));
  } catch {
    response.writeHead(404).end();
  }
}

function answerModel(name: string, request: IncomingMessage, response: ServerResponse): unknown {
  if (site.isDown) return request.socket.destroy();
  const file = site.files.get(name);
  if (!file) return response.writeHead(404).end();
  const { range = '', 'if-range': ifRange = '' } = request.headers;
  const entry = { name, range, ifRange: String(ifRange), bytes: 0 };
  site.log.push(entry);
  const tag = `"${site.version}"`;
  if (site.saysVersion) response.setHeader('ETag', tag);
  const [, from, last] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  const isPart = from !== undefined && site.knowsRanges && (ifRange === '' || ifRange === tag);
  const begin = isPart ? Number(from) : 0;
  if (begin >= file.length) return response.writeHead(416).end();
  const whole = isPart && last ? Math.min(Number(last) + 1, file.length) : file.length;
  response.writeHead(isPart ? 206 : 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': whole - begin,
    ...(isPart && { 'Content-Range': `bytes ${begin}-${whole - 1}/${file.length}` }),
  });
  const isCut = name !== 'config.json' && file.length > site.cutAfter;
  const end = isCut ? Math.max(begin, site.cutAfter) : whole;
  entry.bytes = end - begin;
  response.write(file.subarray(begin, end), () => {
    // Gives the sent bytes a moment to arrive.
    if (isCut) setTimeout(() => response.destroy(), 200);
    else response.end();
  });
}

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  browser = await chromium.launch(chromiumLaunch);
});
afterAll(async () => {
  await browser.close();
  server.close();
  server.closeAllConnections();
});

beforeEach(async () => {
  site = {
    files: tinyModel({ config, tensors }),
    version: 'one',
    cutAfter: Number.POSITIVE_INFINITY,
    knowsRanges: true,
    saysVersion: true,
    isDown: false,
    log: [],
  };
  context = await browser.newContext();
});
afterEach(() => context.close());

declare global {
  /** What the page reports. */
  function loadAndTranslate(options: { abortAt?: number; as?: 'int8'; persist?: boolean }): Promise<Loaded>;
}

interface Loaded {
  text?: string;
  error?: string;
  notes?: string[];
  /** Bytes of the weights, from the last progress event. */
  loaded: number;
  total: number | null;
}

/** Loads and translates in a new page of the same browser; with `abortAt`, aborts once that many bytes are loaded. */
async function load(
  options: { abortAt?: number; as?: 'int8'; persist?: boolean; before?: string } = {},
): Promise<Loaded> {
  site.log = [];
  const page = await openPage();
  try {
    if (options.before) await page.evaluate(options.before);
    const { before: _, ...asked } = options;
    return await page.evaluate((given) => globalThis.loadAndTranslate(given), asked);
  } finally {
    await page.close();
  }
}

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return page;
}

const size = () => site.files.get(weights)?.length ?? 0;
const sent = () => site.log.reduce((sum, { bytes }) => sum + bytes, 0);
const ofWeights = () => site.log.filter(({ name }) => name === weights);

/** A complete first load; returns the model's translation. */
async function loadFirst(): Promise<string> {
  const { text, notes, loaded, total } = await load();
  expect(text).toBeTruthy();
  expect(notes).toEqual([]);
  expect([loaded, total]).toEqual([size(), size()]);
  expect(ofWeights()).toEqual([{ name: weights, range: '', ifRange: '', bytes: size() }]);
  return text ?? '';
}

test('a cached file is not downloaded again', async () => {
  const text = await loadFirst();
  const again = await load();
  expect(again).toEqual({ text, notes: [], loaded: size(), total: size() });
  // One byte per file, to see whether it has changed.
  expect(site.log.every(({ range, bytes }) => range !== '' && bytes === 1)).toBe(true);
  expect(ofWeights()).toHaveLength(1);

  // What the page tells of it, until it is forgotten.
  const page = await openPage();
  const told = await page.evaluate<Told>(`(async () => {
    const { describe, forget, stored } = globalThis.package;
    const { cached, room, files } = await describe('/model');
    const [kept, ...others] = await stored();
    const bytes = await forget('/model');
    return { cached, room, files, kept, others, bytes, left: await stored(), after: (await describe('/model')).cached };
  })()`);
  await page.close();
  expect(told).toMatchObject({ cached: true, others: [], left: [], after: false, bytes: told.kept.bytes });
  expect(told.kept.source).toMatch(/^http:.*\/model\/$/);
  expect(told.files.find(({ name }) => name === weights)).toEqual({
    name: weights,
    bytes: size(),
    cached: size(),
  });
  expect(told.bytes).toBeGreaterThan(size());
  expect(told.room).toBeGreaterThan(size());
});

interface Told {
  cached: boolean;
  room: number;
  files: { name: string; bytes: number; cached: number }[];
  kept: { source: string; bytes: number };
  bytes: number;
}

test('the cache suffices when the server is offline', async () => {
  const text = await loadFirst();
  site.isDown = true;
  expect(await load()).toMatchObject({ text, notes: [] });
  const page = await openPage();
  await page.evaluate(() => caches.delete('transformer-wasm'));
  await page.close();
  expect((await load()).error).toMatch(/^missing_file: .*config\.json could not be fetched/);
});

test('an interrupted download resumes', async () => {
  site.cutAfter = 9_000_000;
  expect((await load()).error).toMatch(/^missing_file: .*model\.safetensors: the connection broke off/);
  site.cutAfter = Number.POSITIVE_INFINITY;
  const { text, loaded, total } = await load();
  expect(text).toBeTruthy();
  expect([loaded, total]).toEqual([size(), size()]);
  const [rest, ...more] = ofWeights();
  expect(more).toEqual([]);
  expect(rest).toMatchObject({ ifRange: '"one"', bytes: size() - 9_000_000, range: 'bytes=9000000-' });
  expect(await load()).toMatchObject({ text });
  expect(ofWeights().map(({ bytes }) => bytes)).toEqual([1]);
});

test('an aborted download resumes too, any number of times', async () => {
  const begins: number[] = [];
  for (const abortAt of [3_000_000, 6_000_000, 10_000_000, undefined]) {
    const { error, text } = await load(abortAt ? { abortAt } : {});
    if (abortAt) expect(error).toMatch('enough');
    else expect(text).toBeTruthy();
    begins.push(Number(/=(\d+)-$/.exec(ofWeights()[0]?.range ?? '')?.[1] ?? 0));
  }
  const [first, second, third, last] = begins as [number, number, number, number];
  expect(first).toBe(0);
  expect(second).toBeGreaterThanOrEqual(3_000_000);
  expect(third).toBeGreaterThanOrEqual(Math.max(6_000_000, second));
  expect(last).toBeGreaterThanOrEqual(Math.max(10_000_000, third));
  expect(last).toBeLessThan(size());
});

test('a file that has changed is downloaded anew, after a complete or interrupted download', async () => {
  const text = await loadFirst();
  site.version = 'two';
  site.files = tinyModel({ config, tensors: new Map([...tensors, ...tinyTensors(tinyConfig, 5)]) });
  const changed = await load();
  expect(changed.text).not.toBe(text);
  expect(ofWeights().map(({ bytes }) => bytes)).toEqual([size(), size()]);
  site.version = 'three';
  site.cutAfter = 5_000_000;
  expect((await load()).error).toMatch('broke off');
  site.version = 'four';
  site.files = tinyModel({ config, tensors });
  site.cutAfter = Number.POSITIVE_INFINITY;
  expect((await load()).text).toBe(text);
});

test('without range support, the whole file is requested again', async () => {
  site.knowsRanges = false;
  site.cutAfter = 9_000_000;
  expect((await load()).error).toMatch('broke off');
  site.cutAfter = Number.POSITIVE_INFINITY;
  expect((await load()).text).toBeTruthy();
  expect(ofWeights().at(-1)?.bytes).toBe(size());
  expect((await load()).text).toBeTruthy();
});

test('a truncated piece and everything after it are downloaded again', async () => {
  const text = await loadFirst();
  const page = await openPage();
  await page.evaluate(async () => {
    const store = await caches.open('transformer-wasm');
    const key = new URL('/model/model.safetensors?transformer-wasm-piece=1', location.href).href;
    const { headers } = (await store.match(key)) as Response;
    await store.put(key, new Response(new Uint8Array(1000), { headers }));
  });
  await page.close();
  expect((await load()).text).toBe(text);
  expect(ofWeights().at(-1)?.range).toBe(`bytes=${4 << 20}-`);
  expect(await load()).toMatchObject({ text });
  expect(sent()).toBeLessThan(100);
});

test('a cached file that ends too early is downloaded again', async () => {
  const text = await loadFirst();
  const page = await openPage();
  await page.evaluate(async () => {
    const store = await caches.open('transformer-wasm');
    const key = new URL('/model/model.safetensors?transformer-wasm-piece=1', location.href).href;
    const piece = (await store.match(key)) as Response;
    // A record that holds in itself: only the server can tell that the file goes on.
    const described = JSON.parse(decodeURIComponent(piece.headers.get('x-piece') ?? ''));
    if (described.isLast !== false) throw new Error('The second piece is the last one.');
    const record = encodeURIComponent(JSON.stringify({ ...described, isLast: true }));
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(record)));
    const check = Array.from(sum, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const headers = { 'x-piece': record, 'x-check': check };
    await store.put(key, new Response(await piece.arrayBuffer(), { headers }));
  });
  await page.close();
  expect(await load()).toMatchObject({ text });
  expect(ofWeights().map(({ bytes }) => bytes)).toEqual([size() - (8 << 20) + 1, size()]);
  expect(await load()).toMatchObject({ text });
  expect(sent()).toBeLessThan(100);
});

test('a torch.save file is cached, and read from the middle', async () => {
  const text = await loadFirst();
  site.files.delete(weights);
  site.files.set('pytorch_model.bin', writeTorch(tensors));
  const bytes = site.files.get('pytorch_model.bin')?.length;
  expect(await load()).toMatchObject({ text, notes: [], loaded: bytes, total: bytes });
  expect(await load()).toMatchObject({ text });
  expect(sent()).toBeLessThan(100);
  site.saysVersion = false;
  await context.close();
  context = await browser.newContext();
  expect(await load()).toMatchObject({ text });
});

test('without storage, the model still loads and a note explains why', async () => {
  site.saysVersion = false;
  const unversioned = await load();
  expect(unversioned.text).toBeTruthy();
  expect(unversioned.notes?.join()).toMatch(
    /model\.safetensors is not cached: .* neither an ETag nor a date/,
  );
  site.saysVersion = true;
  const noStore = await load({ before: 'Object.defineProperty(globalThis, "caches", { value: undefined })' });
  expect(noStore.text).toBe(unversioned.text);
  expect(noStore.notes?.join()).toMatch(/Cache Storage is unavailable/);
  const full = 'Cache.prototype.put = () => Promise.reject(new DOMException("quota", "QuotaExceededError"))';
  const noRoom = await load({ before: full });
  expect(noRoom.text).toBe(unversioned.text);
  expect(noRoom.notes?.join()).toMatch(
    /could not be cached: quota; the browser gives this origin \d\S* [MG]B, of which \d\S* MB are used/,
  );
});

test('asks the browser to keep what is kept, and says where it does not promise', async () => {
  const persist = (answer: string) => `
    Object.defineProperty(StorageManager.prototype, 'persisted', { value: async () => false });
    Object.defineProperty(StorageManager.prototype, 'persist', { value: async () => ${answer} });`;
  const granted = await load({ persist: true, before: persist('true') });
  expect(granted.text).toBeTruthy();
  expect(granted.notes?.join()).not.toMatch(/may delete/);
  const refused = await load({ persist: true, before: persist('false') });
  expect(refused.text).toBe(granted.text);
  expect(refused.notes?.join()).toMatch(/may delete cached downloads .* did not grant/);
  const unasked = await load({ before: persist('(globalThis.wasAsked = true)') });
  expect(unasked.notes?.join()).not.toMatch(/may delete/);
});

test('in 8 bits, the quantised form is kept in place of the download', async () => {
  const first = await load({ as: 'int8' });
  expect(first.text).toBeTruthy();
  expect([first.loaded, first.total]).toEqual([size(), size()]);
  const page = await openPage();
  const kept = await page.evaluate(async () => {
    const keys = await (await caches.open('transformer-wasm')).keys();
    // What the server last said of the file stays.
    return keys
      .map(({ url }) => url)
      .filter((url) => url.includes('model.safetensors') && !url.endsWith('-piece=seen'));
  });
  await page.close();
  expect(kept.length).toBeGreaterThan(2);
  expect(kept.every((url) => url.includes('transformer-wasm-derived'))).toBe(true);
  expect((await load({ as: 'int8' })).text).toBe(first.text);
  expect(ofWeights().map(({ bytes }) => bytes)).toEqual([1]);
  site.isDown = true;
  expect((await load({ as: 'int8' })).text).toBe(first.text);
});
