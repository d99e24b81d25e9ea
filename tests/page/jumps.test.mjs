// A jump leads to its view, and the view stays there while the page around it grows, until the visitor moves.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { otherBrowsers } from '../../scripts/lib/other_browsers.mjs';
import { built, cat, openSite } from './site.mjs';
import { serveFolder } from './static_server.mjs';
import { hashOf } from './visitor.mjs';

const site = openSite();

/** A call in the page, as an expression. */
const inPage = (work, ...values) => `(${work})(...${JSON.stringify(values)})`;

/** Makes the first screen higher, as pictures do when they arrive, and lets the page draw that. */
async function grow() {
  const stage = document.querySelector('#stage');
  stage.style.paddingBottom = `${(Number.parseFloat(stage.style.paddingBottom) || 0) + 300}px`;
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
}

/** Whether a view's top is so far from its place. */
function isAway([id, least, most]) {
  const { scrollPaddingTop } = getComputedStyle(document.documentElement);
  const { scrollMarginTop } = getComputedStyle(document.getElementById(id));
  const place = Number.parseFloat(scrollPaddingTop) + Number.parseFloat(scrollMarginTop);
  const away = Math.abs(document.getElementById(id).getBoundingClientRect().top - place);
  return away >= least && away <= most;
}

/** Whether the page has seen the visitor move: the browser keeps what is in sight in its place again. */
const isReleased = () => document.documentElement.style.getPropertyValue('overflow-anchor') === '';

const at = (id) => [id, 0, 2];
const awayFrom = (id) => [id, 10, Number.MAX_VALUE];

/**
 * What `look` finds in the frame that is painted next: after everyone who watches sizes has been called, the youngest observer last.
 * At any other time the page may just have grown and not been put into its place yet.
 */
const asPainted = (look) =>
  new Promise((resolve) =>
    requestAnimationFrame(() => {
      const observer = new ResizeObserver(() => {
        observer.disconnect();
        resolve(look());
      });
      observer.observe(document.documentElement);
    }),
  );

/** Asserts that a view has been jumped to and stays in its place. */
async function staysAt(page, id) {
  await page.waitForFunction(isAway, at(id));
  for (let times = 0; times < 3; times++) {
    await page.evaluate(grow);
    assert.ok(await page.evaluate(`(${asPainted})(() => ${inPage(isAway, at(id))})`));
  }
}

/** Answers the requests for the code of views only once it is called. */
async function hold(page, names) {
  const waiting = [];
  let isOpen = false;
  await page.route(new RegExp(`/(${names.join('|')})-[^/]*\\.js$`), (route) =>
    isOpen ? route.continue() : waiting.push(route),
  );
  return async () => {
    isOpen = true;
    await Promise.all(waiting.map((route) => route.continue()));
  };
}

const jumps = {
  'an address that a script or a bookmark sets': (page) => page.evaluate(() => location.assign('#masks')),
  'a typed address with a sentence': (page) =>
    page.evaluate(() => location.assign('#s=I+am+hungry.&v=masks')),
  'the heading of a view': (page) => page.locator('#masks-title a').click(),
  'a number of the map': async (page) => {
    await page.evaluate(() => document.querySelector('#self-attention').scrollIntoView());
    await page.locator('.map-numbers a[href="#masks"]').click();
  },
};

describe('a jump', () => {
  for (const reducedMotion of ['reduce', 'no-preference'])
    for (const [how, jump] of Object.entries(jumps))
      test(`by ${how} stays at its view while those above are loaded and grow: ${reducedMotion}`, async () => {
        const visitor = await site.arrive({ s: cat }, { reducedMotion });
        const { page } = visitor;
        const open = await hold(page, ['split', 'attention', 'heads', 'self-attention']);
        await jump(page);
        await page.waitForFunction(isAway, at('masks'));
        await open();
        await page.locator('#masks .spoken', { hasText: 'cells are hidden' }).waitFor();
        await staysAt(page, 'masks');
        await visitor.leave();
      });

  const moves = {
    'turns the wheel': (page) => page.mouse.wheel(0, 200),
    'presses a key': (page) => page.keyboard.press('ArrowDown'),
    'moves the scroll bar': (page) => page.evaluate(() => scrollBy({ top: 200, behavior: 'instant' })),
  };
  for (const [how, move] of Object.entries(moves))
    test(`lets go of a visitor who ${how}`, async () => {
      const visitor = await site.arrive({ s: cat });
      const { page } = visitor;
      await page.evaluate(() => location.assign('#masks'));
      await staysAt(page, 'masks');
      await move(page);
      await page.waitForFunction(isReleased);
      // How far a key or a wheel scrolls, and whether a busy browser drops it, is the browser's affair.
      await page.evaluate(() => scrollBy({ top: 200, behavior: 'instant' }));
      await page.evaluate(grow);
      assert.ok(await page.evaluate(isAway, awayFrom('masks')));
      await visitor.leave();
    });

  test('lets go of a visitor who goes back, to where they were', async () => {
    const visitor = await site.arrive({ s: cat, v: 'masks' });
    const { page } = visitor;
    await staysAt(page, 'masks');
    await page.evaluate(() => location.assign('#beams'));
    await page.waitForFunction(isAway, at('beams'));
    await page.goBack();
    await page.waitForFunction(isAway, at('masks'));
    await visitor.leave();
  });

  test('at arrival counts more than where the page was before a reload', async () => {
    const visitor = await site.arrive({ s: cat, v: 'masks' });
    const { page } = visitor;
    await staysAt(page, 'masks');
    await page.mouse.wheel(0, -900);
    await page.waitForFunction(isAway, awayFrom('masks'));
    await page.reload();
    await visitor.done();
    await staysAt(page, 'masks');
    assert.equal(await page.evaluate(() => history.scrollRestoration), 'auto');
    await visitor.leave();
  });
});

describe('a jump in other browsers', () => {
  let server;
  before(async () => {
    server = await serveFolder(built, '/');
  });
  after(() => server?.close());

  for (const [name, open] of Object.entries(otherBrowsers))
    test(`${name}: stays at its view while those above grow`, async () => {
      const page = await open(server.url + hashOf({ s: cat }));
      try {
        const until = async (expression) => {
          while (!(await page.evaluate(expression)));
        };
        await until(`document.querySelector('#reading-note')?.textContent.includes('tokens in')`);
        await page.evaluate(`location.assign('#masks')`);
        await until(`document.querySelector('#masks .spoken')?.textContent.includes('cells are hidden')`);
        await until(inPage(isAway, at('masks')));
        for (let times = 0; times < 3; times++) {
          await page.evaluate(`void ${inPage(grow)}`);
          await until(`document.querySelector('#stage').style.paddingBottom === '${300 * (times + 1)}px'`);
          await until(inPage(isAway, at('masks')));
        }
      } finally {
        await page.close();
      }
    });
});
