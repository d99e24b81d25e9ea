// The story: its chapters in order, the questions between them, the map, and "Read along".

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cat, openSite, wide } from './site.mjs';
import { hashOf, Visitor } from './visitor.mjs';

const site = openSite();

/** The views that open the chapters; the first is there where its model is. */
const order = ['bottleneck', 'look-back', 'self-attention', 'attention', 'split', 'masks', 'layers'];

/** And those that open the cards of the workbench. */
const cards = [
  'ten-years',
  'positions',
  'whole',
  'causes',
  'halves',
  'flash',
  'beams',
  'adder',
  'learn',
  'cost',
  'pictures',
  'your-model',
];

const chaptersOf = (page) =>
  page.locator('.chapter').evaluateAll((all) =>
    all.map((chapter) => ({
      number: Number(chapter.dataset.chapter),
      asked: chapter.querySelector('.asked')?.textContent ?? null,
      id: chapter.querySelector('section').id,
      kicker: chapter.querySelector('.kicker').textContent,
      headings: [...chapter.querySelectorAll('section > :is(h2, h3)')].map(({ tagName }) => tagName),
      papers: [...chapter.querySelectorAll('.kicker a')].map(({ href }) => href),
      sheet: ['.try', '.sheet-question', '.sheet-fold details p'].map(
        (part) => chapter.querySelectorAll(part).length,
      ),
    })),
  );

/** Runs before the page: keeps what is written into pictures. */
function keepTexts() {
  globalThis.texts = new Set();
  const { prototype } = CanvasRenderingContext2D;
  const { fillText } = prototype;
  prototype.fillText = function (text, ...rest) {
    globalThis.texts.add(text);
    return fillText.call(this, text, ...rest);
  };
}

/** Waits until a text of this kind is in a picture. */
const isWritten = (page, pattern) =>
  page.waitForFunction(
    (source) => [...globalThis.texts].some((text) => new RegExp(source).test(text)),
    pattern,
  );

/** Where the map says that one is. */
const here = (page) => page.locator('.map-numbers [aria-current]').textContent();

describe('the story', () => {
  test('has its chapters in order, a question before each, and a sheet for each', async () => {
    const visitor = await site.arrive({ s: cat });
    const { page } = visitor;
    const chapters = await chaptersOf(page);
    const ids = chapters.map(({ id }) => id);
    assert.deepEqual(ids, order.slice(order.length - chapters.length));
    assert.ok(chapters.length >= order.length - 1);
    for (const [i, { number, asked, kicker, headings, sheet }] of chapters.entries()) {
      assert.equal(number, i + 1);
      assert.ok(kicker.startsWith(`${number}`), kicker);
      assert.deepEqual(headings, ['H2', ...headings.slice(1).map(() => 'H3')]);
      assert.deepEqual(sheet, [1, 1, 1]);
      if (i > 0) assert.match(asked, /^[A-Z].*\?$/);
    }
    // Where an idea is from is a link to its paper.
    const papers = chapters.flatMap((one) => one.papers);
    assert.ok(papers.includes('https://arxiv.org/abs/1409.0473'), `${papers}`);
    assert.ok(
      papers.length >= 3 && papers.every((href) => /^https:\/\/arxiv\.org\/abs\/\d+\.\d+$/.test(href)),
    );
    // The first question stands on the first screen and leads to its chapter.
    const first = page.locator('#stage .question');
    assert.match(await first.innerText(), /\?\s*↓$/);
    assert.equal(await first.getAttribute('href'), `#${ids[0]}`);
    const box = await first.boundingBox();
    assert.ok(box.y + box.height <= 900, `at ${box.y}`);
    await visitor.leave();
  });

  test('the map comes with the chapters about parts of the model, and is lit where one reads', async () => {
    const visitor = await site.arrive(
      { s: cat },
      { viewport: { width: 1440, height: 900 }, before: (page) => page.addInitScript(keepTexts) },
    );
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
    // The cells of its maps have numbers: a score, and a weight in percent.
    await isWritten(page, '^−\\d+(\\.\\d+)?$');
    await isWritten(page, '^[1-9]\\d$');
    // Beside the text, not over it.
    const [map, text] = [
      await page.locator('.map').boundingBox(),
      await page.locator('#masks').boundingBox(),
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

  test('on a narrow screen a strip opens the map, and figures show what they are about', async () => {
    const visitor = await site.arrive(
      { s: wide, v: 'masks' },
      { viewport: { width: 390, height: 844 }, before: (page) => page.addInitScript(keepTexts) },
    );
    const { page } = visitor;
    const strip = page.locator('.map-strip');
    await strip.filter({ hasText: 'masks ▾' }).waitFor();
    assert.equal(await page.locator('.map:visible').count(), 0);
    const { y, height, width } = await strip.boundingBox();
    assert.deepEqual([Math.round(y), height, width], [56, 40, 390]);
    await isWritten(page, '^−∞$');
    // No word of the first screen is broken, by a line or by the gap for the ribbons.
    const glued = await page.locator('#stage .loom-frame .slot.glued').evaluateAll((all) =>
      all.map((slot) => {
        const [before, own] = [slot.previousElementSibling, slot].map((one) => one.getBoundingClientRect());
        return [Math.abs(before.top - own.top) < 4, own.left - before.right < 8];
      }),
    );
    assert.ok(glued.length > 4 && glued.flat().every(Boolean), JSON.stringify(glued));
    // One word's arcs, beside a list with what each is looked at with.
    await visitor.goTo('self-attention');
    const shares = page.locator('#self-attention .arc-share');
    await shares.filter({ hasText: '%' }).first().waitFor();
    await page.locator('#self-attention .arc-words button', { hasText: /^because$/ }).click();
    await page.locator('#self-attention .spoken b', { hasText: 'because' }).first().waitFor();
    const tops = await shares.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    assert.deepEqual(
      tops,
      [...new Set(tops)].sort((a, b) => a - b),
    );
    assert.equal(await page.locator('#self-attention .ribbons .quiet').count(), 0);
    // Word, score, weight; the vectors of a word open below it.
    await visitor.goTo('attention');
    const row = page.locator('#attention .steps tbody tr:not(.key-detail)').first();
    await row.waitFor();
    assert.equal(await row.locator('th:visible, td:visible').count(), 3);
    await row.getByRole('button', { name: 'The vectors of' }).click();
    assert.equal(await page.locator('#attention .key-detail:visible .strip').count(), 2);
    await visitor.goTo('flash');
    await page.locator('#flash .flash-bar').first().waitFor();
    await page.waitForFunction(() => {
      const bars = [...document.querySelectorAll('#flash .flash-bar')];
      const weight = (bar) => Number(bar.style.getPropertyValue('--weight'));
      const box = bars
        .reduce((best, bar) => (weight(bar) > weight(best) ? bar : best))
        .getBoundingClientRect();
      return box.left >= 0 && box.right <= innerWidth;
    });
    await visitor.goTo('beams');
    await page.locator('#beams .branch ul').first().waitFor();
    await page.waitForFunction(
      () => document.querySelector('#beams .branch ul').getBoundingClientRect().left < innerWidth / 2,
    );
    await visitor.goTo('masks');
    await strip.filter({ hasText: 'masks ▾' }).waitFor();
    await strip.click();
    await page.locator('.map').waitFor();
    await page.locator('.map-box[data-part=positions]').click();
    await page.locator('.map').waitFor({ state: 'hidden' });
    // Its card in the workbench, where there is no map.
    await page.locator('#positions .picture > *').first().waitFor();
    await strip.waitFor({ state: 'hidden' });
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
      () => Math.abs(document.querySelector('#self-attention').getBoundingClientRect().top) < 200,
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
    const visitor = await site.arrive(
      { s: wide, v: 'attention' },
      { viewport: { width: 1280, height: 800 } },
    );
    const { page } = visitor;
    const slider = page.locator('#attention').getByRole('slider', { name: 'temperature' });
    await slider.waitFor();
    const step = await page.$eval('.chapter:has(#attention)', ({ dataset }) => dataset.chapter);
    await page.locator('.map-numbers [aria-current]', { hasText: new RegExp(`^${step}$`) }).waitFor();
    await page.locator('.map .read-along').click();
    for (const name of ['Read along', 'Pause', 'Read along']) {
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press('Space');
      await page.locator('.map .read-along', { hasText: name }).waitFor();
    }
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => location.hash.includes('attention.temperature='));
    assert.match(await visitor.hash(), new RegExp(`[#&]t=${step}(&|$)`));
    await visitor.leave();
  });

  test('an address leads to its chapter, one from before the chapters were seven too', async () => {
    for (const [v, t, number] of [
      ['masks', 6, 6],
      ['masks', 7, 6],
      ['positions', 8, null],
    ]) {
      const visitor = await Visitor.arrive(site.browser, site.plain.url + hashOf({ s: cat, v, t }));
      await visitor.done();
      const { page } = visitor;
      if (number) await page.waitForFunction((n) => location.hash.includes(`t=${n}`), number);
      else await page.waitForFunction(() => !/[#&]t=/.test(location.hash));
      await page.waitForFunction(
        (id) => Math.abs(document.getElementById(id).getBoundingClientRect().top) < 200,
        v,
      );
      if (number)
        await page.locator('.map-numbers [aria-current]', { hasText: new RegExp(`^${number}$`) }).waitFor();
      await visitor.leave();
    }
  });
});

describe('the end and the workbench', () => {
  test('the whole page has at most 14 screens, and no chapter more than 1.6', async () => {
    const visitor = await site.arrive({ s: wide }, { viewport: { width: 1440, height: 900 } });
    const { page } = visitor;
    for (const id of order) {
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      await page.locator(`#${id} figcaption .spoken:not(:empty)`).waitFor();
    }
    const { height, views } = await page.evaluate(() => ({
      height: document.documentElement.scrollHeight,
      views: [...document.querySelectorAll('.chapter .view')].map(({ id, offsetHeight }) => [
        id,
        offsetHeight,
      ]),
    }));
    assert.ok(height <= 14 * 900, `${height} pixels`);
    for (const [id, high] of views) assert.ok(high <= 1.6 * 900, `${id}: ${high}`);
    await visitor.leave();
  });

  test('the end draws all strands of the sentence, and offers it for sharing, for a lesson, in code', async () => {
    const visitor = await site.arrive({ s: wide });
    const { page } = visitor;
    const end = page.locator('#end');
    await end.scrollIntoViewIfNeeded();
    await end.locator('.ribbons .whole').first().waitFor();
    const strands = await end.locator('.ribbons .whole').count();
    assert.ok(strands > (await page.locator('#stage .ribbons .chosen').count()));
    assert.equal(await end.locator('.ribbons :is(.quiet, .chosen, .arc)').count(), 0);
    await end.getByRole('button', { name: 'Use it in code' }).click();
    const code = await end.locator('pre code').innerText();
    assert.ok(code.includes(JSON.stringify(wide)), code);
    assert.match(code, /loadModel\('http[^']*\/models\/en-fr'\)/);
    await end.getByRole('button', { name: 'Assign it' }).click();
    assert.ok(await end.getByRole('button', { name: 'Print the sheets' }).isVisible());
    await visitor.leave();
  });

  test('on paper each chapter is a sheet with its figure, where nobody has scrolled too', async () => {
    const visitor = await site.arrive(
      { s: wide },
      {
        before: (page) =>
          page.addInitScript(() => {
            globalThis.print = () => {
              globalThis.printed = true;
            };
          }),
      },
    );
    const { page } = visitor;
    await page.keyboard.press('Control+p');
    await page.waitForFunction(() => globalThis.printed);
    for (const id of order) {
      assert.notEqual(await page.locator(`#${id} figcaption .spoken`).textContent(), '', id);
      assert.ok((await page.locator(`#${id} .picture > *`).count()) > 0, id);
    }
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.sheet-question:visible').count(), order.length);
    assert.equal(await page.locator('.card-face:visible').count(), 0);
    await visitor.leave();
  });

  test('cards open in place, one at a time, and the address knows which', async () => {
    const visitor = await site.arrive({ s: cat });
    const { page } = visitor;
    const faces = page.locator('.card-face');
    await faces.first().scrollIntoViewIfNeeded();
    assert.deepEqual(
      await faces.evaluateAll((all) => all.map((face) => face.getAttribute('aria-controls'))),
      cards.map((id) => `card-${id}`),
    );
    await page.waitForFunction(
      (count) => document.querySelectorAll('.thumbnail svg > *:first-child').length === count,
      cards.length,
    );
    const openIds = () =>
      page.locator('.card-panel:not([hidden])').evaluateAll((all) => all.map(({ id }) => id));
    const topOfFace = (id) =>
      page.$eval(`[aria-controls=card-${id}]`, (face) => face.getBoundingClientRect().top);
    for (const id of ['positions', 'flash']) {
      const face = page.locator(`[aria-controls=card-${id}]`);
      await face.scrollIntoViewIfNeeded();
      const before = await topOfFace(id);
      await face.click();
      assert.deepEqual(await openIds(), [`card-${id}`]);
      assert.ok(Math.abs((await topOfFace(id)) - before) < 2, id);
      assert.match(await visitor.hash(), new RegExp(`[#&]v=${id}`));
      await page.locator(`#${id} figcaption .spoken:not(:empty)`).waitFor();
    }
    await page.reload();
    await visitor.done();
    assert.deepEqual(await openIds(), ['card-flash']);
    await page.locator('#flash figcaption .spoken:not(:empty)').waitFor();
    await page.locator('#flash button').first().focus();
    await page.keyboard.press('Escape');
    assert.deepEqual(await openIds(), []);
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute('aria-controls')),
      'card-flash',
    );
    // A view inside of a card has an address too.
    await visitor.goTo('heads');
    assert.deepEqual(await openIds(), ['card-whole']);
    await page.locator('#heads .spoken b').first().waitFor();
    await visitor.leave();
  });
});
