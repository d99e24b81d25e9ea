// The table of what the web platform expects of Translator and LanguageDetector: as expected, and as the guide shows it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { configure, LanguageDetector, Translator } from '../../dist/translator.js';
import { platformCases, runPlatformCases } from '../lib/platform_cases.mjs';
import { platformTable } from '../lib/platform_table.mjs';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const { differences } = JSON.parse(read('../fixtures/translator/expectations.json'));

let results;
before(async () => {
  const served = new URL('https://models.example/');
  results = await runPlatformCases({ Translator, LanguageDetector, configure, served });
});

for (const [i, [object, what]] of platformCases.entries())
  test(`${object}: ${what}`, () => {
    assert.equal(results[i].passes, !(what in differences), results[i].message ?? 'it passes');
  });

test('the guide has the table', () => {
  const guide = read('../../web/docs/translator.md');
  assert.ok(guide.includes(platformTable(results, differences)), 'node scripts/platform_tests.mjs --write');
});
