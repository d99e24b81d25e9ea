// The examples, as they stand, with the released package: the tarball, installed beside them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright';
import { build } from 'vite';
import { chromiumLaunch } from '../../scripts/lib/chromium.mjs';
import { installPackage } from '../lib/installed_package.mjs';
import { readSpeechCase, tones, wav } from '../lib/speech.mjs';
import { serveFolder } from '../page/static_server.mjs';
import { openBrowser } from '../page/visitor.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const execute = promisify(execFile);

let installed;
let home;
let browser;
const servers = [];

before(async () => {
  installed = await installPackage();
  home = installed.app;
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  for (const server of servers) await server.close();
  await installed?.remove();
});

/** Puts an example beside node_modules and serves it. */
async function serve(name) {
  await cp(join(root, 'web/examples', name), home, { recursive: true });
  const server = await serveFolder(home, '/');
  servers.push(server);
  return server;
}

async function open(context, url) {
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints };
}

/** A page that sees what it would see from a microphone: the samples of a WAV file, again and again. */
const withMicrophone = (path) =>
  chromium.launch({
    ...chromiumLaunch,
    args: [
      ...chromiumLaunch.args,
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${path}`,
      '--autoplay-policy=no-user-gesture-required',
    ],
  });

/** Types a text, and returns the translation once the button is free again. */
async function translate(page, text) {
  await page.waitForSelector('button:enabled', { timeout: 30_000 });
  await page.fill('input', text);
  await page.click('button');
  await page.waitForFunction(
    () => document.querySelector('p').textContent !== '' && !document.querySelector('button').disabled,
    null,
    { timeout: 30_000 },
  );
  return page.textContent('p');
}

test('node: a script', async () => {
  await cp(join(root, 'web/examples/node/translate.mjs'), join(home, 'translate.mjs'));
  const { stdout, stderr } = await execute(process.execPath, ['translate.mjs', 'I am hungry.'], {
    cwd: home,
    timeout: 30_000,
  });
  assert.deepEqual([stdout, stderr], ["J'ai faim.\n", '']);
});

test('node: opened by a click, it installs one package and starts', async () => {
  // In a folder of its own below the one that has the package.
  const folder = join(home, 'opened');
  await cp(join(root, 'web/examples/node'), folder, { recursive: true });
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { version, repository } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  assert.deepEqual(dependencies, { 'transformer-wasm': `^${version}` });
  const { stdout } = await execute('npm', ['start', '--silent'], { cwd: folder, timeout: 30_000 });
  assert.equal(stdout, "Le chat s'est assis sur le tapis.\nJ'ai faim.\n");
  const [, place] = /github\.com\/([^/]+\/[^/]+)\.git$/.exec(repository.url);
  const address = `https://stackblitz.com/github/${place}/tree/main/web/examples/node`;
  for (const text of ['README.md', 'web/examples/README.md', 'web/docs/bundlers.md'])
    assert.ok((await readFile(join(root, text), 'utf8')).includes(address), text);
});

test('page: without a build step', async () => {
  const { url } = await serve('page');
  const { page, complaints } = await open(browser, url);
  assert.equal(await translate(page, 'I am hungry.'), "J'ai faim.");
  assert.deepEqual(complaints, []);
  await page.close();
});

describe('attention-map', () => {
  test('is small', async () => {
    const source = await readFile(join(root, 'web/examples/attention-map/attention-map.js'));
    assert.ok(source.length <= 10_000, `${source.length} bytes`);
    assert.ok(gzipSync(source).length < 3000);
  });

  test('draws the weights, follows its attributes, and says what is wrong', async () => {
    const { url } = await serve('attention-map');
    const { page, complaints } = await open(browser, url);
    const map = page.locator('attention-map');
    const shape = async () => {
      await map.locator('tbody tr').first().waitFor({ timeout: 30_000 });
      return [await map.locator('tbody tr').count(), await map.locator('thead th').count()];
    };
    const [rows, columns] = await shape();
    assert.ok(rows > 5 && columns > 5);
    assert.equal((await map.locator('td.most').count()) >= rows, true);
    const first = await map.locator('tbody td').nth(1).getAttribute('title');
    assert.match(first, / → .*: \d+\.\d %$/);
    const change = (name, value) =>
      map.evaluate(
        (one, [attribute, text]) => {
          const done = new Promise((resolve) => {
            one.addEventListener('ready', resolve, { once: true });
            one.addEventListener('error', resolve, { once: true });
          });
          one.setAttribute(attribute, text);
          return done.then(() => one.shadowRoot.textContent);
        },
        [name, value],
      );
    await change('kind', 'encoder');
    assert.deepEqual(await shape(), [columns, columns]);
    assert.match(await change('head', '99'), /head must be from 1 to \d+, got '99'/);
    assert.match(await change('kind', 'middle'), /kind must be one of cross, encoder, decoder, got 'middle'/);
    assert.deepEqual(complaints, []);
    await page.close();
  });
});

test('offline: a translator that works without a network after the first visit', async () => {
  const server = await serve('offline');
  const context = await browser.newContext();
  const online = await open(context, server.url);
  const translation = await translate(online.page, 'I am hungry.');
  assert.equal(translation, "J'ai faim.");
  await online.page.close();
  await server.close();
  servers.pop();
  await assert.rejects(fetch(server.url));
  const offline = await open(context, server.url);
  assert.equal(await translate(offline.page, 'I am hungry.'), translation);
  assert.deepEqual(offline.complaints, []);
  await context.close();
});

test('documents: dropped and chosen', async () => {
  const { url } = await serve('documents');
  const { page, complaints } = await open(browser, url);
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['# The cat is **hungry**.\n\n`The dog`\n'], 'notes.md'));
    return data;
  });
  await page.dispatchEvent('label', 'drop', { dataTransfer: dropped });
  await page.waitForSelector('a:not([hidden])', { timeout: 30_000 });
  assert.equal(await page.textContent('pre'), '# Le chat a **faim**.\n\n`The dog`\n');
  assert.equal(await page.getAttribute('a', 'download'), 'notes.md');
  const cue = '1\n00:00:01,000 --> 00:00:02,000\n';
  const buffer = Buffer.from(`${cue}I am happy.\n`);
  await page.setInputFiles('input', { name: 'talk.srt', mimeType: 'text/plain', buffer });
  await page.waitForFunction(() => document.querySelector('pre').textContent.includes('Je'), null, {
    timeout: 30_000,
  });
  assert.equal(await page.textContent('pre'), `${cue}Je suis heureux.\n`);
  await page.setInputFiles('input', { name: 'a.pdf', mimeType: 'application/pdf', buffer });
  await page.waitForFunction(() => /of no kind/.test(document.querySelector('[role=status]').textContent));
  const latin = Buffer.from('The caf\xe9.\n', 'latin1');
  await page.setInputFiles('input', { name: 'old.txt', mimeType: 'text/plain', buffer: latin });
  await page.waitForFunction(() =>
    /not text in UTF-8/.test(document.querySelector('[role=status]').textContent),
  );
  assert.deepEqual(complaints, []);
  await page.close();
});

test('extension: translates the page in front of one, follows it, and brings it back', async () => {
  const extension = join(home, 'extension');
  await cp(join(root, 'web/examples/extension'), extension, { recursive: true });
  const installed = 'node_modules/transformer-wasm';
  await cp(join(home, installed), join(extension, installed), { recursive: true });
  // A test cannot click on the button, which gives the right to the page: it is given for this one.
  const manifest = JSON.parse(await readFile(join(extension, 'manifest.json'), 'utf8'));
  const allowed = { ...manifest, host_permissions: ['http://*/*'] };
  await writeFile(join(extension, 'manifest.json'), JSON.stringify(allowed));
  const folder = join(home, 'page-to-translate');
  await mkdir(folder);
  const html =
    '<p>The <b>black</b> cat is <a href="#x">hungry</a>.</p><p title="I am happy.">I am happy.</p>';
  await writeFile(join(folder, 'index.html'), `<!doctype html><meta charset="utf-8"><body>${html}</body>`);
  const server = await serveFolder(folder, '/');
  servers.push(server);
  const args = [`--disable-extensions-except=${extension}`, `--load-extension=${extension}`];
  const context = await chromium.launchPersistentContext(join(home, 'profile'), {
    ...chromiumLaunch,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [...chromiumLaunch.args, ...args],
  });
  try {
    const page = await context.newPage();
    await page.goto(server.url);
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    const click = () =>
      worker.evaluate(async (url) => {
        const [tab] = await chrome.tabs.query({ url: `${url}*` });
        chrome.action.onClicked.dispatch(tab);
      }, server.url);
    const shows = (text) =>
      page.waitForFunction((wanted) => document.body.innerHTML.includes(wanted), text, { timeout: 60_000 });
    await click();
    await shows('<p>Le chat <b>noir</b> a <a href="#x">faim</a>.</p>');
    await shows('<p title="Je suis heureux.">Je suis heureux.</p>');
    assert.equal(await page.getAttribute('body', 'lang'), 'fr');
    await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<p>The dog is tired.</p>'));
    await shows('<p>Le chien est fatigué.</p>');
    await click();
    await shows(`${html}<p>The dog is tired.</p>`);
  } finally {
    await context.close();
  }
});

test('microphone: writes down what it hears, marks words, and replays them', async () => {
  const speech = readSpeechCase('whisper_e2e');
  const folder = join(home, 'whisper');
  await mkdir(folder);
  for (const [name, bytes] of speech.files()) await writeFile(join(folder, name), bytes);
  const path = join(home, 'spoken.wav');
  const kind = { format: 1, bits: 16 };
  const spoken = wav(tones(speech.about.signals[0]), kind, (view, at, x) =>
    view.setInt16(at, x * 32767, true),
  );
  await writeFile(path, spoken);
  const listening = await withMicrophone(path);
  try {
    const { url } = await serve('microphone');
    const { page, complaints } = await open(listening, `${url}?model=./whisper`);
    const words = () => page.locator('#captions > *').allTextContents();
    await page.click('#record:enabled', { timeout: 30_000 });
    // More than a window of this model, which has three seconds: some words are kept, others may still change.
    await page.waitForFunction(() => document.querySelectorAll('#captions > :not(.open)').length > 2, null, {
      timeout: 60_000,
    });
    assert.ok((await words()).join('').trim().length > 0);
    assert.equal(await page.locator('#captions > mark').count(), 1);
    await page.click('#record');
    await page.locator('#replay:enabled').waitFor();
    await page.click('#replay');
    await page.waitForFunction(() => document.querySelector('#captions > mark'), null, { timeout: 20_000 });
    assert.ok((await words()).length > 2);
    assert.deepEqual([complaints, await page.textContent('#note')], [[], '']);
  } finally {
    await listening.close();
  }
});

test('react: hooks in a page that Vite builds', async () => {
  const folder = join(home, 'react');
  await cp(join(root, 'web/examples/react'), folder, { recursive: true });
  await cp(join(home, 'node_modules/transformer-wasm/dist/models'), join(folder, 'public/models'), {
    recursive: true,
  });
  for (const name of ['react', 'react-dom', 'scheduler'])
    await cp(join(root, 'node_modules', name), join(home, 'node_modules', name), { recursive: true });
  await build({ root: folder, logLevel: 'error' });
  const server = await serveFolder(join(folder, 'dist'), '/');
  servers.push(server);
  const { page, complaints } = await open(browser, server.url);
  const translation = async () => {
    await page.locator('p[aria-busy="false"]').waitFor({ timeout: 60_000 });
    return page.textContent('p[lang=fr]');
  };
  assert.match(await translation(), /^Le chat /);
  await page.fill('input', 'I am hungry.');
  await page.waitForFunction(() => document.querySelector('p[lang=fr]').textContent.startsWith("J'ai"));
  assert.equal(await translation(), "J'ai faim.");
  await page.fill('input', ' ');
  await page.waitForFunction(() => document.querySelector('p[lang=fr]').textContent === '');
  assert.equal(await page.textContent('p[role=alert]'), '');
  assert.deepEqual(complaints, []);
  await page.close();
});
