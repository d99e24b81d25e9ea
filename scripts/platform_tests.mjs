// What the web platform expects of Translator and LanguageDetector, case by case, as a table: node scripts/platform_tests.mjs
// Compares with tests/fixtures/translator/expectations.json, where each difference has its reason, and fails where a case
// ends otherwise. --write puts the table into web/docs/translator.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { configure, LanguageDetector, Translator } from '../dist/translator.js';
import { runPlatformCases } from '../tests/lib/platform_cases.mjs';
import { platformTable, withTable } from '../tests/lib/platform_table.mjs';
import { ExpectedError, runMain, say } from './lib/console.mjs';

const expectations = JSON.parse(
  readFileSync(new URL('../tests/fixtures/translator/expectations.json', import.meta.url), 'utf8'),
);

await runMain(async () => {
  const served = new URL('https://models.example/');
  const results = await runPlatformCases({ Translator, LanguageDetector, configure, served });
  const table = platformTable(results, expectations.differences);
  say(table);
  if (process.argv.includes('--write')) {
    const guide = new URL('../web/docs/translator.md', import.meta.url);
    writeFileSync(guide, withTable(readFileSync(guide, 'utf8'), table));
  }
  const others = results.filter(({ what, passes }) => passes === what in expectations.differences);
  for (const { object, what, message } of others)
    say(`${object}: ${what}: ${message ?? 'passes, unexpectedly'}`);
  if (others.length > 0) throw new ExpectedError(`${others.length} cases end otherwise than expected.`);
});
