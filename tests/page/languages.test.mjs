// The page in the reader's language: each file of words is whole, nothing else has words, and the address keeps the choice.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pageModule } from '../../scripts/lib/page_module.mjs';
import { pageWords } from '../../scripts/page_words.mjs';
import { proseIn } from './prose.mjs';
import { built, openSite, root, tired } from './site.mjs';
import { hashOf, Visitor } from './visitor.mjs';

const others = ['fr', 'de', 'es', 'zh'];
const folder = join(root, 'web/src/words');

/** With those that are loaded later. */
const allWords = async (language) => ({
  ...(await pageWords(language)),
  learn: (await pageModule(`words/learn_${language}.ts`))[language],
});

/** `[path, string or function]` of each entry. */
const entriesOf = (words, path = '') =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'object' ? entriesOf(value, `${path}${key}.`) : [[`${path}${key}`, value]],
  );

/** A sentence as it is said with so many of everything. */
const said = (entry, first) =>
  typeof entry === 'string' ? entry : entry(...Array.from({ length: entry.length }, (_, i) => first + i));

const partsIn = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
const givenIn = (text) => [...new Set([...text.matchAll(/\b5[0-9]\b/g)].map(([number]) => number))].sort();

/** What is the same in English, all of it: names, symbols, terms of the field, and words that both languages have. */
const inAll = ['attention.expOfScore', 'chapters.flash.name'];
const shared = {
  fr: [
    'adder.bits',
    'page.codeLabel',
    'tour.positions',
    'tour.feedForward',
    'tour.softmax',
    'tour.vocabulary',
    'page.pause',
    'stage.lookedShare',
    'attention.columns.score',
    'cost.kinds.feedForward',
    'cost.table',
    'cost.tokens',
    'flash.columns.maximum',
    'masks.presets.causal',
    'positions.dimension',
    'positions.axes.position',
    'positions.axes.dimension',
    'today.rows.score',
    'whole.formulas.positions',
    'whole.attention',
    'speed.f32',
    'speed.int8',
    'examples.parts.centers',
    'examples.parts.positions',
    'examples.parts.scores',
    'html.documentation',
    'notes.forcing.title',
  ],
  de: [
    'adder.bits',
    'page.codeLabel',
    'page.pause',
    'stage.lookedShare',
    'tour.encoderTitle',
    'tour.decoderTitle',
    'heads.kinds.encoder',
    'heads.kinds.decoder',
    'heads.kinds.cross',
    'heads.matrix',
    'beams.beams',
    'tenYears.titles.dot',
    'tenYears.titles.general',
    'tenYears.titles.concat',
    'tenYears.titles.local',
    'examples.titles.concat',
    'examples.titles.dot',
    'examples.titles.general',
    'today.rows.score',
  ],
  es: [
    'adder.bits',
    'stage.lookedShare',
    'tour.feedForward',
    'tour.softmax',
    'tour.vocabulary',
    'cost.kinds.embeddings',
    'cost.kinds.feedForward',
    'cost.table',
    'cost.columns.bytes',
    'cost.tokens',
    'flash.columns.factor',
    'flash.factor',
    'masks.presets.causal',
    'tenYears.titles.dot',
    'tenYears.titles.general',
    'tenYears.titles.concat',
    'tenYears.titles.local',
    'speed.f32',
    'speed.int8',
    'examples.titles.concat',
    'examples.titles.dot',
    'examples.titles.general',
    'notes.forcing.title',
  ],
  zh: ['tour.softmax'],
};

describe('the words', () => {
  for (const language of others)
    test(`${language} has each sentence, with the same parts, and none left in English`, async () => {
      const english = new Map(entriesOf(await allWords('en')));
      const own = new Map(entriesOf(await allWords(language)));
      assert.deepEqual([...own.keys()].sort(), [...english.keys()].sort());
      const same = [];
      for (const [path, entry] of own) {
        const model = english.get(path);
        assert.equal(typeof entry, typeof model, path);
        // Of one, of a few, and of many.
        for (const first of [1, 4, 50]) {
          assert.deepEqual(partsIn(said(entry, first)), partsIn(said(model, first)), path);
          assert.doesNotMatch(said(entry, first), /undefined|NaN,|\[object/, path);
        }
        assert.deepEqual(givenIn(said(entry, 50)), givenIn(said(model, 50)), path);
        if (said(entry, 50) === said(model, 50) && /[a-z]{3}/i.test(said(entry, 50))) same.push(path);
      }
      assert.deepEqual(same.sort(), [...inAll, ...shared[language]].sort());
    });

  test('run nothing before the page does: their files import types alone', () => {
    for (const file of readdirSync(folder).filter((name) => /^(learn_)?[a-z]{2}\.ts$/.test(name))) {
      const imports = readFileSync(join(folder, file), 'utf8').match(/^import .*$/gm) ?? [];
      assert.ok(
        imports.every((line) => line.startsWith('import type ')),
        file,
      );
    }
  });

  test('stand nowhere else: the code has English sentences only where English is the matter', () => {
    const allowed = [
      /^reading\/examples\.ts: /, // the sentences that are translated
      /^views\/attention\/smallest\.ts: the film was /, // the classifier reads English
      /^stage\/antecedent\.ts: /, // French nouns
      /^views\/(attention|examples)\/numpy\.ts: /, // code
      /^views\/learn\/code\.ts: /, // code
      /^views\/masks\/draw\.ts: const /,
      /^gallery\/gallery\.ts: <(script|iframe)/,
      /^views\/layers\/boxes\.ts: MultiHead/, // a formula
      /^stage\/offers\.ts: Escape$/, // a key
      /^proof\/answers\.ts: \u00a4: \u00a4 instead of \u00a4$/, // said by a script in the terminal too
      /^stage\/end\.ts: \/\/ npm install transformer-wasm\n/, // code
      /^views\/adder\/numbers\.ts: Enter$/, // a key
      /^tour\/read_along\.ts: (input, |\u00a4, button|Escape$)/, // selectors, and a key
    ];
    const found = proseIn(join(root, 'web/src'));
    assert.deepEqual(
      found.filter((one) => !allowed.some((pattern) => pattern.test(one))),
      [],
    );
    // The search itself finds what it is to find, and no exception has outlived its reason.
    for (const pattern of allowed)
      assert.ok(
        found.some((one) => pattern.test(one)),
        `${pattern}`,
      );
  });
});

const site = openSite();

describe('the page in the reader’s language', () => {
  /** Opens the page in a language. */
  async function arrive(query, options = {}, fields = { s: tired }) {
    const url = site.plain.url + query + hashOf(fields);
    const visitor = await Visitor.arrive(site.browser, url, { reducedMotion: 'reduce', ...options });
    await visitor.page.waitForFunction(() => document.querySelector('#reading-note')?.textContent, null, {
      timeout: 60_000,
    });
    return visitor;
  }

  async function scrollThrough(page) {
    const count = await page.locator('.chapter').count();
    for (let i = 0; i < count; i++) {
      await page.locator('.chapter').nth(i).scrollIntoViewIfNeeded();
      await page.locator('.chapter').nth(i).locator('.spoken').first().waitFor();
    }
  }

  for (const language of others)
    for (const width of [390, 1440])
      test(`${language} fits a screen of ${width} pixels, and axe finds nothing`, async () => {
        const words = await pageWords(language);
        const visitor = await arrive(`?lang=${language}`, { viewport: { width, height: 900 } });
        const { page } = visitor;
        assert.equal(
          (await page.locator('h1').innerText()).replace(/\s+/g, ' '),
          `${words.html.first} ${words.html.second}`.replace(/\s+/g, ' '),
        );
        assert.equal(await page.title(), words.html.title);
        assert.equal(
          await page.locator('html').getAttribute('lang'),
          language === 'zh' ? 'zh-Hans' : language,
        );
        // What is English or French on the page says so.
        assert.equal(await page.locator('.words.english').first().getAttribute('lang'), 'en');
        assert.equal(await page.locator('.words.french').first().getAttribute('lang'), 'fr');
        await scrollThrough(page);
        assert.equal(await page.locator('#masks h2').innerText(), words.chapters.masks.claim);
        assert.equal(await visitor.overflow(), 0);
        const axe = await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
        const { violations } = await page.evaluate(`${axe}; axe.run()`);
        assert.deepEqual(
          violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' | ')}`,
          ),
          [],
        );
        await visitor.leave();
      });

  test('each page says in its first 1024 bytes that it is in UTF-8, and once', () => {
    for (const page of ['', 'gallery/', 'speed/', 'proof/']) {
      const html = readFileSync(join(built, page, 'index.html'));
      assert.match(html.subarray(0, 1024).toString(), /<meta charset="utf-8"/i);
      assert.equal(html.toString().split(/<meta charset/i).length, 2);
    }
  });

  test('in Chinese, what a reader sees or hears is Chinese, the model’s words, or says in which language it is', async () => {
    const visitor = await arrive('?lang=zh');
    const { page } = visitor;
    await scrollThrough(page);
    for (const fold of await page.locator('.furniture [aria-expanded=false]:not([hidden])').all())
      if (await fold.isVisible()) await fold.click();
    for (const opener of await page.locator('.end [aria-expanded]').all()) await opener.click();
    const foreign = await page.evaluate(() => {
      const isForeign = (text) => /[a-z]{2,} [a-z]{2,}/i.test(text) && !/[\u4e00-\u9fff]/.test(text);
      const isPage = (element) => element.closest('[lang]').lang === 'zh-Hans';
      const said = [...document.body.querySelectorAll('*')].filter(
        (element) => isPage(element) && !element.closest('pre, noscript, .formula, th'),
      );
      const texts = said.flatMap(({ childNodes }) =>
        [...childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data.trim()),
      );
      const names = ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext', 'label'];
      const attributes = said.flatMap((element) => names.map((name) => element.getAttribute(name) ?? ''));
      return [document.title, ...texts, ...attributes].filter(isForeign);
    });
    assert.deepEqual(foreign, []);
    await visitor.leave();
  });

  test('only the words of one language are asked for', async () => {
    const english = await pageWords('en');
    const bodies = [];
    const keep = (response) => {
      if (/\.js$/.test(response.url())) bodies.push(response.text());
    };
    const visitor = await arrive('?lang=de', { before: (page) => page.on('response', keep) });
    // What comes later would be read while the browser closes.
    visitor.page.off('response', keep);
    const scripts = await Promise.all(bodies);
    assert.ok(scripts.some((text) => text.includes('Sehen Sie den Sinn wandern.')));
    assert.ok(!scripts.some((text) => text.includes(english.html.second)));
    await visitor.leave();
  });

  test('a browser’s own language is chosen, and then stands in the address', async () => {
    const visitor = await arrive('', { locale: 'fr-FR' });
    const { page } = visitor;
    assert.equal(new URL(page.url()).search, '?lang=fr');
    assert.match(await visitor.text('.claim'), /il a regardé/);
    // Numbers have a comma, and what is copied as code has none.
    assert.match(await visitor.text('.shares'), /\d,\d\s%/);
    await page.evaluate(() => location.assign('#attention'));
    await page.locator('#attention .steps').waitFor();
    await visitor.leave();
  });

  test('a language that the page does not have is read in English, at a plain address', async () => {
    const visitor = await arrive('', { locale: 'nl-NL' });
    assert.equal(new URL(visitor.page.url()).search, '');
    assert.equal(await visitor.page.locator('html').getAttribute('lang'), 'en');
    await visitor.leave();
  });

  test('the address keeps the language and what is shown; the switch leads there and back', async () => {
    const visitor = await arrive('?lang=zh', {}, { s: tired, w: 3 });
    const { page } = visitor;
    await page.locator('.french .word').nth(1).click();
    const { search, hash } = new URL(page.url());
    assert.equal(search, '?lang=zh');
    assert.match(hash, /w=1/);
    await page.locator('.bar .language').selectOption('en');
    await page.waitForURL(/lang=en/);
    await visitor.done();
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    assert.equal(new URL(page.url()).hash, hash);
    await page.locator('.bar .language').selectOption('zh');
    await page.waitForURL(/lang=zh/);
    await page.getByText('看意思如何移动。').waitFor();
    assert.equal(new URL(page.url()).hash, hash);
    await visitor.leave();
  });

  for (const [path, heading] of [
    ['gallery/', 'Mettez une vue dans votre article'],
    ['speed/', 'Quelle vitesse ici ?'],
    ['proof/', 'Les mêmes bits'],
  ])
    test(`${path} keeps it too`, async () => {
      const visitor = await arrive('?lang=fr');
      await visitor.page.locator(`footer a[href*="${path}"]`).click();
      await visitor.page.getByRole('heading', { level: 1, name: heading }).waitFor();
      assert.equal(new URL(visitor.page.url()).search, '?lang=fr');
      await visitor.page.close();
    });
});
