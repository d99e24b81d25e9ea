// A view that is in sight is drawn: whatever the browser reports at once, wherever the page is, whatever failed before.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cat, openSite, tired } from './site.mjs';
import { hashOf, Visitor } from './visitor.mjs';

const site = openSite();

/** Runs before the page: each report about sight comes after one that no longer holds, as it does where a browser is busy. */
function reportLate() {
  globalThis.IntersectionObserver = class extends IntersectionObserver {
    constructor(callback, options) {
      super((records, observer) => {
        const late = records.map(({ target, isIntersecting }) => ({
          target,
          isIntersecting: !isIntersecting,
        }));
        callback([...late, ...records], observer);
      }, options);
    }
  };
}

const drawn = (page, view) => page.locator(`#${view} .spoken b`).first().waitFor({ timeout: 30_000 });

/** Waits until the page has stayed as high as it is for a second. */
const settled = (page) =>
  page.evaluate(async () => {
    for (let since = performance.now(), height = 0; performance.now() - since < 1000; ) {
      if (document.body.offsetHeight !== height)
        [height, since] = [document.body.offsetHeight, performance.now()];
      await new Promise(requestAnimationFrame);
    }
  });

/** Runs before the page: the heights of a view once it has this element, in each frame in which they change. */
function followHeights({ view, selector }) {
  globalThis.heights = [];
  const look = () => {
    const section = document.getElementById(view);
    const height = section?.querySelector(selector) ? section.offsetHeight : 0;
    if (height > 0 && height !== globalThis.heights.at(-1)) globalThis.heights.push(height);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

describe('in sight', () => {
  for (const [view, selector, done] of [
    ['layers', '.likeness', '.likeness-steps .says'],
    ['positions', '.shuffle li', '.shuffle .spoken:not(:empty)'],
    ['ten-years', '.card:not([hidden])', '.spoken:not(:empty)'],
    ['heads', '.wall', '.agreement b'],
  ])
    test(`${view}: what arrives late finds its place kept`, async () => {
      const visitor = await Visitor.arrive(
        site.browser,
        `${site.plain.url}?embed=${view}${hashOf({ s: tired })}`,
        { before: (page) => page.addInitScript(followHeights, { view, selector }) },
      );
      await visitor.page.locator(`#${view} ${done}`).first().waitFor();
      await settled(visitor.page);
      const heights = await visitor.page.evaluate(() => globalThis.heights);
      // What is said below a picture, and the folds, are a line each.
      assert.ok(Math.max(...heights) - heights[0] <= 90, `${heights}`);
      await visitor.leave();
    });

  test('of several reports at once the last one counts', async () => {
    const visitor = await site.arrive(
      { s: cat, v: 'heads' },
      { before: (page) => page.addInitScript(reportLate) },
    );
    await drawn(visitor.page, 'heads');
    assert.equal(await visitor.page.locator('.bar .now').isVisible(), true);
    await visitor.page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await visitor.page.locator('.bar .now').waitFor({ state: 'hidden' });
    await visitor.leave();
  });

  test('a scroll without a touch, as with a scroll bar, lets go of the view that the address names', async () => {
    const visitor = await site.arrive({ s: cat, v: 'heads' });
    const { page } = visitor;
    await drawn(page, 'heads');
    const heads = await page.evaluate(async () => {
      scrollTo({ top: 0, behavior: 'instant' });
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      // Something above the view grows, as when another one is drawn.
      document.querySelector('#stage').style.paddingBottom = '300px';
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return scrollY;
    });
    assert.equal(heads, 0);
    await visitor.leave();
  });

  test('a view that the address names stays in its place while those above it grow', async () => {
    const visitor = await site.arrive({ s: cat, v: 'heads' });
    const top = () => visitor.page.$eval('#heads', (element) => element.getBoundingClientRect().top);
    await settled(visitor.page);
    const before = await top();
    await visitor.page.$eval('#stage', (stage) => {
      stage.style.paddingBottom = '300px';
      stage.getBoundingClientRect();
    });
    await settled(visitor.page);
    assert.ok(Math.abs((await top()) - before) < 2, `${await top()} after ${before}`);
    await visitor.leave();
  });

  for (const again of ['a button', 'coming back']) {
    test(`a view whose code could not be loaded is tried again by ${again}`, async () => {
      const missing = /\/masks-[^/]*\.js$/;
      const visitor = await Visitor.arrive(site.browser, site.plain.url + hashOf({ s: tired, v: 'masks' }), {
        before: (page) => page.route(missing, (route) => route.fulfill({ status: 404 })),
      });
      const { page } = visitor;
      await page.locator('#masks .message', { hasText: /could not be drawn.*could not be loaded/ }).waitFor();
      await visitor.done();
      await settled(page);
      await page.unroute(missing);
      if (again === 'a button')
        await page.locator('#masks').getByRole('button', { name: 'Draw again' }).click();
      else {
        await page.mouse.wheel(0, -20_000);
        await page.waitForFunction(() => scrollY === 0);
        await page.locator('#masks').scrollIntoViewIfNeeded();
      }
      await page.locator('#masks .spoken', { hasText: 'cells are hidden' }).waitFor({ timeout: 30_000 });
      visitor.complaints = visitor.complaints.filter((text) => !/status of 404/.test(text));
      await visitor.leave();
    });
  }
});
