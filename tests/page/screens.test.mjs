// On every screen and for everyone: narrow windows, layout, axe, motion.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openSite, root, tired, unknown } from './site.mjs';
import { hashOf, Visitor } from './visitor.mjs';

const site = openSite();

describe('on every screen', () => {
  /** Scrolls through the page, so that every view is drawn. */
  async function scrollThrough({ page }) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    for (let y = 0; y < height + 3000; y += 600) {
      await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), y);
      await page.waitForTimeout(120);
    }
  }

  test('nothing is wider than a screen of 320 pixels, a word of 200 letters included', async () => {
    const visitor = await site.arrive(
      { s: `The ${'long'.repeat(50)} cat sat.` },
      { viewport: { width: 320, height: 640 } },
    );
    assert.equal(await visitor.overflow(), 0);
    await visitor.write(tired);
    await scrollThrough(visitor);
    assert.equal(await visitor.overflow(), 0);
    await visitor.leave();
  });

  for (const when of ['before', 'after'])
    test(`the layout does not shift while the page loads and translates, its font there ${when} the text`, async () => {
      const before = (page) =>
        page.route('**/*.woff2', async (route) => {
          if (when === 'after') await page.waitForSelector('.french .word');
          await route.continue();
        });
      const visitor = await site.arrive({ s: tired }, { before, reducedMotion: 'no-preference' });
      await visitor.write('I am hungry.');
      await visitor.page.waitForTimeout(300);
      assert.ok(await visitor.page.evaluate(() => document.fonts.check('16px Inter')));
      const shift = await visitor.page.evaluate(() => globalThis.shift);
      assert.ok(shift < 0.05, `layout shift ${shift}`);
      await visitor.leave();
    });

  test('axe finds nothing, in light and dark, with an unknown word and with an error', async () => {
    const axe = await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ]) {
      const visitor = await site.arrive(
        // Heads that are off are ghosts.
        { s: unknown, off: 'cross.1.1,cross.1.3,decoder.1.3,encoder.0.2' },
        { colorScheme, viewport: { width, height: 900 } },
      );
      await scrollThrough(visitor);
      const problems = async () => {
        await visitor.page.waitForTimeout(400);
        const { violations } = await visitor.page.evaluate(
          `${axe}; axe.run({ rules: { 'target-size': { enabled: true } } })`,
        );
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' | ')}`,
        );
      };
      await visitor.page.evaluate(() => {
        const folds = document.querySelectorAll('#masks .furniture [aria-expanded=false]:not([hidden])');
        for (const fold of folds) fold.click();
      });
      assert.deepEqual(await problems(), []);
      await visitor.openField();
      await visitor.page.fill('#source', `The cat ${'and the cat '.repeat(60)}sat.`);
      await visitor.page.press('#source', 'Enter');
      await visitor.page.getByText('too long for the model').waitFor();
      assert.deepEqual(await problems(), []);
      await visitor.write(tired);
      await visitor.page.evaluate(() => location.assign('#masks'));
      if (width < 1180) await visitor.page.locator('.map-strip').click();
      await visitor.page.locator('.map .read-along').click();
      await visitor.page.locator('.map .lit').first().waitFor();
      assert.deepEqual(await problems(), []);
      await visitor.leave();
    }
  });

  test('the bar shows what has room, whole, and nothing lies over anything', async () => {
    for (const query of ['', '?present']) {
      const visitor = await Visitor.arrive(site.browser, `${site.plain.url}${query}${hashOf({ s: tired })}`);
      const { page } = visitor;
      await visitor.done();
      // Lectures are for large screens.
      for (const width of query ? [1024, 1440] : [320, 390, 700, 800, 1024, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        const boxes = await page.evaluate(() => {
          const line = document.querySelector('.bar .facts').getBoundingClientRect();
          const facts = [...document.querySelectorAll('.bar .facts > span:not(.visually-hidden)')];
          const others = [...document.querySelectorAll('.bar-inside > :not(.facts)')];
          return [...others, ...facts]
            .map((one) => one.getBoundingClientRect())
            .filter((box) => box.width > 0 && (line.height === 0 || box.top < line.bottom - 1))
            .map(({ left, right }) => [left, right])
            .sort(([a], [b]) => a - b);
        });
        assert.ok(boxes.length > 1, JSON.stringify(boxes));
        for (const [i, [left, right]] of boxes.entries()) {
          const next = boxes[i + 1]?.[0] ?? width;
          assert.ok(left >= 0 && right <= next + 1, `${query} ${width}: ${JSON.stringify(boxes)}`);
        }
      }
      await visitor.leave();
    }
  });

  test('the bar shows the chosen word whole, wherever it stands in a long sentence', async () => {
    const s = `The cat sat on the mat${' and the dog sat on the mat'.repeat(2)} and the cat was tired.`;
    for (const w of ['1', '12', '22']) {
      const visitor = await site.arrive({ s, w, v: 'masks' }, { viewport: { width: 390, height: 844 } });
      const { page } = visitor;
      await page.locator('.now').waitFor();
      await page.waitForFunction(() => {
        const [bar, word] = ['.now', '.now b'].map((name) =>
          document.querySelector(name)?.getBoundingClientRect(),
        );
        return word && word.width > 0 && word.left >= bar.left - 1 && word.right <= bar.right + 1;
      });
      await visitor.leave();
    }
  });

  test('a wide screen has no empty half, and paper has no controls', async () => {
    const visitor = await site.arrive({ s: tired }, { viewport: { width: 3840, height: 2160 } });
    const { page } = visitor;
    await scrollThrough(visitor);
    assert.equal(await visitor.overflow(), 0);
    const { x, width } = await page.locator('#stage').boundingBox();
    assert.ok(Math.abs(x + width / 2 - 1920) < 20, 'in the middle');
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 794, height: 1123 });
    const pressed = await page
      .locator(
        '.bar:visible, .controls:visible, .fold:not(.sheet-fold):visible, .popover:visible, .stage-controls:visible',
      )
      .count();
    assert.equal(pressed, 0);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await visitor.text('.printed-address'), page.url());
    assert.ok(await page.locator('.ribbons path').first().isVisible());
    assert.equal(await visitor.overflow(), 0);
    await visitor.leave();
  });

  test('where the system chooses the colours, what is pressed and which word is meant can be seen', async () => {
    const visitor = await site.arrive({ s: tired, v: 'heads' }, { forcedColors: 'active' });
    await visitor.page.locator('#heads .agreement b').waitFor();
    // In one call: what is drawn anew between two would have no colours.
    for (const group of ['#heads .choice .buttons', '.chips', '.french'])
      await visitor.page.waitForFunction((selector) => {
        const colours = (pressed) =>
          [...document.querySelectorAll(`${selector} [aria-pressed="${pressed}"]`)].map(
            (one) => getComputedStyle(one).backgroundColor,
          );
        const [pressed] = colours(true);
        return pressed && !colours(false).includes(pressed);
      }, group);
    const [paper, ink] = await visitor.page.evaluate(() => {
      const bar = document.querySelector('#heads .word-bar.looked');
      return [getComputedStyle(bar).backgroundColor, getComputedStyle(bar, '::before').backgroundColor];
    });
    assert.notEqual(paper, ink);
    await visitor.leave();
  });

  test('where motion is to be reduced, the word changes at once and nothing moves', async () => {
    const visitor = await Visitor.arrive(site.browser, site.plain.url, {
      reducedMotion: 'reduce',
      // The first picture has it already, without the model.
      before: async (page) => {
        await page.route(/\.(wasm|safetensors)$/, () => {});
        await page.addInitScript(() => {
          const first = (selector) => document.querySelector(`.french ${selector}`) && performance.now();
          new MutationObserver(() => {
            globalThis.written ??= first('.word') ?? undefined;
            globalThis.changed ??= first('.word.elle') ?? undefined;
          }).observe(document, { childList: true, subtree: true });
        });
      },
    });
    const { page } = visitor;
    await page.locator('.french .word.elle').waitFor();
    const waited = await page.evaluate(() => globalThis.changed - globalThis.written);
    assert.ok(waited < 2000, `${waited} ms, of the opening's 4000`);
    assert.equal(await page.locator('.english .anchor').innerText(), 'wide');
    const animations = await page.evaluate(
      () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
    );
    assert.equal(animations, 0);
    // In place of "Play again": the loom before the swap, above the one after it.
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.former-loom .french .word.il').waitFor();
    const [former, loom] = await page
      .locator('#stage .loom')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    assert.ok(former < loom, `${former} above ${loom}`);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.former-loom').waitFor({ state: 'hidden' });
    await visitor.leave();
  });
});
