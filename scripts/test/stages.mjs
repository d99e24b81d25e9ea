// The stages of `npm test`: what each needs, and what it runs.

import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDocs } from '../docs.mjs';
import { secondsInTests } from '../fuzz.mjs';
import { ExpectedError } from '../lib/console.mjs';
import { ensureNpmPackages, ensurePackages } from '../setup.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const bin = (name) => join(root, 'node_modules/.bin', name);
const script = (name, ...args) => [process.execPath, join(root, 'scripts', name), ...args];

// Tests properties of the files that ship, which the debug build does not have.
const aboutWhatShips = 'engine_lifetime.test.mjs';

/**
 * Every `*.test.mjs` of some folders, or those with one of `names` in their names. They are listed one by one because Node 20
 * does not expand patterns and newer versions do not expand folders.
 */
function testFiles(folders, names, debug) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.test.mjs') && !(debug && file === aboutWhatShips))
      .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
      .sort()
      .map((file) => join(folder, file)),
  );
  if (files.length === 0) throw noTest(folders.join(', '), names);
  return files;
}

export const noTest = (where, names) =>
  new ExpectedError(`${where} has no test with '${names.join("' or '")}' in its name.`);

/** Three times what the slowest file takes on two busy cores: what hangs fails with its name. */
const mostMilliseconds = 20 * 60_000;

/** As many files at once as there are cores: by itself, Node.js keeps one of them free. */
const nodeTest = (files) => [
  ...[process.execPath, '--test', '--test-reporter=spec', `--test-timeout=${mostMilliseconds}`],
  `--test-concurrency=${availableParallelism()}`,
  ...files,
];

const nodeTests =
  (...folders) =>
  (names, debug) => [nodeTest(testFiles(folders, names, debug))];

/** All tests run through CTest, in as many processes at a time as there are cores; selected ones in one process. */
function nativeTests(preset, names) {
  if (names.length === 0) return [['ctest', '--preset', preset, '--parallel', `${availableParallelism()}`]];
  const filter = names.map((name) => (/[*?:]/.test(name) ? name : `*${name}*`)).join(':');
  return [[join('build', preset, 'native_tests'), '--gtest_brief=1', `--gtest_filter=${filter}`]];
}

// Ordered so that quick failures come first, and so that what takes long to build is built while others test. `needs` are targets of build.mjs or `preparations` below. `commands` takes the
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
  types: {
    title: 'Types of the page, and the public types as they are committed',
    needs: ['wasm', 'js'],
    commands: () => [
      [bin('tsc'), '--noEmit', '-p', 'web/tsconfig.json'],
      script('api_report.mjs', '--check'),
    ],
  },
  size: {
    title: 'Size of what a browser loads',
    needs: ['wasm', 'js'],
    commands: () => [script('check_size.mjs')],
  },
  docs: {
    title: 'API documentation',
    needs: ['docs'],
    narrows: true,
    commands: nodeTests('tests/docs'),
  },
  real: {
    title: `Models with trained weights, ${process.env.REAL ? `and those of ${process.env.REAL}` : `our own; REAL names no folder of others`}`,
    needs: ['wasm', 'js'],
    narrows: true,
    commands: nodeTests('tests/real'),
  },
  node: {
    title: 'The package in Node.js',
    needs: ['wasm', 'js', 'parallel'],
    narrows: true,
    commands: nodeTests('tests/node', 'bindings/jinja/tests', 'scripts/bench/tests'),
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
    // Browsers that draw without a graphics card take every core: what ran beside them would wait for minutes.
    commands: (names, debug) => {
      const files = testFiles(['tests/page'], names, debug);
      const isAlone = (file) => file.endsWith('other_browsers.test.mjs');
      const groups = [files.filter((file) => !isAlone(file)), files.filter(isAlone)];
      return groups.filter(({ length }) => length > 0).map(nodeTest);
    },
  },
  package: {
    title: 'The packed tarball, installed elsewhere',
    needs: ['wasm', 'js', 'browser', 'olderTypeScript'],
    narrows: true,
    commands: nodeTests('tests/package', 'scripts/matrix/tests'),
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
};

/** What is installed, also where nothing is built. */
export const installed = ['npm', 'browser', 'otherBrowsers', 'parallel', 'olderTypeScript'];

export const preparations = {
  npm: () => ensureNpmPackages(root),
  browser: () => ensurePackages(['browser']),
  otherBrowsers: () => ensurePackages(['otherBrowsers']),
  parallel: () => ensurePackages(['parallel']),
  docs: makeDocs,
  olderTypeScript: () => ensureNpmPackages(join(root, 'tests/types')),
};
