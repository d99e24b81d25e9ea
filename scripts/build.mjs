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
import { chmod, cp, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { emitTypes } from './emit_types.mjs';
import { ExpectedError, run, runMain, step } from './lib/console.mjs';
import { filesBelow, fingerprint } from './lib/fingerprint.mjs';
import { withLock } from './lib/lock.mjs';
import { isOnlyForThePage } from './lib/page_models.mjs';
import { printSizes } from './lib/sizes.mjs';
import { findProgram } from './setup/debian.mjs';
import { ensureNpmPackages, ensurePackages, ensureWasmToolchain } from './setup.mjs';
import { addNotices } from './third_party.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const variants = ['simd', 'relaxed', 'simd-threads', 'relaxed-threads'];
/** The variants, and the module for sound and pictures. */
const modules = [...variants, 'signal'];

/** The folders in which the engine and the package are built, for release or for debugging. */
export const placesOf = (debug) =>
  debug
    ? { engine: 'wasm-debug', modules: 'modules-debug', dist: 'dist-debug' }
    : { engine: 'wasm', modules: 'modules', dist: 'dist' };

const filesOf = (names) => names.flatMap((name) => [`transformer-${name}.wasm`, `transformer-${name}.mjs`]);

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

/** Runs CMake if its arguments or presets have changed since the last run; ninja itself notices changes of CMakeLists.txt. */
async function configure(preset, command, options, verbose) {
  const folder = join(root, 'build', preset);
  const stampFile = join(folder, 'configured');
  const presets = readFileSync(join(root, 'CMakePresets.json'));
  const stamp = createHash('sha256')
    .update(JSON.stringify([command, options]))
    .update(presets)
    .digest('hex');
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
    const jobs = ['--parallel', `${availableParallelism()}`];
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
  const everything = ['all', 'transformer-types', 'transformer-signal-types'];
  const targets = variant ? [`transformer-${variant}`, 'transformer-signal'] : emitsTypes ? everything : [];
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

// The sources of dist, besides the engine. From package-lock.json on, the tools that make it.
const packageSources = [
  'bindings',
  'tsconfig.json',
  'web/public/models',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/build_inline.mjs',
  'scripts/join_modules.mjs',
  'scripts/third_party.mjs',
  'scripts/notices',
];

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

const asOneFile = ['--bundle', '--format=esm', '--target=es2022', '--log-level=warning'];

const moduleTypes = `/** Emscripten's module: given to createEngine as \`wasmFactory\`, it is not loaded by its address. */
export default function createTransformerModule(settings?: object): Promise<object>;
`;

/** Files that others' packages are bundled into: what only few need, and is not to be installed by everyone. */
const bundledParts = ['markup/parse5_tree', 'documents/markdown_tree', 'translator/eld_scores'];

/** Returns the names of the npm packages that are now part of these files. */
async function bundleParts(made) {
  const { build: bundle } = await import('esbuild');
  const { packagesIn } = await import('./third_party.mjs');
  const own = new Set(['./elements.js']);
  const inputs = [];
  for (const part of bundledParts) {
    const file = join(made, `${part}.js`);
    const { metafile } = await bundle({
      entryPoints: [file],
      outfile: file,
      allowOverwrite: true,
      bundle: true,
      minify: true,
      format: 'esm',
      // Neither for pages nor for Node.js alone: what a package has for pages may need a document.
      platform: 'neutral',
      mainFields: ['module', 'main'],
      target: 'es2022',
      external: [...own],
      metafile: true,
      logLevel: 'warning',
    });
    inputs.push(...Object.keys(metafile.inputs));
    await rm(`${file}.map`);
    // Its types name those of the package, and nothing public does.
    for (const kind of ['d.ts', 'd.ts.map']) await rm(join(made, `${part}.${kind}`));
  }
  return packagesIn(inputs);
}

/** What others import, or start. The one file of `inline.js` is joined by a script of its own. */
const entries = ['index', 'pipeline', 'documents', 'translator', 'en_fr', 'digits', 'vite', 'cli'].map(
  (name) => `${name}.js`,
);

/** Compiles the modules, each in a file of its own, which is what tests of the inside import. */
async function compileModules({ engine, made, dist, verbose }) {
  const tool = (name, args) => run(join(root, 'node_modules/.bin', name), args, { cwd: root, verbose });
  await rm(made, { recursive: true, force: true });
  await tool('tsc', ['-p', 'tsconfig.json', '--outDir', made]);
  // `made` is one folder deeper than dist, where the maps are to lead to the sources, which the package contains.
  for (const map of filesBelow(root, [relative(root, made)]).filter((name) => name.endsWith('.map')))
    await writeFile(
      join(root, map),
      readFileSync(join(root, map), 'utf8').replace('"sources":["../', '"sources":["'),
    );
  // Not while the engine is being linked, which would copy half a file.
  await withLock(join(root, `build/${engine}.lock`), async () => {
    for (const name of filesOf(modules))
      await cp(join(root, 'build', engine, name), join(made, 'wasm', name));
  });
  // Emscripten removes spaces but keeps names. Without them, the compressed download is 5 kB smaller.
  const glue = filesOf(modules).filter((name) => name.endsWith('.mjs'));
  if (dist === 'dist') {
    const files = glue.map((name) => join(made, 'wasm', name));
    await tool('esbuild', [
      ...files,
      '--minify',
      '--target=es2022',
      '--out-extension:.js=.mjs',
      `--outdir=${join(made, 'wasm')}`,
      '--allow-overwrite',
      '--log-level=warning',
    ]);
  }
  for (const name of variants) await writeFile(join(made, 'wasm', `transformer-${name}.d.mts`), moduleTypes);
  // One file, because import maps do not apply inside a worker: without a bundler it could not import packages. It is beside
  // the engine, so that one folder has everything that is loaded by its address.
  const worker = join(made, 'worker/worker.js');
  await tool('esbuild', [worker, ...asOneFile, `--outfile=${join(made, 'wasm/worker.js')}`]);
  const bundled = await bundleParts(made);
  const { buildInline } = await import('./build_inline.mjs'); // needs npm packages, which are now installed
  await addNotices(made, [...new Set([...(await buildInline(made)), ...bundled])].sort());
  for (const kind of ['js', 'js.map', 'd.ts', 'd.ts.map']) await rm(join(made, `worker/worker.${kind}`));
}

/** Built beside dist and moved at the end: files without a source disappear, and a failure keeps the previous dist. */
async function makePackage({ engine, made, dist, verbose }) {
  await compileModules({ engine, made, dist, verbose });
  const out = join(root, 'build', dist);
  await rm(out, { recursive: true, force: true });
  const { joinModules } = await import('./join_modules.mjs');
  // The maps hold for dist: its sources are as far from it as these would be from `out`.
  await joinModules({ modules: made, entries, sources: join(root, 'build/bindings'), out });
  const joined = (path) => /\.js(\.map)?$/.test(path) && !/wasm[\\/]|inline\.js$/.test(relative(made, path));
  await cp(made, out, { recursive: true, filter: (path) => !joined(path) });
  // npm does this when it installs a package, but `npx transformer-wasm` inside this repository runs the file directly.
  await chmod(join(out, 'cli.js'), 0o755);
  // The models of the page, except for those that only it compares: the recurrent ones (8 MB) and en-fr as training left it
  // (7 MB). The command line translates with en-fr.
  const isShipped = (path) => !relative(root, path).split(sep).some(isOnlyForThePage);
  await cp(join(root, 'web/public/models'), join(out, 'models'), { recursive: true, filter: isShipped });
  await rm(join(root, dist), { recursive: true, force: true });
  await rename(out, join(root, dist));
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
