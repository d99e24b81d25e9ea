// Runs the checks: node scripts/test.mjs [stage [name ...] ...] [--debug] [--no-build] [--verbose]
//   npm test                      every stage
//   npm test node native          these two stages; all of them are listed below
//   npm test node -- families     the package's test files with "families" in their names
//   npm test native -- Attention  the C++ tests with "Attention" in their names; GoogleTest's filters work too
// What a stage tests is built first, which takes a moment if nothing changed.
//   --debug     runs `node` with the debug build (build.mjs --debug: assertions and symbols), except for engine_lifetime
//   --no-build  tests what was built last, with a notice

import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { makeDocs } from './docs.mjs';
import { secondsInTests } from './fuzz.mjs';
import { ExpectedError, run, runMain, say, step } from './lib/console.mjs';
import { ensureNpmPackages, ensurePackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules/.bin', name);
const script = (name, ...args) => [process.execPath, join(root, 'scripts', name), ...args];

// Tests properties of the files that ship, which the debug build does not have.
const aboutWhatShips = 'engine_lifetime.test.mjs';

/**
 * Every `*.test.mjs` of a folder, or those with one of `names` in their names. They are listed one by one because Node 20
 * does not expand patterns and newer versions do not expand folders.
 */
function testFiles(folder, names, debug) {
  const files = readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.test.mjs') && !(debug && file === aboutWhatShips))
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
    .sort();
  if (files.length === 0) throw noTest(folder, names);
  return files.map((file) => join(folder, file));
}

const noTest = (where, names) =>
  new ExpectedError(`${where} has no test with '${names.join("' or '")}' in its name.`);

/** As many files at once as there are cores: by itself, Node.js keeps one of them free. */
const nodeTests = (folder) => (names, debug) => [
  [
    ...[process.execPath, '--test', '--test-reporter=spec', `--test-concurrency=${availableParallelism()}`],
    ...testFiles(folder, names, debug),
  ],
];

/** All tests run through CTest, one for each core at a time; selected ones run in one process, which starts faster. */
function nativeTests(preset, names) {
  if (names.length === 0) return [['ctest', '--preset', preset, '--parallel', `${availableParallelism()}`]];
  const filter = names.map((name) => (/[*?:]/.test(name) ? name : `*${name}*`)).join(':');
  return [[join('build', preset, 'native_tests'), '--gtest_brief=1', `--gtest_filter=${filter}`]];
}

// Ordered so that quick failures come first. `needs` are targets of build.mjs or `preparations` below. `commands` takes the
// names that narrow the stage, if it can be narrowed, and returns a list of [program, ...arguments].
export const stages = {
  lint: {
    title: 'Formatting, lint and layers',
    needs: ['npm'],
    commands: () => [
      [bin('biome'), 'ci', '--colors=off', '.'],
      script('format_cpp.mjs', '--check'),
      script('check_layers.mjs'),
    ],
  },
  types: {
    title: 'Types of the page, and the public types as they are committed',
    needs: ['wasm', 'js'],
    commands: () => [
      [bin('tsc'), '--noEmit', '-p', 'web/tsconfig.json'],
      script('api_report.mjs', '--check'),
    ],
  },
  docs: {
    title: 'API documentation',
    needs: ['docs'],
    narrows: true,
    commands: nodeTests('tests/docs'),
  },
  native: {
    title: 'C++ tests',
    needs: ['native'],
    narrows: true,
    commands: (names) => nativeTests('native', names),
  },
  asan: {
    title: 'C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer',
    needs: ['asan'],
    narrows: true,
    commands: (names) => nativeTests('native-asan', names),
  },
  fuzz: {
    title: 'Fuzzers, for a moment',
    needs: ['asan', 'wasm', 'js'],
    narrows: true,
    // The same inputs each time.
    commands: (names) => [
      script('fuzz.mjs', '--seconds', `${secondsInTests}`, '--seed', '20261122', '--no-build', ...names),
    ],
  },
  tsan: {
    title: 'C++ tests with ThreadSanitizer',
    needs: ['tsan'],
    narrows: true,
    commands: (names) => nativeTests('native-tsan', names),
  },
  size: {
    title: 'Size of what a browser loads',
    needs: ['wasm', 'js'],
    commands: () => [script('check_size.mjs')],
  },
  node: {
    title: 'The package in Node.js',
    needs: ['wasm', 'js', 'parallel'],
    narrows: true,
    commands: nodeTests('tests/node'),
  },
  grammar: {
    title: 'Grammar of the training sentences',
    needs: [],
    narrows: true,
    commands: (names) => [
      [
        ...['python3', '-m', 'unittest', 'discover', '-s', 'scripts/train', '-p', 'test_*.py'],
        ...names.flatMap((name) => ['-k', name]),
      ],
    ],
  },
  browser: {
    title: 'The package in a browser',
    needs: ['wasm', 'js', 'browser'],
    narrows: true,
    commands: (names) => [[bin('vitest'), 'run', ...names]],
  },
  page: {
    title: 'The page',
    needs: ['wasm', 'js', 'docs', 'browser', 'otherBrowsers'],
    narrows: true,
    commands: nodeTests('tests/page'),
  },
  package: {
    title: 'The packed tarball, installed elsewhere',
    needs: ['wasm', 'js', 'browser', 'olderTypeScript'],
    narrows: true,
    commands: nodeTests('tests/package'),
  },
};

export const preparations = {
  npm: () => ensureNpmPackages(root),
  browser: () => ensurePackages(['browser']),
  otherBrowsers: () => ensurePackages(['otherBrowsers']),
  parallel: () => ensurePackages(['parallel']),
  docs: makeDocs,
  olderTypeScript: () => ensureNpmPackages(join(root, 'tests/types')),
};

/** Builds what the stages need, each once; what failed is not tried again. */
class Needs {
  #options;
  #outcomes = new Map();

  constructor(options) {
    this.#options = options;
  }

  async meet(needs) {
    for (const need of needs) {
      if (this.#outcomes.get(need) === 'failed') throw new ExpectedError(`${need} is not built; see above.`);
      if (this.#outcomes.has(need)) continue;
      this.#outcomes.set(need, 'failed');
      if (Object.hasOwn(preparations, need)) await preparations[need]();
      else await build([need], this.#options);
      this.#outcomes.set(need, 'met');
    }
  }
}

/** Reads the command line: a word that is not the name of a stage narrows the stage before it. */
export function planOf(words) {
  const plan = [];
  const known = `Stages: ${Object.keys(stages).join(' ')}`;
  for (const word of words) {
    const last = plan.at(-1);
    if (Object.hasOwn(stages, word)) plan.push({ name: word, names: [] });
    else if (!last) throw new ExpectedError(`Unknown: ${word}. ${known}`);
    else if (!stages[last.name].narrows)
      throw new ExpectedError(`${word} is not a stage, and ${last.name} cannot be narrowed. ${known}`);
    else last.names.push(word);
  }
  return plan.length > 0 ? plan : Object.keys(stages).map((name) => ({ name, names: [] }));
}

/** The lines in which test runners report the number of tests. */
function summaryOf(output) {
  const lines = output.split('\n').map((line) => line.trim());
  const counts = lines.filter((line) =>
    /^(ℹ|#) (tests|pass|fail) \d+|\d+% tests passed|^\[ +PASSED +\]|^Tests\s+\d+ passed|^Ran \d+ tests/.test(
      line,
    ),
  );
  return counts.map((line) => line.replace(/^(ℹ|#) /, '')).join(', ');
}

async function runStage({ name, names }, { debug, verbose }) {
  const { title, commands } = stages[name];
  const summaries = [];
  const env = { NO_COLOR: '1', ...(debug ? { NODE_OPTIONS: withDebugDist() } : {}) };
  await step([title, ...names].join(' '), async () => {
    for (const [command, ...args] of commands(names, debug)) {
      const output = await run(command, args, { cwd: root, verbose, withErrors: true, env });
      // GoogleTest reports this as a success.
      if (/^\[ +PASSED +\] 0 tests|^Ran 0 tests/m.test(output)) throw noTest(name, names);
      summaries.push(summaryOf(output));
    }
  });
  const summary = summaries.filter(Boolean).join('; ');
  if (summary) say(`    ${summary}`);
}

const withDebugDist = () =>
  `${process.env.NODE_OPTIONS ?? ''} --import=${pathToFileURL(join(root, 'scripts/lib/debug_dist.mjs'))}`;

/**
 * Options and words of a command line. npm takes what stands before `--` for itself: of `npm test node --no-build` it passes
 * `npm_config_build=''` on, which it does not set otherwise.
 */
export function parseCommandLine(args, environment) {
  const flag = { type: 'boolean', default: false };
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { debug: flag, 'no-build': flag, verbose: flag },
    });
    return {
      values: { ...values, 'no-build': values['no-build'] || environment.npm_config_build === '' },
      positionals,
    };
  } catch (error) {
    throw new ExpectedError(error.message);
  }
}

/** The seconds of each stage, building and testing apart: `times` in milliseconds. */
export function tableOfTimes(times) {
  const sum = (key) => times.reduce((total, time) => total + time[key], 0);
  const all = { name: 'all', building: sum('building'), testing: sum('testing') };
  const seconds = (time) => `${(time / 1000).toFixed(1)} s`.padStart(10);
  const rows = [...times, all].map(
    ({ name, building, testing }) => name.padEnd(10) + seconds(building) + seconds(testing),
  );
  return [`${'stage'.padEnd(10)}${'build'.padStart(10)}${'test'.padStart(10)}`, ...rows].join('\n');
}

async function main() {
  const { values, positionals } = parseCommandLine(process.argv.slice(2), process.env);
  const plan = planOf(positionals);
  if (values.debug && plan.some(({ name }) => name !== 'node'))
    throw new ExpectedError('--debug works with one stage only: npm test node -- --debug');
  if (values['no-build']) say('Not building: testing what was built last.');
  // At the start, so that passwords are asked for and downloads happen now.
  else if (positionals.length === 0) await run(...split(script('setup.mjs')), { cwd: root, verbose: true });

  const needs = new Needs(values);
  const times = [];
  let failed = 0;
  for (const stage of plan) {
    const begin = performance.now();
    let built = begin;
    try {
      if (!values['no-build']) await needs.meet(stages[stage.name].needs);
      built = performance.now();
      await runStage(stage, values);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      failed += 1;
      say(error.message);
    }
    const end = performance.now();
    // What failed to build has no time of tests.
    if (built === begin && !values['no-build']) built = end;
    times.push({ name: stage.name, building: built - begin, testing: end - built });
  }
  say(`\n${tableOfTimes(times)}`);
  say(`\nstages: ${plan.length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

const split = ([command, ...args]) => [command, args];

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
