// Fuzzes the engine and the package: node scripts/fuzz.mjs [name ...] [--seconds N] [--seed N] [--no-build]
//   npm run fuzz                    every fuzzer for ten minutes, from a new seed
//   npm run fuzz -- attention       those with "attention" in their names
//   npm run fuzz -- --seconds 3600  for an hour each
// As many run at a time as there are cores.
// The C++ fuzzers (libFuzzer, tests/fuzz/native) start from tests/fuzz/corpus, keep inputs that reach new code in build/fuzz
// and go on from there. Those of the package (fast-check, tests/fuzz/node) run in proportion: as often more than in the tests as
// the time is longer. build/fuzz/log.txt counts what each executes. What a C++ fuzzer finds is written to build/fuzz: the program with that file as its argument shows it again.

import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { ExpectedError, run, runMain, say, step } from './lib/console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const programs = join(root, 'build/native-asan');
const kept = join(root, 'build/fuzz');

/** `npm test fuzz` runs each C++ fuzzer for as long, and those of the package once. */
export const secondsInTests = 8;

const namesIn = (folder, ending) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));

async function fuzzNative(name, { seconds, seed }) {
  const corpus = join(kept, name);
  mkdirSync(corpus, { recursive: true });
  const stored = join(root, 'tests/fuzz/corpus', name);
  const output = await run(
    join(programs, `fuzz_${name}`),
    [
      corpus,
      ...(existsSync(stored) ? [stored] : []),
      `-max_total_time=${seconds}`,
      `-seed=${seed}`,
      '-max_len=1024',
      '-timeout=60',
      '-rss_limit_mb=4096', // 64 MiB for each input (fuzzed.h); AddressSanitizer keeps for a while what was freed
      '-print_final_stats=1',
      `-artifact_prefix=${kept}/${name}-`,
    ],
    { cwd: root, withErrors: true, env: { UBSAN_OPTIONS: 'print_stacktrace=1' } },
  );
  const [, count] = /number_of_executed_units: (\d+)/.exec(output) ?? [];
  if (!(Number(count) > 0)) throw new ExpectedError(`fuzz_${name} executed nothing.`);
  return Number(count);
}

async function fuzzNode(name, { seconds, seed }) {
  const env = { NO_COLOR: '1', FUZZ_SEED: `${seed}`, FUZZ_TIMES: `${seconds / secondsInTests}` };
  const file = join('tests/fuzz/node', `${name}.test.mjs`);
  const output = await run(process.execPath, ['--test', file], { cwd: root, env, withErrors: true });
  return Number(/(\d+) inputs executed/.exec(output)?.[1] ?? 0);
}

/** Returns how many inputs a fuzzer executed. */
async function fuzzOne({ name, fuzz }, { seconds, seed }) {
  const begin = performance.now();
  let count = 0;
  await step(`Fuzzing ${name}`, async () => {
    count = await fuzz(name, { seconds, seed });
  });
  const took = Math.ceil((performance.now() - begin) / 1000);
  appendFileSync(join(kept, 'log.txt'), `${new Date().toISOString()} ${name} ${count} in ${took} s\n`);
  say(`    ${name}: ${count} inputs`);
  return count;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '600' },
      seed: { type: 'string' },
      'no-build': { type: 'boolean', default: false },
    },
  });
  const seconds = Number(values.seconds);
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const wanted = (name) => positionals.length === 0 || positionals.some((part) => name.includes(part));
  const native = namesIn('tests/fuzz/native', '.cpp').filter(wanted);
  const node = namesIn('tests/fuzz/node', '.test.mjs').filter(wanted);
  if (native.length + node.length === 0)
    throw new ExpectedError(`No fuzzer is named ${positionals.join(' or ')}.`);
  if (!values['no-build']) await build(['asan', 'all']);
  mkdirSync(kept, { recursive: true });
  const targets = [
    ...native.map((name) => ({ name, fuzz: fuzzNative })),
    ...node.map((name) => ({ name, fuzz: fuzzNode })),
  ];
  // First, since a failure ends the run.
  say(`    seed ${seed}`);
  let executed = 0;
  const work = async () => {
    for (let target = targets.shift(); target; target = targets.shift()) {
      try {
        executed += await fuzzOne(target, { seconds, seed });
      } catch (error) {
        targets.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  say(`    ${executed} inputs executed`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
