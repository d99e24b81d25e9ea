// The built page in Firefox ESR and WebKitGTK: it translates, one word changes another, every view is drawn without an error.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTrainer } from '../../dist/train.js';
import { otherBrowsers } from '../../scripts/lib/other_browsers.mjs';
import { buildPage } from '../../scripts/serve.mjs';
import { bundleForNode } from './bundle.mjs';
import { built, tired } from './site.mjs';
import { serveFolder } from './static_server.mjs';
import { hashOf } from './visitor.mjs';

/** Runs in the page before everything else. */
function watch() {
  globalThis.complaints = [];
  const complain = (...words) => globalThis.complaints.push(words.join(' '));
  Object.assign(console, { error: complain, warn: complain });
  addEventListener('error', ({ message }) => complain(message));
  addEventListener('unhandledrejection', ({ reason }) => complain(reason));
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    complain(violatedDirective, blockedURI),
  );
}

const views = [
  'look-back',
  'ten-years',
  'self-attention',
  'attention',
  'split',
  'heads',
  'masks',
  'positions',
  'layers',
  'whole',
  'halves',
  'pictures',
  'bottleneck',
  'flash',
  'today',
  'adder',
  'cost',
  'learn',
  'your-model',
];

/** Waits until an expression is true in the page. */
async function until({ evaluate }, expression) {
  const end = Date.now() + 120_000;
  while (!(await evaluate(`Boolean(${expression})`))) {
    if (Date.now() > end)
      throw new Error(`${expression} never came true: ${await evaluate('complaints.join()')}`);
    await sleep(100);
  }
}

describe('in other browsers', () => {
  let server;
  let lossAtTen;
  before(async () => {
    await buildPage();
    const files = ['views/learn/learner.ts', 'views/learn/variants.ts'];
    const { learner, variants } = await bundleForNode(files);
    const { config, options } = variants.settingsOf({ task: 'reverse', without: 'nothing' }, 1);
    const trainer = await createTrainer(config, options);
    for (let step = 0; step < 10; step++)
      lossAtTen = (await trainer.step(learner.batchFor(variants.tasks.reverse, step))).loss;
    await trainer.dispose();
    const html = await readFile(join(built, 'index.html'), 'utf8');
    server = await serveFolder(
      built,
      '/',
      { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
      {
        'index.html': html.replace('<head>', '<head><script src="./watch.js"></script>'),
        'watch.js': `(${watch})()`,
      },
    );
  });
  after(() => server?.close());

  for (const [name, open] of Object.entries(otherBrowsers)) {
    test(`${name}: the page translates, and draws every view`, async () => {
      const page = await open(server.url + hashOf({ s: tired }));
      try {
        await until(page, `document.querySelector('#reading-note')?.textContent.includes('tokens in')`);
        const french = `document.querySelector('.french').innerText`;
        assert.match(await page.evaluate(french), /qu'\s*il\s/);
        await page.evaluate(
          `[...document.querySelectorAll('.chip')].find((chip) => chip.textContent.startsWith('wide')).click()`,
        );
        await until(page, `document.querySelector('.french .word.elle')`);
        for (const view of views) {
          await page.evaluate(`location.assign('#${view}')`);
          await until(page, `document.querySelector('#${view} figcaption .spoken')?.textContent`);
          assert.equal(
            await page.evaluate(`document.querySelector('#${view} .message')?.innerText`),
            '',
            view,
          );
        }
        // It learns here, too, and arrives at the same loss as in Node.js.
        await page.evaluate(`location.assign('#learn')`);
        const learn = `document.querySelector('#learn')`;
        await page.evaluate(`${learn}.querySelector('.primary').click()`);
        await until(page, `/^step [1-9][0-9]/.test(${learn}.querySelector('.learn-facts').textContent)`);
        await page.evaluate(`${learn}.querySelector('[data-fold=table]').click()`);
        await page.evaluate(`${learn}.querySelector('.primary').click()`);
        const loss = `${learn}.querySelector('tbody tr:nth-child(2) td')?.textContent`;
        await until(page, loss);
        assert.equal(Number(await page.evaluate(loss)), Number(lossAtTen.toPrecision(3)));
        assert.deepEqual(await page.evaluate('complaints'), []);
      } finally {
        await page.close();
      }
    });
  }
});
