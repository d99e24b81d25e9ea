// The story: its chapters in order, the questions between them, the map, and "Read along".

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cat, openSite, wide } from './site.mjs';
import { hashOf, Visitor } from './visitor.mjs';

const site = openSite();

/** The views in the order of the brief; the first is there where its model is. */
const order = [
  'bottleneck',
  'look-back',
  'ten-years',
  'self-attention',
  'attention',
  'split',
  'masks',
  'positions',
  'layers',
  'whole',
  'halves',
  'flash',
  'beams',
  'today',
];

const chaptersOf = (page) =>
  page.locator('.chapter').evaluateAll((all) =>
    all.map((chapter) => ({
      number: Number(chapter.dataset.chapter),
      asked: chapter.querySelector('.asked')?.textContent ?? null,
      id: chapter.querySelector('section').id,
      kicker: chapter.querySelector('.kicker').textContent,
      headings: [...chapter.querySelectorAll('section > :is(h2, h3)')].map(({ tagName }) => tagName),
      tries: chapter.querySelectorAll('.try').length,
    })),
  );

/** Where the map says that one is. */
const here = (page) => page.locator('.map-numbers [aria-current]').textContent();

const topOf = (page, id) => page.$eval(`#${id}`, (element) => element.getBoundingClientRect().top);

describe('the story', () => {
  test('has its chapters in order, a question before each, one thing to try at its end', async () => {
    const visitor = await site.arrive({ s: cat });
    const { page } = visitor;
    const chapters = await chaptersOf(page);
    const ids = chapters.map(({ id }) => id);
    assert.deepEqual(ids, order.slice(order.length - chapters.length));
    assert.ok(chapters.length >= order.length - 1);
    for (const [i, { number, asked, kicker, headings, tries }] of chapters.entries()) {
      assert.equal(number, i + 1);
      assert.ok(kicker.startsWith(`${number}`), kicker);
      assert.deepEqual(headings, ['H2', ...headings.slice(1).map(() => 'H3')]);
      assert.equal(tries, 1);
      if (i > 0) assert.match(asked, /^[A-Z].*\?$/);
    }
    // The first question stands on the first screen and leads to its chapter.
    const first = page.locator('#stage .question');
    assert.match(await first.innerText(), /\?\s*↓$/);
    assert.equal(await first.getAttribute('href'), `#${ids[0]}`);
    const box = await first.boundingBox();
    assert.ok(box.y + box.height <= 900, `at ${box.y}`);
    await visitor.leave();
  });

  test('the map comes with the chapters about parts of the model, and is lit where one reads', async () => {
    const visitor = await site.arrive({ s: cat }, { viewport: { width: 1440, height: 900 } });
    const { page } = visitor;
    assert.equal(await page.locator('.map:visible').count(), 0);
    /** Goes to a view as a link does; the page may pass other chapters while it is still growing. */
    const isLit = async (id, parts) => {
      await page.evaluate((view) => location.assign(`#${view}`), id);
      const number = await page.$eval(`.chapter:has(#${id})`, ({ dataset }) => dataset.chapter);
      await page.waitForFunction(
        ([chapter, expected]) => {
          const lit = [...document.querySelectorAll('.map-box.lit')].map(({ dataset }) => dataset.part);
          const current = document.querySelector('.map-numbers [aria-current]')?.textContent;
          return current === chapter && lit.join() === expected;
        },
        [number, parts.join()],
      );
    };
    await isLit('look-back', ['cross-attention']);
    await isLit('self-attention', ['encoder-attention']);
    await isLit('masks', ['decoder-attention']);
    await isLit('whole', [
      'words',
      'positions',
      'encoder-attention',
      'encoder-feed-forward',
      'decoder-attention',
      'cross-attention',
      'decoder-feed-forward',
      'softmax',
    ]);
    // Beside the text, not over it.
    const [map, text] = [
      await page.locator('.map').boundingBox(),
      await page.locator('#whole').boundingBox(),
    ];
    assert.ok(map.x + map.width <= text.x, `${map.x + map.width} of ${text.x}`);
    // Shapes of this sentence and this model.
    const { inputIds } = await site.model.generate(cat);
    await page.locator('.map-box[data-part=words]', { hasText: `${inputIds.length} × 128` }).waitFor();
    // A box is a link that keeps the sentence.
    await page.locator('.map-box[data-part=softmax]').click();
    await page.waitForFunction(
      () => Math.abs(document.querySelector('#beams').getBoundingClientRect().top) < 200,
    );
    assert.match(await visitor.hash(), /s=The\+cat.*v=beams/);
    await visitor.leave();
  });

  test('on a narrow screen a strip of 40 pixels opens the map', async () => {
    const visitor = await site.arrive({ s: cat, v: 'masks' }, { viewport: { width: 390, height: 844 } });
    const { page } = visitor;
    const strip = page.locator('.map-strip');
    await strip.filter({ hasText: 'masks ▾' }).waitFor();
    assert.equal(await page.locator('.map:visible').count(), 0);
    const { y, height, width } = await strip.boundingBox();
    assert.deepEqual([Math.round(y), height, width], [56, 40, 390]);
    await strip.click();
    await page.locator('.map').waitFor();
    await page.locator('.map-box[data-part=positions]').click();
    await page.locator('.map').waitFor({ state: 'hidden' });
    await strip.filter({ hasText: 'positions ▾' }).waitFor();
    assert.equal(await visitor.overflow(), 0);
    await visitor.leave();
  });
});

describe('the figures', () => {
  test('split: a head that is off is a ghost, and the page is computed without it', async () => {
    const visitor = await site.arrive({ s: wide, v: 'split' });
    const { page } = visitor;
    const heads = page.locator('#split .controls button');
    await heads.nth(3).click();
    await page.waitForFunction(() => location.hash.includes('off=cross.1.3'));
    await page.locator('#split .spoken', { hasText: 'without head 4.' }).waitFor();
    assert.equal(await page.locator('#split .look-bars.ghost').count(), 1);
    const { text } = await site.model.translate(wide, { heads: { 'decoder.layers.1.cross.3': 0 } });
    const letters = (words) => words.replace(/end$|[^\p{L}]/gu, '');
    assert.equal(letters(await page.innerText('#stage .french')), letters(text));
    await heads.nth(3).click();
    await page.locator('#split .spoken', { hasText: 'with all heads.' }).waitFor();
    await visitor.leave();
  });

  test('halves: two tiny models guess the chosen word, and one of them goes on differently when asked', async () => {
    const visitor = await site.arrive({ s: 'The cat sat on the mat because it was tired.', v: 'halves' });
    const { page } = visitor;
    const view = page.locator('#halves');
    const guesses = (half) => view.locator(`.half-guesses.${half} li`);
    const choose = async (word) => {
      const button = view
        .locator('.half')
        .first()
        .getByRole('button', { name: `${word}: ` });
      await button.click();
      await view.locator('.spoken', { hasText: new RegExp(`guess ${word},.*Ours give it .*%`) }).waitFor();
      for (const half of ['BERT', 'GPT']) assert.equal(await guesses(half).count(), 5);
    };
    await choose('tired');
    await choose('sat');
    const written = view.locator('.half-written');
    const likeliest = await written.innerText();
    assert.match(likeliest, /^The cat \S.*[.!?]$/);
    await view.getByRole('button', { name: 'Go on differently' }).click();
    const isOther = (text) => !['', text].includes(document.querySelector('.half-written')?.innerText ?? '');
    await page.waitForFunction(isOther, likeliest);
    const drawn = await written.innerText();
    // The address has the word and the variant.
    await page.reload();
    await page.waitForFunction((text) => document.querySelector('.half-written')?.innerText === text, drawn);
    await visitor.leave();
  });

  test('halves: a model that cannot be loaded costs the figure nothing but its guesses', async () => {
    const visitor = await site.arrive(
      { s: cat, v: 'halves' },
      { before: (page) => page.route('**/models/en-fill/**', (route) => route.abort()) },
    );
    const { page } = visitor;
    const view = page.locator('#halves');
    await view.locator('.half-guesses.GPT li').first().waitFor();
    await view.locator('.half-guesses.BERT .note details').waitFor();
    assert.equal(await view.locator('.half-map').count(), 2);
    await page.close();
  });

  test('flash: steps through the tiles, whose last weights are the head’s', async () => {
    const visitor = await site.arrive({ s: cat, v: 'flash', 'flash.tile': 2, 'flash.read': 1 });
    const { page } = visitor;
    await page.locator('#flash .spoken', { hasText: 'first tile' }).waitFor();
    assert.equal(await page.locator('.flash-tile.now').count(), 1);
    const tiles = await page.locator('.flash-tile').count();
    assert.equal(await page.locator('.flash-tile.to-come').count(), tiles - 1);
    for (let read = 1; read < tiles; read++) await page.getByRole('button', { name: 'Next tile' }).click();
    await page.locator('#flash .spoken', { hasText: 'same output' }).waitFor();
    const { numbers } = await visitor.table('flash');
    assert.equal(numbers.length, tiles);
    await visitor.leave();
  });
});

describe('read along', () => {
  test('goes from chapter to chapter with the buttons and the arrow keys, and its place is in the address', async () => {
    const visitor = await site.arrive(
      { s: wide, v: 'look-back' },
      { viewport: { width: 1280, height: 800 } },
    );
    const { page } = visitor;
    await page.locator('.map:visible').waitFor();
    const start = Number(await here(page));
    const play = page.locator('.map .read-along');
    await play.click();
    await page.locator('.map .read-along', { hasText: 'Pause' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((step) => location.hash.includes(`t=${step}`), start + 1);
    assert.equal(await play.innerText(), 'Read along');
    await page.waitForFunction(
      () => Math.abs(document.querySelector('#ten-years').getBoundingClientRect().top) < 200,
    );
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.waitForFunction((step) => location.hash.includes(`t=${step}`), start + 2);
    // With the focus on a button of the map, the arrow keys still turn the pages.
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((step) => location.hash.includes(`t=${step}`), start + 1);
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.waitForFunction((step) => location.hash.includes(`t=${step}`), start);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !/[#&]t=/.test(location.hash));
    // Keys belong to the page again.
    await page.keyboard.press('ArrowRight');
    assert.doesNotMatch(await visitor.hash(), /[#&]t=/);
    await visitor.leave();
  });

  test('the space bar plays and pauses, and a control keeps its keys', async () => {
    const visitor = await site.arrive({ s: wide, v: 'beams' }, { viewport: { width: 1280, height: 800 } });
    const { page } = visitor;
    const slider = page.locator('#beams input[type=range]');
    await slider.waitFor();
    const step = await page.$eval('.chapter:has(#beams)', ({ dataset }) => dataset.chapter);
    await page.locator('.map-numbers [aria-current]', { hasText: new RegExp(`^${step}$`) }).waitFor();
    await page.locator('.map .read-along').click();
    for (const name of ['Read along', 'Pause', 'Read along']) {
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press('Space');
      await page.locator('.map .read-along', { hasText: name }).waitFor();
    }
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => location.hash.includes('beams.width=5'));
    assert.match(await visitor.hash(), new RegExp(`[#&]t=${step}(&|$)`));
    await visitor.leave();
  });

  test('an address leads to its chapter', async () => {
    const visitor = await Visitor.arrive(site.browser, site.plain.url + hashOf({ s: cat, v: 'masks', t: 6 }));
    await visitor.done();
    const { page } = visitor;
    const id = await page.$eval('.chapter[data-chapter="6"] section', (section) => section.id);
    await page.locator('.map-numbers [aria-current]', { hasText: /^6$/ }).waitFor();
    assert.ok(Math.abs(await topOf(page, id)) < 200);
    await visitor.leave();
  });
});
