// "Read along": every step shows what it names, and its address shows it again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSite, wide } from './site.mjs';
import { hashOf, Visitor } from './visitor.mjs';

const site = openSite();

/** Waits until something is highlighted, and whether it is on the screen and not behind the guide. */
const seesWhatIsNamed = (page) =>
  page.waitForFunction(() => {
    const tour = document.querySelector('.tour').getBoundingClientRect();
    const named = [...document.querySelectorAll('main *')].filter(
      (element) => getComputedStyle(element).outlineWidth === '3px' && element.checkVisibility(),
    );
    return named.some((element) => {
      const { top, bottom, left, right } = element.getBoundingClientRect();
      const isOnScreen = bottom > 72 && top < innerHeight;
      const isHidden = top > tour.top && bottom < tour.bottom && left > tour.left && right < tour.right;
      return isOnScreen && !isHidden;
    });
  });

describe('read along', () => {
  for (const width of [1280, 390]) {
    test(`leads through twelve steps, at ${width} pixels`, async () => {
      const visitor = await site.arrive({ s: wide }, { viewport: { width, height: 800 } });
      const { page } = visitor;
      await page.getByRole('button', { name: 'Read along' }).click();
      const [next, back] = ['Next', 'Back'].map((name) => page.getByRole('button', { name, exact: true }));
      assert.ok(await back.isDisabled());
      const views = [];
      for (let step = 1; step <= 12; step++) {
        await page.getByRole('heading', { name: `${step} of 12` }).waitFor();
        await seesWhatIsNamed(page);
        views.push(new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)).get('v'));
        if (step < 12) await next.click();
      }
      assert.deepEqual(
        [...new Set(views)],
        ['stage', 'positions', 'attention', 'masks', 'heads', 'layers', 'beams'],
      );
      assert.equal(views.at(-1), 'beams');
      assert.ok(await next.isDisabled());
      assert.equal(await visitor.overflow(), 0);
      await page.keyboard.press('Shift+Tab');
      await back.press('Escape');
      await page.locator('.tour').waitFor({ state: 'hidden' });
      assert.equal(await page.evaluate(() => /[#&]t=/.test(location.hash)), false);
      await visitor.leave();
    });
  }

  test('an address leads to its step, whose numbers are those of the page', async () => {
    const fields = { s: wide, v: 'attention', t: 7, h: 'cross.1.0' };
    const visitor = await Visitor.arrive(site.browser, site.plain.url + hashOf(fields));
    const { page } = visitor;
    await page.getByRole('heading', { name: '7 of 12' }).waitFor();
    await seesWhatIsNamed(page);
    await visitor.done();
    const [, word, key, share] = /“(.+)” looked at “(.+)”: (.+)\./.exec(await visitor.text('.tour .here'));
    await page.locator('#attention .steps').waitFor();
    const said = await page.locator('#attention figcaption .spoken').textContent();
    assert.ok(said.includes(`${word} looks most at ${key}`) && said.includes(share), said);
    await visitor.leave();
  });
});
