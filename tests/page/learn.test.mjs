// "Watch it learn" in the page: what is loaded when, learning, the past, two seeds, what is left out, and an end without leftovers.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createTrainer } from '../../dist/train.js';
import { bundleForNode } from './bundle.mjs';
import { cat, openSite, root } from './site.mjs';

const site = openSite();

const openLearn = (settings = {}, options = {}) => {
  const fields = Object.entries(settings).map(([name, value]) => [`learn.${name}`, value]);
  return site.arrive({ s: cat, v: 'learn', ...Object.fromEntries(fields) }, options);
};

/** Waits until each model has taken so many steps. */
const untilStep = (page, step, models = 1) =>
  page.waitForFunction(
    ([least, count]) => {
      const steps = [...document.querySelectorAll('#learn .learn-facts')].map(({ textContent }) =>
        Number(/^step (\d+)/.exec(textContent)?.[1]),
      );
      return steps.length === count && steps.every((one) => one >= least);
    },
    [step, models],
  );

const button = (page, name) => page.locator('#learn').getByRole('button', { name, exact: true });
const facts = (page) => page.locator('#learn .learn-facts').allTextContents();
const lossesOf = async (page) => (await facts(page)).map((text) => Number(/loss ([\d.]+)/.exec(text)[1]));
/** What the maps show. */
const mapsOf = (page) =>
  page.locator('#learn .heat-map canvas').evaluateAll((all) => all.map((canvas) => canvas.toDataURL()));

/** Does something after which so many workers must be gone, or all but those of the engine. */
async function endsWorkers(page, count, action) {
  const before = page.workers();
  const closed = [];
  const isOver = new Promise((resolve) => {
    for (const worker of before)
      worker.on('close', () => {
        closed.push(worker);
        if (closed.length === count) resolve();
      });
  });
  await action();
  await isOver;
}

describe('watch it learn', () => {
  test('nothing is loaded before somebody presses the button; then it learns, stops, and goes back in time', async () => {
    const asked = [];
    const visitor = await openLearn();
    const { page } = visitor;
    page.on('request', (request) => asked.push(request.url()));
    await page.locator('#learn figcaption .spoken:not(:empty)').waitFor();
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    );
    const isTraining = (url) => /\/(transformer-)?train-[\w-]+\.(m?js|wasm)$/.test(url);
    assert.deepEqual(loaded.filter(isTraining), []);
    const [idle] = await mapsOf(page);
    const workers = page.workers().length;
    await button(page, 'Learn').click();
    await untilStep(page, 30);
    assert.ok(asked.some((url) => isTraining(url) && url.endsWith('.wasm')));
    assert.equal(page.workers().length, workers + 1);
    const [now] = await mapsOf(page);
    assert.notEqual(now, idle);
    await button(page, 'Stop').click();
    await page.getByText('Stopped.').waitFor();
    const [last] = await facts(page);

    // What the reader asks is answered with what it knows now.
    await page.fill('#learn-own', 'tests');
    await page.locator('#learn .learn-answers p').nth(1).waitFor();
    assert.match(
      await page.locator('#learn .learn-answers p').nth(1).innerText(),
      /^tests → \S+ (right|wrong)$/,
    );
    await page.fill('#learn-own', 'a');
    assert.equal(await page.getAttribute('#learn-own', 'aria-invalid'), 'true');

    const slider = page.locator('#learn input[type=range]');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('As it was at step 0').waitFor();
    const [atFirst] = await mapsOf(page);
    assert.match((await facts(page))[0], /^step 0 · 0 of 100/);
    await page.keyboard.press('ArrowRight');
    await page.getByText('As it was at step 10,').waitFor();
    const [tenth] = await mapsOf(page);
    assert.equal(new Set([idle, atFirst, tenth]).size, 3);
    await page.keyboard.press('End');
    await page.getByText('Stopped.').waitFor();
    assert.equal((await facts(page))[0], last);
    const { rows, numbers } = await visitor.table('learn');
    assert.deepEqual(rows.slice(0, 4), ['step 0', 'step 10', 'step 20', 'step 30']);
    const [, first, , third] = numbers.map(([loss]) => Number(loss));
    assert.ok(third < first - 0.1, `${first}, then ${third}`);

    // The same seed gives the same numbers, here and in Node.js.
    const { learner } = await bundleForNode(['views/learn/learner.ts']);
    const alone = await learner.Learner.open(
      createTrainer,
      { task: 'reverse', without: 'nothing' },
      { seed: 1 },
    );
    while (alone.losses.length < 30) await alone.step(null);
    await alone.dispose();
    const inNode = alone.moments.map(({ loss, right }) => [Number(loss.toPrecision(3)), right]);
    assert.deepEqual(
      numbers.slice(1, 4).map((row) => row.map(Number)),
      inNode,
    );
    await button(page, 'Start over').click();
    await page.getByText('It learns.').waitFor();
    // One more than that: what it can do after a step is asked once the step is taken.
    await untilStep(page, 31);
    assert.deepEqual((await visitor.table('learn')).numbers.slice(0, 4), numbers.slice(0, 4));

    // A closed card keeps what was learned, and goes on from there.
    const card = page.locator('[aria-controls=card-learn]');
    await card.click();
    const said = page.locator('#learn figcaption .spoken', { hasText: 'Stopped.' });
    await said.waitFor({ state: 'attached' });
    const [closed] = await facts(page);
    await card.click();
    await untilStep(page, Number(/^step (\d+)/.exec(closed)[1]) + 2);
    assert.equal(page.workers().length, workers + 1);
    assert.deepEqual((await visitor.table('learn')).numbers.slice(0, 4), numbers.slice(0, 4));
    // What the reader stopped stays so.
    await button(page, 'Stop').click();
    await said.waitFor();
    await card.click();
    await card.click();
    await button(page, 'Go on').waitFor();
    await endsWorkers(page, 1, () => button(page, 'add').click());
    assert.equal(page.workers().length, workers);
    await visitor.leave();
  });

  test('two seeds differ, what is left out begins anew, and another task ends what was', async () => {
    const visitor = await openLearn({ task: 'add', seeds: '2' });
    const { page } = visitor;
    const workers = page.workers().length;
    await button(page, 'Learn').click();
    await untilStep(page, 20, 2);
    const [one, two] = await lossesOf(page);
    assert.notEqual(one, two);
    const [a, b] = await mapsOf(page);
    assert.notEqual(a, b);
    // A head alone is another map than the mean of all.
    await button(page, 'Stop').click();
    await page.getByText('Stopped.').waitFor();
    const [mean] = await mapsOf(page);
    await button(page, '1').click();
    await page.waitForFunction(
      (before) => document.querySelector('#learn .heat-map canvas').toDataURL() !== before,
      mean,
    );

    await endsWorkers(page, 2, () => button(page, 'no mask').click());
    await page.getByText('Without a mask, each place sees').waitFor();
    await untilStep(page, 40, 2);
    assert.match(await visitor.hash(), /learn\.without=mask/);
    const broken = await lossesOf(page);
    assert.ok(Math.max(...broken) < 1.5, `it copies what it is to write: ${broken}`);

    await endsWorkers(page, 2, () => button(page, 'translate twenty sentences').click());
    assert.equal(page.workers().length, workers);
    assert.deepEqual(await facts(page), ['step 0', 'step 0']);
    await button(page, 'Learn').click();
    await untilStep(page, 2, 2);
    // Whoever comes back to the page finds a new beginning.
    await endsWorkers(page, 2, () => page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide'))));
    await button(page, 'Learn').waitFor();
    await visitor.leave();
  });

  test('axe finds nothing, and a phone needs no sideways scrolling', async () => {
    const axe = await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const settings = { task: 'add', seeds: '2', without: 'scale' };
    const visitor = await openLearn(settings, { viewport: { width: 390, height: 800 }, bypassCSP: true });
    const { page } = visitor;
    await button(page, 'Learn').click();
    await untilStep(page, 1, 2);
    await button(page, 'Stop').click();
    await page.getByText('Stopped.').waitFor();
    await page.evaluate(axe);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const violations = await page.evaluate(async () => {
        const rules = { 'target-size': { enabled: true } };
        return (await globalThis.axe.run('#learn', { rules })).violations;
      });
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target)}`),
        [],
      );
    }
    assert.equal(await visitor.overflow(), 0);
    await visitor.leave();
  });
});
