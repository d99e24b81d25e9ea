// The page "The same bits": it computes what the receipts say, shows both hashes, and says where something differs.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ours } from '../../scripts/receipts/rows.mjs';
import { openSite, root } from './site.mjs';
import { Visitor } from './visitor.mjs';

const site = openSite();

describe('the same bits', () => {
  test('are computed on a phone too, and the page is accessible', async () => {
    const visitor = await Visitor.arrive(site.browser, `${site.plain.url}proof/`, {
      bypassCSP: true,
      colorScheme: 'dark',
      viewport: { width: 320, height: 700 },
    });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Compute' }).click();
    await page
      .getByText(`${ours.length} of ${ours.length} models gave the same`)
      .waitFor({ timeout: 120_000 });
    const hashes = await page.locator('.proofs code').allInnerTexts();
    assert.equal(hashes.length, 2 * ours.flatMap(({ examples }) => examples).length);
    for (let at = 0; at < hashes.length; at += 2) assert.equal(hashes[at], hashes[at + 1]);
    assert.equal(await visitor.overflow(), 0);
    await page.evaluate(await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8'));
    const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations);
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target)}`),
      [],
    );
    await visitor.leave();
  });

  test('one other bit and one other file are said', async () => {
    const visitor = await Visitor.arrive(site.browser, `${site.isolated.url}proof/`);
    const { page } = visitor;
    const change = (name, edit) =>
      page.route(new RegExp(`/${name}-[^/]*\\.json$`), async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: edit(await response.json()) });
      });
    await change('digits', (receipt) => {
      receipt.answers[1].bits = receipt.answers[1].bits.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
      return receipt;
    });
    await change('en-continue', (receipt) => {
      receipt.files['config.json'] = 'ab'.repeat(32);
      return receipt;
    });
    await page.getByRole('button', { name: 'Compute' }).click();
    await page.getByRole('alert').getByText('config.json').waitFor({ state: 'attached' });
    const answers = page.locator('.proofs li', { hasText: 'digits' }).locator('dl');
    assert.deepEqual(await answers.evaluateAll((all) => all.map(({ className }) => className)), [
      'same',
      'other',
      'same',
    ]);
    await visitor.leave();
  });
});
