// Pages of any markup in Chromium, which are translated, changed meanwhile and restored: the same markup and the same nodes as
// those of a twin that only the changes happened to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runUnwatched } from '../../lib/unwatched_page.mjs';
import { seeds } from './settings.mjs';

test('live pages', async () => {
  const range = seeds(150);
  const { tried, translated, wrong } = await runUnwatched(async (_, given) => {
    const library = await import('/dist/documents.js');
    const { tryPages } = await import('/tests/lib/live_pages.mjs');
    return tryPages(library, given);
  }, range);
  assert.equal(wrong, null);
  assert.equal(tried, range.count);
  assert.ok(translated > tried / 2, `${translated} of ${tried} pages showed a translation`);
});
