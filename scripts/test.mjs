// Checks everything: node scripts/test.mjs [stage ...] [--verbose]
// Sets up and builds what is missing first. With stages named, only those (and no build); they are listed below.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ExpectedError, run, runMain, say, step } from './lib/console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules/.bin', name);
const script = (name, ...args) => [process.execPath, join(root, 'scripts', name), ...args];

/** Every `*.test.mjs` of a folder: named one by one, since Node 20 expands no patterns and newer ones no folders. */
const testFiles = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.test.mjs'))
    .sort()
    .map((name) => join(folder, name));

const nodeTests = (folder) => [process.execPath, '--test', ...testFiles(folder)];
const ctest = (preset) => ['ctest', '--preset', preset, '--parallel', '2'];

// In this order: what fails fast comes first. Each command is [program, ...arguments].
const stages = {
  lint: [
    'Formatting, lint and layers',
    () => [
      [bin('biome'), 'ci', '--colors=off', '.'],
      script('format_cpp.mjs', '--check'),
      script('check_layers.mjs'),
    ],
  ],
  types: ["The page's types", () => [[bin('tsc'), '--noEmit', '-p', 'web/tsconfig.json']]],
  native: ['C++ tests', () => [ctest('native')]],
  asan: ['C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer', () => [ctest('native-asan')]],
  tsan: ['C++ tests with ThreadSanitizer', () => [ctest('native-tsan')]],
  size: ['Size of what a browser loads', () => [script('check_size.mjs')]],
  node: ['The package in Node.js', () => [nodeTests('tests/node')]],
  grammar: [
    "The training sentences' grammar",
    () => [['python3', '-m', 'unittest', 'discover', '-s', 'scripts/train', '-p', 'test_*.py']],
  ],
  browser: ['The package in a browser', () => [[bin('vitest'), 'run']]],
  page: ['The page', () => [nodeTests('tests/page')]],
  package: ['The packed tarball, installed elsewhere', () => [nodeTests('tests/package')]],
};

/** The lines in which test runners say how many tests there were. */
function summaryOf(output) {
  const lines = output.split('\n').map((line) => line.trim());
  const counts = lines.filter((line) =>
    /^(ℹ|#) (tests|pass|fail) \d+|\d+% tests passed|^Tests\s+\d+ passed|^Ran \d+ tests/.test(line),
  );
  return counts.map((line) => line.replace(/^(ℹ|#) /, '')).join(', ');
}

async function runStage(name, verbose) {
  const [title, commands] = stages[name];
  const summaries = [];
  await step(title, async () => {
    for (const [command, ...args] of commands()) {
      const output = await run(command, args, {
        cwd: root,
        verbose,
        withErrors: true,
        env: { NO_COLOR: '1' },
      });
      summaries.push(summaryOf(output));
    }
  });
  const summary = summaries.filter(Boolean).join('; ');
  if (summary) say(`    ${summary}`);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { verbose: { type: 'boolean', default: false } },
  });
  const unknown = positionals.filter((name) => !Object.hasOwn(stages, name));
  if (unknown.length > 0)
    throw new ExpectedError(`Unknown: ${unknown.join(' ')}. Stages: ${Object.keys(stages).join(' ')}`);

  if (positionals.length === 0) {
    const inherit = { cwd: root, verbose: true };
    await run(...split(script('setup.mjs')), inherit);
    await run(...split(script('build.mjs', 'all', 'native', 'asan', 'tsan')), inherit);
  }
  const names = positionals.length > 0 ? positionals : Object.keys(stages);
  let failed = 0;
  for (const name of names) {
    try {
      await runStage(name, values.verbose);
    } catch (error) {
      failed += 1;
      say(error.message);
    }
  }
  say(`\nstages: ${names.length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

const split = ([command, ...args]) => [command, args];

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
