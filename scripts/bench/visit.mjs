// npm run bench:page [-- --rounds 5]
// How long a visitor of the page waits: until something is drawn, until the first translation, on a slow network, and for the
// answer to a movement of the pointer. Each round is a browser of its own, with nothing in its cache; medians over the rounds.

import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { build } from '../build.mjs';
import { chromiumLaunch } from '../lib/chromium.mjs';
import { runMain, say, step } from '../lib/console.mjs';
import { buildPage, servePage } from '../serve.mjs';
import { median } from './timing.mjs';

/** "Fast 3G" in browsers' tools: 1.6 Mbit/s of which a tenth is lost, and 562.5 ms there and back. */
const fast3g = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };

const sentences = {
  41: `The cat sat on the mat${' and the dog sat on the mat'.repeat(5)}.`,
  64: `The cat sat on the mat${' and the dog sat on the mat'.repeat(8)}.`,
};

const cat = 'The cat sat on the mat.';

const longestTask = 'longest task over 50';

const moves = 60;

async function inFreshBrowser(call) {
  const browser = await chromium.launch(chromiumLaunch);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript(() => {
      globalThis.longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries())
          globalThis.longest = Math.max(globalThis.longest, duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    return await call(page, await page.context().newCDPSession(page));
  } finally {
    await browser.close();
  }
}

const hasRead = () => /tokens in/.test(document.querySelector('#reading-note')?.textContent);

/** Milliseconds until the first paint, and until the engine itself has translated the sentence of the page. */
const arrival = (url, network) => () =>
  inFreshBrowser(async (page, devtools) => {
    if (network) {
      await devtools.send('Network.enable');
      await devtools.send('Network.emulateNetworkConditions', network);
    }
    await page.addInitScript((condition) => {
      const done = new Function(`return (${condition})()`);
      const look = () => {
        if (done()) globalThis.translatedAt = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, `${hasRead}`);
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => globalThis.translatedAt, null, { timeout: 120_000 });
    return page.evaluate(() => {
      const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
      return [paint, globalThis.translatedAt];
    });
  });

const mainThread = async (devtools) => {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
};

/** Milliseconds of the page's thread for each movement over an element, and its longest task meanwhile if over 50 ms. */
const hover = (url, place) => () =>
  inFreshBrowser(async (page, devtools) => {
    await page.goto(url);
    await page.waitForFunction(hasRead);
    const element = page.locator(place).first();
    await element.scrollIntoViewIfNeeded();
    await page.waitForTimeout(1500); // the views below the one in sight have been drawn
    await devtools.send('Performance.enable');
    const { x, y, width, height } = await element.boundingBox();
    await page.mouse.move(x + 2, y + 2);
    await page.waitForTimeout(200);
    await page.evaluate(forgetTasks);
    const before = await mainThread(devtools);
    for (let i = 1; i <= moves; i++) {
      await page.mouse.move(x + (width * i) / (moves + 1), y + (height * ((i * 7) % moves)) / moves);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    const after = await mainThread(devtools);
    return [(after - before) / moves, await page.evaluate(() => globalThis.longest)];
  });

/** The ids of the page's views, as they stand on it. */
const viewsOf = (url) =>
  inFreshBrowser(async (page) => {
    await page.goto(url);
    return page.locator('main .view').evaluateAll((all) => all.map(({ id }) => id));
  });

const typed = 'The children gave the dog a ball.';

const forgetTasks = () => {
  globalThis.longest = 0;
};

/** The longest task in milliseconds, if over 50, while a sentence is typed at ten letters a second. */
const typing = (url) => () =>
  inFreshBrowser(async (page) => {
    await page.goto(url);
    await page.waitForFunction(hasRead);
    await page.waitForTimeout(1500);
    await page.evaluate(forgetTasks);
    const write = page.getByRole('button', { name: 'Write your own' });
    if (!(await write.isVisible())) await page.locator('.english .anchor').click();
    await write.click();
    await page.fill('#source', '');
    await page.locator('#source').pressSequentially(typed, { delay: 100 });
    await page.waitForTimeout(1000);
    return [await page.evaluate(() => globalThis.longest)];
  });

/** The same with a view in sight, where nobody can type: the sentence changes as fast in the address. */
const changes = (at, view) => () =>
  inFreshBrowser(async (page) => {
    await page.goto(at({ s: cat, v: view }));
    await page.waitForFunction(hasRead);
    await page.waitForTimeout(1500);
    await page.evaluate(forgetTasks);
    for (let end = 1; end <= typed.length; end++) {
      await page.evaluate((url) => location.replace(url), at({ s: typed.slice(0, end), v: view }));
      await page.waitForTimeout(100);
    }
    await page.waitForTimeout(1000);
    return [await page.evaluate(() => globalThis.longest)];
  });

await runMain(async () => {
  const { rounds } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } }).values;
  await build(['wasm', 'js']);
  await buildPage();
  const site = await servePage();
  const at = (fields) => `${site.url}#${new URLSearchParams(fields)}`;
  const views = await viewsOf(site.url);
  const hoverRow = (title, view, place) => [
    `pointer over ${title}`,
    ['thread per movement', longestTask],
    hover(at({ s: cat, v: view }), place),
  ];
  const rows = [
    ['from this machine', ['first paint', 'first translation'], arrival(site.url)],
    ['over Fast 3G', ['first paint', 'first translation'], arrival(site.url, fast3g)],
    ...Object.entries(sentences).map(([tokens, s]) => [
      `pointer over the heads of ${tokens} tokens`,
      ['thread per movement', longestTask],
      hover(at({ s, v: 'heads' }), '#heads canvas'),
    ]),
    hoverRow('text, where nothing happens', 'positions', '#positions h2'), // what a frame costs by itself
    hoverRow('the first screen', '', '.french'),
    ...views.map((view) => hoverRow(view, view, `#${view} .picture`)),
    ['typing', [longestTask], typing(site.url)],
    ...views.map((view) => [
      `a sentence letter by letter, with ${view} in sight`,
      [longestTask],
      changes(at, view),
    ]),
  ];
  try {
    for (const [title, names, measure] of rows) {
      const results = [];
      await step(`${title[0].toUpperCase()}${title.slice(1)}`, async () => {
        for (let round = 0; round < Number(rounds); round++) results.push(await measure());
      });
      for (const [i, name] of names.entries()) {
        const numbers = results.map((result) => result[i]);
        const digits = Math.max(...numbers) < 50 ? 1 : 0;
        const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
        say(
          `    ${name}: ${median(numbers).toFixed(digits)} ms (${low.toFixed(digits)} to ${high.toFixed(digits)})`,
        );
      }
    }
  } finally {
    await site.close();
  }
});
