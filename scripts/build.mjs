// Builds: node scripts/build.mjs [wasm|native|asan|tsan|js|all ...] [--debug] [--variant NAME] [--verbose]
//   wasm    the engine's modules, into build/wasm      js      the npm package, into dist (with the last wasm), and its
//                                                              modules one by one, into build/modules
//   native  the engine and its tests for this machine, optimized    all     wasm and js: what npm publishes
//   asan, tsan   the same with sanitizers
//   --debug      the engine with assertions and symbols, into build/wasm-debug, and the package with it, into dist-debug
//   --variant    only one variant of the engine: simd, relaxed, simd-threads or relaxed-threads
// With TRANSFORMER_QUICK=1 in the environment, the engine links in seconds, larger and slower: for trying a change.
// Installs what it needs, and builds only what changed.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { emitTypes } from './build/emit_types.mjs';
import { filesOf, modules, placesOf, variants } from './build/modules.mjs';
import { makePackage, packageSources } from './build/package.mjs';
import { ExpectedError, run, runMain, step } from './lib/console.mjs';
import { fingerprint } from './lib/fingerprint.mjs';
import { withLock } from './lib/lock.mjs';
import { printSizes } from './lib/sizes.mjs';
import { findProgram } from './setup/debian.mjs';
import { ensureNpmPackages, ensurePackages, ensureWasmToolchain } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** With ccache installed, what was compiled once, in any folder or checkout, is not compiled again. */
function cacheSettings() {
  const ccache = findProgram('ccache');
  if (!ccache) return {};
  return {
    CMAKE_CXX_COMPILER_LAUNCHER: ccache,
    EM_COMPILER_WRAPPER: ccache,
    CCACHE_BASEDIR: root,
    CCACHE_NOHASHDIR: '1',
    // Precompiled headers ask for these.
    CCACHE_SLOPPINESS: 'pch_defines,time_macros,include_file_mtime,include_file_ctime',
    ...process.env,
  };
}

/** What CMake's cache depends on: also the folder, which a copied or moved checkout does not share with the old one. */
export const stampOf = ({ root: folder, command, options, presets }) =>
  createHash('sha256')
    .update(JSON.stringify([folder, command, options]))
    .update(presets)
    .digest('hex');

/** Runs CMake if its arguments or presets have changed since the last run; ninja itself notices changes of CMakeLists.txt. */
async function configure(preset, command, options, verbose) {
  const folder = join(root, 'build', preset);
  const stampFile = join(folder, 'configured');
  const presets = readFileSync(join(root, 'CMakePresets.json'));
  const stamp = stampOf({ root, command, options, presets });
  const isConfigured = existsSync(stampFile) && existsSync(join(folder, 'build.ninja'));
  if (isConfigured && readFileSync(stampFile, 'utf8') === stamp) return;
  await step(`Configuring ${preset}`, async () => {
    // A cache written by another compiler or toolchain must not be reused for this one.
    await rm(join(folder, 'CMakeCache.txt'), { force: true });
    const args = [...command.slice(1), '--preset', preset, ...options];
    await run(command[0], args, { cwd: root, env: cacheSettings(), verbose });
    await writeFile(stampFile, stamp);
  });
}

/** Configures if needed and compiles; `command` starts CMake. */
function compile(preset, command, options, { targets = [], verbose }) {
  return withLock(join(root, 'build', `${preset}.lock`), async () => {
    await configure(preset, command, options, verbose);
    const title = [`Compiling ${preset}`, ...targets].join(' ');
    const chosen = targets.length > 0 ? ['--target', ...targets] : [];
    const jobs = ['--parallel', process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? `${availableParallelism()}`];
    const args = ['--build', '--preset', preset, ...jobs, ...chosen];
    await step(title, () => run('cmake', args, { cwd: root, env: cacheSettings(), verbose }));
  });
}

async function buildWasm({ variant, debug, verbose }) {
  if (variant && !variants.includes(variant))
    throw new ExpectedError(`--variant is one of ${variants.join(', ')}`);
  const { emcmake, xsimdRoot } = await ensureWasmToolchain();
  const options = xsimdRoot ? [`-DCMAKE_FIND_ROOT_PATH=${xsimdRoot}`] : [];
  if (process.env.TRANSFORMER_QUICK) options.push('-DTRANSFORMER_QUICK=ON');
  const emitsTypes = !variant && !debug;
  const everything = ['all', 'transformer-types', 'transformer-signal-types', 'transformer-train-types'];
  const targets = variant
    ? [`transformer-${variant}`, 'transformer-signal', 'transformer-train']
    : emitsTypes
      ? everything
      : [];
  await compile(placesOf(debug).engine, [emcmake, 'cmake'], options, { targets, verbose });
  if (!emitsTypes) return;
  await ensureNpmPackages(root); // the types are formatted by Biome
  emitTypes(root);
}

async function buildNative(preset, { verbose }) {
  await ensurePackages(['native']);
  const { xsimdRoot } = await ensureWasmToolchain();
  const options = xsimdRoot ? [`-DCMAKE_PREFIX_PATH=${xsimdRoot}`] : [];
  if (preset !== 'native') {
    // Sanitizer builds use clang and `native` the system's compiler (usually gcc), so that both compilers are tested.
    await ensurePackages(['sanitizers']);
    options.push(`-DCMAKE_CXX_COMPILER=${findProgram('clang++-19', 'clang++')}`);
  }
  await compile(preset, ['cmake'], options, { verbose });
}

/** Compiles bindings/ into JavaScript and declarations, and adds the engine as it was last built. */
async function buildJs({ debug, verbose }) {
  await ensureNpmPackages(root);
  const { engine, modules: compiled, dist } = placesOf(debug);
  const made = join('build', compiled);
  const built = filesOf(modules).map((name) => join('build', engine, name));
  const missing = built.filter((name) => !existsSync(join(root, name)));
  if (missing.length > 0) {
    throw new ExpectedError(`Not built yet: ${missing.join(', ')}. Run: node scripts/build.mjs wasm`);
  }
  await withLock(join(root, `build/${dist}.lock`), async () => {
    const stampFile = join(root, `build/${dist}.stamp`);
    // Covers inputs and outputs, so that a dist that was edited is also built again.
    const stamp = () =>
      `${fingerprint(root, [...packageSources, ...built])} ${fingerprint(root, [made, dist])}`;
    if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp()) return;
    await step(`Compiling TypeScript into ${dist}`, () =>
      makePackage({ engine, made: join(root, made), dist, verbose }),
    );
    await writeFile(stampFile, stamp());
  });
}

export const targets = {
  wasm: buildWasm,
  native: (options) => buildNative('native', options),
  asan: (options) => buildNative('native-asan', options),
  tsan: (options) => buildNative('native-tsan', options),
  js: buildJs,
  all: async (options) => {
    await buildWasm(options);
    await buildJs(options);
  },
};

/** Builds the named targets one after the other. */
export async function build(names, options = {}) {
  const unknown = names.filter((name) => !Object.hasOwn(targets, name));
  if (unknown.length > 0)
    throw new ExpectedError(`Unknown: ${unknown.join(' ')}. Targets: ${Object.keys(targets).join(', ')}`);
  for (const name of names) await targets[name](options);
}

function parseCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        variant: { type: 'string' },
        debug: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new ExpectedError(error.message);
  }
}

async function main() {
  const { values, positionals } = parseCommandLine();
  const names = positionals.length > 0 ? positionals : ['all'];
  await build(names, values);
  if (!values.debug && names.some((name) => name === 'wasm' || name === 'all')) {
    const built = filesOf(values.variant ? [values.variant] : modules);
    printSizes(built.map((name) => [name, readFileSync(join(root, 'build/wasm', name))]));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
