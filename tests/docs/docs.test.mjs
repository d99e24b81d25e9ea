// The API documentation that scripts/docs.mjs builds, which rejects broken types and links: its pages, and how they look and are
// found in a browser.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { chromiumLaunch } from '../../scripts/lib/chromium.mjs';
import { readGuides } from '../../scripts/lib/llms_text.mjs';
import { serveFolder } from '../page/static_server.mjs';

const folder = fileURLToPath(new URL('../../build/api', import.meta.url));
const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'));
const read = (page) => readFileSync(join(folder, page), 'utf8');

/** The page has the documentation in its folder `api`: what lies above it is the page's. */
const placeOf = (path) =>
  path.startsWith(folder) ? path : join(folder, '../../web', relative(dirname(folder), path), 'index.html');

describe('the documentation', () => {
  test('has a page for every export of the package', () => {
    const index = readFileSync(new URL('../../bindings/index.ts', import.meta.url), 'utf8');
    const lists = [...index.matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
    const names = lists.flatMap(([, list]) => list.match(/\b(?!type\b)\w+\b/g));
    assert.ok(names.includes('loadModel') && names.includes('Engine'));
    const documented = new Set(
      pages.map((page) =>
        page
          .split('/')
          .at(-1)
          .replace(/^transformer-wasm\.|\.html$/g, ''),
      ),
    );
    assert.deepEqual(
      names.filter((name) => !documented.has(name)),
      [],
    );
  });

  test('has a page for every entry of the package, with what only it exports', () => {
    const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const entries = Object.keys(exports).filter((name) => !/\*|json/.test(name));
    assert.ok(entries.length > 5);
    for (const name of entries.map((path) => path.replace(/^\.\/?/, '_').replace(/^_$/, '')))
      assert.ok(pages.includes(`modules/transformer-wasm${name}.html`), name);
    assert.ok(pages.includes('functions/transformer-wasm_pipeline.pipeline.html'));
  });

  test('has no broken links', () => {
    for (const page of pages) {
      const links = [...read(page).matchAll(/(?:href|src)="([^"#?]+)[^"]*"/g)].map(([, link]) => link);
      const broken = links
        .filter((link) => !/^(https?:|data:)/.test(link))
        .filter((link) => !existsSync(placeOf(join(folder, dirname(page), link))));
      assert.deepEqual(broken, [], page);
    }
  });

  test('leads to the page that measures the engine', () => {
    assert.match(read('index.html'), /href="\.\.\/speed\/"/);
    assert.match(read('documents/Numbers.html'), /href="\.\.\/\.\.\/speed\/"/);
  });

  test('documents the result of every call of the engine', () => {
    const engine = read('classes/transformer-wasm.Engine.html');
    for (const name of ['scaledDotProductAttention', 'transformer', 'dispose'])
      assert.match(engine, new RegExp(`id="${name.toLowerCase()}"`), name);
  });

  test('has a page for every guide', () => {
    const guides = new URL('../../web/docs/', import.meta.url);
    for (const name of readdirSync(guides)) {
      const [, title] = readFileSync(new URL(name, guides), 'utf8').match(/^title: (.+)$/m);
      const page = read(`documents/${title.replaceAll(' ', '_')}.html`);
      assert.match(page, new RegExp(`<h1[^>]*>${title}`), name);
    }
  });
});

describe('llms.txt', () => {
  const guides = readGuides(fileURLToPath(new URL('../../scripts/docs', import.meta.url)));

  test('names every guide in the order of the site, with a sentence', () => {
    const links = [...read('llms.txt').matchAll(/^- \[(.+)\]\((documents.+)\): (.+)$/gm)];
    assert.deepEqual(
      links.map(([, title]) => title),
      guides.map(({ title }) => title),
    );
    for (const [, title, page, sentence] of links) {
      assert.ok(existsSync(join(folder, page)), page);
      assert.match(sentence, /^[A-Z`].{20,}\.$/, title);
    }
  });

  test('has all of them in one file', () => {
    const full = read('llms-full.txt');
    for (const { title } of guides) assert.ok(full.includes(`\n# ${title}\n`), title);
    assert.ok(!/\{@link|\]\([\w./-]*\.md\b/.test(full));
  });
});

describe('the site', () => {
  let site;
  let browser;
  before(async () => {
    site = await serveFolder(folder, '/');
    browser = await chromium.launch(chromiumLaunch);
  });
  after(async () => {
    await browser.close();
    await site.close();
  });

  test('is not wider than a telephone', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(site.url);
    // One after the other in the place of the first, which takes a tenth of what it takes to open each.
    const widths = await page.evaluate(
      async (addresses) => {
        const found = [];
        for (const address of addresses) {
          const text = await (await fetch(address)).text();
          const { body } = new DOMParser().parseFromString(text, 'text/html');
          document.querySelector('.container-main').replaceWith(body.querySelector('.container-main'));
          found.push(document.documentElement.scrollWidth);
        }
        return found;
      },
      pages.map((name) => site.url + name),
    );
    const wide = pages.flatMap((name, i) => (widths[i] > 390 ? [`${name}: ${widths[i]}`] : []));
    assert.equal(widths.length, pages.length);
    assert.deepEqual(wide, []);
  });

  test('shows the guides in the order of a reader', async () => {
    const page = await browser.newPage();
    await page.goto(site.url);
    const links = page.locator('.tsd-navigation a[href*="documents/"]');
    await links.first().waitFor();
    const guides = readGuides(fileURLToPath(new URL('../../scripts/docs', import.meta.url)));
    assert.deepEqual(
      (await links.allTextContents()).map((text) => text.trim()),
      guides.map(({ title }) => title),
    );
  });

  test('its search finds the guide to a question first, members by their names, and an option that many types have once', async () => {
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.click('#tsd-search-trigger');
    const results = page.locator('#tsd-search-results li');
    /** Waits until one of the results, or the first of them, has this name. */
    const finds = async (words, name, isFirst) => {
      await page.fill('#tsd-search-input', words);
      const one = isFirst ? results.first() : results.filter({ hasText: name });
      await one.filter({ hasText: name }).first().waitFor({ timeout: 20_000 });
    };
    for (const [words, guide] of [
      ['why no threads', 'In a web page'],
      ['reduce memory', 'Quantisation'],
      ['stream tokens', 'Generating text'],
      ['fine-tuned', 'Loading models'],
      ['Vue', 'Bundlers and environments'],
      ['CSV', 'Tasks'],
      ['migration', 'Coming from transformers.js'],
      ['license', 'Which model can I use'],
    ])
      await finds(words, new RegExp(`^\\s*${guide}\\s*$`), true);
    for (const [words, found] of [
      ['similarity', /^\s*transformer-wasm\.similarity\s*$/],
      ['whisper', /^\s*Speech\s*$/],
      ['Next.js', /^\s*Bundlers and environments\s*$/],
      ['service worker', /^\s*Bundlers and environments\s*$/],
      ['onnx', /^\s*Which model can I use\s*$/],
      ['pipeline', /^\s*transformer-wasm\/pipeline\.pipeline\s*$/],
      ['vite', /^\s*transformer-wasm\/vite\s*$/],
      ['inline', /^\s*transformer-wasm\/inline\s*$/],
    ])
      await finds(words, found, false);
    await finds('temperature', /GenerationOptions\.temperature/, false);
    assert.equal(await results.filter({ hasText: /Options\.temperature/ }).count(), 1);
    await page.close();
  });

  test('looks like the page, light and dark: axe finds nothing, and no table is cut', async () => {
    const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    const guide = 'documents/Which_model_can_I_use';
    for (const [colorScheme, names] of [
      ['light', ['index', 'classes/transformer-wasm.Model', guide]],
      ['dark', [guide]],
    ]) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1440, height: 900 } });
      for (const name of names) {
        await page.goto(`${site.url}${name}.html`);
        await page.locator('.tsd-navigation a').first().waitFor();
        await page.evaluate(axe);
        const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations);
        assert.deepEqual(
          violations.map(
            ({ id, nodes }) => `${name}: ${id}, ${nodes.length}, ${nodes[0].html.slice(0, 200)}`,
          ),
          [],
        );
        const cut = await page
          .locator('.tsd-typography table')
          .evaluateAll((all) => all.filter((table) => table.scrollWidth > table.clientWidth).length);
        assert.equal(cut, 0, name);
      }
      assert.ok(await page.evaluate(() => document.fonts.check('16px Inter')));
      await page.close();
    }
  });
});
