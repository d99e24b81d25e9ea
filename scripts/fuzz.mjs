// Fuzzes the package with fast-check: node scripts/fuzz.mjs [name ...] [--times N] [--seed N]
//   npm run fuzz                   every file of tests/fuzz, a hundred times as long as in `npm test`, from a new seed
//   npm run fuzz -- readers        those with "readers" in their names
//   npm run fuzz -- --times 5000   for hours
// A failure prints the smallest input that shows it, and the seed that finds it again.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ExpectedError, run, runMain, say, step } from './lib/console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = 'tests/fuzz/node';

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { times: { type: 'string', default: '100' }, seed: { type: 'string' } },
  });
  const times = Number(values.times);
  const seed = values.seed ?? (times > 1 ? `${Date.now() % 2 ** 31}` : '20261122');
  const files = readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.test.mjs'))
    .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)));
  if (files.length === 0) throw new ExpectedError(`No fuzzer is named ${positionals.join(' or ')}.`);
  const env = { NO_COLOR: '1', FUZZ_SEED: seed, FUZZ_TIMES: `${times}` };
  for (const file of files) {
    await step(`Fuzzing ${file}, ${times} times`, () =>
      run(process.execPath, ['--test', join(folder, file)], { cwd: root, env, withErrors: true }),
    );
  }
  say(`    seed ${seed}`);
}

await runMain(main);
