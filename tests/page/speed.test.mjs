// The page "How fast is it here?": what it measures, what it shares, and what it makes of what others share.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { randomNumbers } from '../lib/random.mjs';
import { bundleForNode } from './bundle.mjs';
import { openSite, root } from './site.mjs';
import { Visitor } from './visitor.mjs';

const site = openSite();

describe('how fast is it here', () => {
  let code;
  before(async () => {
    code = await bundleForNode(['speed/report.ts', 'speed/limits.ts']);
  });

  const report = {
    engine: '0.2.0, relaxed-threads',
    browser: 'Chromium 156 on Linux, 2 processors',
    limits: [{ threads: 1, flopsPerSecond: 55.1e9, bytesPerSecond: 27e9, nearBytesPerSecond: 61.2e9 }],
    measured: [
      { row: 'product', precision: 'f32', threads: 1, milliseconds: 4.02, ofLimit: 0.84 },
      { row: 'decoding', precision: 'int8', threads: 2, milliseconds: 0.291, ofLimit: 1.21 },
    ],
  };

  test('an address carries the whole report', () => {
    const { formatReport, parseReport } = code.report;
    assert.deepEqual(parseReport(formatReport(report)), report);
  });

  test('an address carries the numbers as they are drawn, whatever they are', () => {
    const { formatReport, parseReport, textOf } = code.report;
    const { uniform: random } = randomNumbers(7);
    // Among them such as 0.44046, which is 0.440, but 0.441 once it was 0.4405.
    for (let i = 0; i < 20_000; i++) {
      const row = {
        ...report.measured[0],
        milliseconds: 10 ** (7 * random() - 3),
        ofLimit: 10 ** (4 * random() - 4),
      };
      const given = { ...report, measured: [row] };
      assert.equal(textOf(parseReport(formatReport(given)), ''), textOf(given, ''));
    }
  });

  test('an address that somebody has changed is read as far as it makes sense', () => {
    const { parseReport } = code.report;
    assert.equal(parseReport('#e=x&b=y'), null);
    assert.equal(
      parseReport('#product.f32.1=-4,0.8&product.f32.0=1,1&toString.f32.1=1,1&product.f16.1=1,1'),
      null,
    );
    assert.equal(parseReport('#product.f32.1=NaN,1&encoder.f32.1=1&decoding.f32.1=1e99,1'), null);
    const { browser, limits, measured } = parseReport(
      `#b=${'long'.repeat(99)}&limits.1=1,2&encoder.int8.2=3,0.5`,
    );
    assert.deepEqual([browser.length, limits.length, measured.length], [80, 0, 1]);
  });

  test('the text has a row for each row, and a column for each kind', () => {
    const lines = code.report.textOf(report, 'https://example.org/').split('\n');
    assert.match(lines[2], /32 bits, one thread \| 8 bits, 2 threads/);
    assert.match(lines[4], /^\| Matrix product.* \| 4\.02 ms \(84 %\) \| – \|$/);
    assert.equal(lines.at(-2), 'https://example.org/');
  });

  test('a limit is that of multiply-adds or of reading, part by part', () => {
    const limits = { flopsPerSecond: 1e9, bytesPerSecond: 1e8, nearBytesPerSecond: 1e9 };
    const busy = { flops: 2e6, weightBytes: 1e4, stateBytes: 1e4 };
    const hungry = { flops: 10, weightBytes: 3e5, stateBytes: 1e6 };
    assert.equal(code.limits.limitOf([busy], limits), 2);
    assert.ok(Math.abs(code.limits.limitOf([busy, hungry], limits) - 6) < 1e-9);
  });

  // In French: its decimal comma must not get into the address, where commas separate numbers.
  test('measures every row with one thread and with all, draws it, and shares it', async () => {
    const visitor = await Visitor.arrive(site.browser, `${site.isolated.url}speed/?rounds=1&lang=fr`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Mesurer' }).click();
    await page.getByText('Terminé.').waitFor({ timeout: 180_000 });
    const shared = code.report.parseReport(new URL(page.url()).hash);
    const all = shared.limits.length;
    assert.equal(shared.measured.length, 7 * all);
    assert.equal(await page.locator('.speeds li').count(), 7 * all);
    assert.match(shared.engine, /^\d+\.\d+\.\d+.*, (simd|relaxed)/);
    const times = await page.locator('.speeds .amount b').allInnerTexts();
    assert.ok(
      times.every((time) => Number.parseFloat(time.replace(',', '.')) > 0),
      `${times}`,
    );
    const other = await Visitor.arrive(site.browser, page.url(), { viewport: { width: 320, height: 700 } });
    await other.page.getByText('Partagé avec vous :').waitFor();
    assert.deepEqual(await other.page.locator('.speeds .amount b').allInnerTexts(), times);
    assert.equal(await other.overflow(), 0);
    await other.leave();
    await visitor.leave();
  });

  for (const colorScheme of ['light', 'dark'])
    test(`axe finds nothing in what is shared: ${colorScheme}`, async () => {
      const axe = await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
      const address = `${site.plain.url}speed/${code.report.formatReport(report)}`;
      const visitor = await Visitor.arrive(site.browser, address, { bypassCSP: true, colorScheme });
      await visitor.page.locator('.speeds li').first().waitFor();
      await visitor.page.evaluate(axe);
      const violations = await visitor.page.evaluate(async () => (await globalThis.axe.run()).violations);
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target)}`),
        [],
      );
      await visitor.leave();
    });

  test('stops when it is told to, and keeps what it has', async () => {
    const visitor = await Visitor.arrive(site.browser, `${site.plain.url}speed/?rounds=1`);
    await visitor.page.getByRole('button', { name: 'Measure' }).click();
    await visitor.page.locator('.speeds li').first().waitFor({ timeout: 120_000 });
    await visitor.page.getByRole('button', { name: 'Stop' }).click();
    await visitor.page.getByText('Stopped').waitFor({ timeout: 120_000 });
    assert.ok((await visitor.page.locator('.speeds li').count()) < 7);
    await visitor.page.getByRole('button', { name: 'Copy as text' }).waitFor();
    await visitor.leave();
  });
});
