// Where the page can be: one file on disk, the built folder on disk, hosts without headers, somebody else's article.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadModel } from 'transformer-wasm';
import { buildSingle, singleFile } from '../../scripts/build_single.mjs';
import { buildPage } from '../../scripts/serve.mjs';
import { serveFolder } from './static_server.mjs';
import { openBrowser, Visitor } from './visitor.mjs';

const built = join(fileURLToPath(new URL('../..', import.meta.url)), 'build/web');
const hungry = 'I am hungry.';

let browser;
let server;

before(async () => {
  await buildPage();
  browser = await openBrowser();
  server = await serveFolder(built, '/in/some/folder/');
});

after(async () => {
  await browser?.close();
  await server?.close();
});

describe('the page as a single file, opened from disk', () => {
  before(async () => {
    const bytes = await buildSingle();
    assert.ok(bytes < 6e6, `${bytes} bytes`);
  });

  /** Opens it without any network; what it asks for is inside. */
  async function open(hash, search = '') {
    const page = await browser.newPage();
    const asked = [];
    await page.context().setOffline(true);
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => asked.push(`${error}`));
    const file = `${pathToFileURL(singleFile)}${search}`;
    await page.goto(file + hash);
    return { page, outside: () => asked.filter((url) => url !== file && !/^(data|blob):/.test(url)) };
  }

  test('translates what the model translates in Node.js, and asks for nothing', async () => {
    const model = await loadModel(join(built, 'models/en-fr'));
    const { text } = await model.translate(hungry);
    await model.dispose();
    const { page, outside } = await open(`#${new URLSearchParams({ s: hungry })}`);
    await page.locator('.facts:not(:empty)').waitFor({ state: 'attached', timeout: 30_000 });
    await page.locator('#stage .french', { hasText: 'faim' }).waitFor();
    const letters = (words) => words.replace(/end$|[^\p{L}]/gu, '');
    assert.equal(letters(await page.innerText('#stage .french')), letters(text));
    assert.equal(await page.locator('a[href^="./"]').count(), 0);
    assert.deepEqual(outside(), []);
    await page.close();
  });

  test('the licences of what is inside are inside too', async () => {
    const { page } = await open('');
    await page.getByText('Licences of what is inside').click();
    const text = await page.innerText('footer details pre');
    for (const part of ['xsimd', 'wasm-feature-detect', 'SIL OPEN FONT LICENSE'])
      assert.ok(text.includes(part), part);
    await page.close();
  });

  test('its views and their models are inside too', async () => {
    const { page, outside } = await open('', '?embed=pictures');
    await page.locator('#pictures .spoken b', { hasText: '3' }).waitFor({ timeout: 30_000 });
    assert.deepEqual(outside(), []);
    await page.close();
  });
});

test('the built folder, opened from disk, is styled and says what to do', async () => {
  const page = await browser.newPage();
  await page.goto(`${pathToFileURL(join(built, 'index.html'))}`);
  assert.match(await page.getByRole('alert').first().innerText(), /opened from disk.*npm run build:single/);
  const font = await page.evaluate(() => getComputedStyle(document.documentElement).fontFamily);
  assert.match(font, /Inter/);
  await page.close();
});

test('opened from disk, it says so in the reader’s language', async () => {
  const page = await browser.newPage({ locale: 'de-DE' });
  await page.goto(`${pathToFileURL(join(built, 'index.html'))}`);
  const notice = page.getByRole('alert').first();
  assert.match(await notice.innerText(), /von der Festplatte geöffnet.*npm run build:single/);
  assert.equal(await notice.getAttribute('lang'), 'de');
  assert.ok(await page.getByText('Change one word.').isVisible());
  await page.close();
});

test('where a server sends no headers, a service worker gives threads to those who ask', async () => {
  const visitor = await Visitor.arrive(browser, `${server.url}?embed=cost`);
  const { page } = visitor;
  const ask = page.getByRole('button', { name: 'Use more threads on this site' });
  await ask.waitFor({ timeout: 30_000 });
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  await Promise.all([page.waitForEvent('load'), ask.click()]);
  await page.waitForFunction(() => crossOriginIsolated);
  await page.getByText(/The engine runs here with \d threads/).waitFor({ timeout: 30_000 });
  await page.locator('#cost').getByText('Details').click();
  const detail = page.getByText(/\d threads for \d+ processors/);
  await detail.waitFor({ timeout: 30_000 });
  // The view is drawn anew; what was opened in it stays open.
  await page.getByRole('button', { name: 'writing one token' }).click();
  await page.locator('#cost .spoken', { hasText: 'writing one token' }).first().waitFor();
  assert.ok(await detail.isVisible());
  assert.equal(await ask.count(), 0);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).unregister());
  await visitor.leave();
});

test('the licences of what is inside are beside the page, its font included', async () => {
  const visitor = await Visitor.arrive(browser, server.url);
  const address = await visitor.page.getAttribute('a[href$="THIRD_PARTY.txt"]', 'href');
  const response = await visitor.page.request.get(new URL(address, server.url).href);
  assert.equal(response.status(), 200);
  const text = await response.text();
  for (const title of ['@fontsource-variable/inter', 'wasm-feature-detect', 'xsimd'])
    assert.ok(text.includes(`=\n${title}`), title);
  assert.match(text, /SIL OPEN FONT LICENSE Version 1\.1/);
  await visitor.leave();
});

test('the models’ cards are pages', async () => {
  for (const [name, heading] of [
    ['en-fr', /English/],
    ['digits', /digits/],
    ['smallest', /smallest/],
  ]) {
    const visitor = await Visitor.arrive(browser, `${server.url}models/${name}/`);
    assert.match(await visitor.text('main'), heading);
    assert.ok((await visitor.page.locator('table').count()) > 0);
    assert.equal((await visitor.text('main')).includes('| ---'), false);
    await visitor.leave();
  }
});

test('the gallery shows each view in a frame, and its snippet keeps what was changed', async (t) => {
  const visitor = await Visitor.arrive(browser, `${server.url}gallery/`);
  const { page } = visitor;
  const frames = await page
    .locator('iframe')
    .evaluateAll((all) => all.map((frame) => frame.getAttribute('src')));
  assert.ok(frames.length > 5);
  for (const view of ['stage', 'attention', 'masks']) assert.ok(frames.includes(`../?embed=${view}`), view);
  const section = page.locator('section', { has: page.locator('iframe[src="../?embed=positions"]') });
  await section.scrollIntoViewIfNeeded();
  const frame = section.frameLocator('iframe');
  await frame.getByRole('button', { name: 'ALiBi' }).click({ timeout: 30_000 });
  await section.locator('code', { hasText: 'positions.scheme=alibi' }).waitFor();
  const snippet = await section.locator('code').innerText();
  assert.match(snippet, /^<iframe src="http[^"]*\?embed=positions#[^"]*positions\.scheme=alibi/);
  assert.match(snippet, /width="100%"/);
  await page.close();
  // In an article on another site, the frame becomes as high as what it shows.
  const article = await serveFolder(built, '/', {}, { 'index.html': `<!doctype html>${snippet}` });
  t.after(() => article.close());
  const reader = await browser.newPage();
  await reader.goto(article.url);
  await reader.waitForFunction(() => document.querySelector('iframe').height !== '760');
  const inside = reader.frames().find((one) => one.url().includes('embed='));
  await inside.locator('#positions .stays').first().waitFor();
  await inside.waitForFunction(() => Math.abs(innerHeight - document.body.scrollHeight) <= 1);
  await reader.close();
});
