// From a changed line of TypeScript to its test in seconds: npm run quick -- [NAME ...]
//   npm run quick -- chat    compiles what has changed in bindings, and runs the test files with "chat" in their names
//   npm run quick            compiles only
// Types are not checked; inline.js and the declarations stay as the last whole build left them. The next whole build
// (npm test, npm run build -- js) sees that the sources have changed, and makes all of it.

import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle, transform } from 'esbuild';
import { joinModules } from './build/join_modules.mjs';
import { bundledParts, entries } from './build/package.mjs';
import { ExpectedError, run, runMain, say } from './lib/console.mjs';
import { filesBelow } from './lib/fingerprint.mjs';
import { withLock } from './lib/lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'build/modules');

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The sources that are newer than what was compiled from them, from bindings/ on. */
export function changedSources(sources, compiled) {
  return (
    filesBelow(sources, ['.'])
      // Those of inline.js are bundled into it.
      .filter((path) => path.endsWith('.ts') && !/\.d\.ts$|(^|[\\/])inline_\w+\.ts$/.test(path))
      .filter((path) => timeOf(join(sources, path)) > timeOf(placeOf(compiled, path)))
  );
}

/** The worker is compiled into one file, beside the engine. */
const placeOf = (compiled, path) =>
  path === join('worker', 'worker.ts')
    ? join(compiled, 'wasm/worker.js')
    : join(compiled, path.replace(/ts$/, 'js'));

async function compile(path) {
  const source = join(root, 'bindings', path);
  const out = placeOf(modules, path);
  const { code, map } = await transform(await readFile(source, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'es2022',
    sourcemap: 'external',
    sourcefile: relative(dirname(out), source),
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  await mkdir(dirname(out), { recursive: true });
  await writeFile(`${out}.map`, map);
  await writeFile(out, code);
}

const bundleWorker = () =>
  bundle({
    entryPoints: [join(root, 'bindings/worker/worker.ts')],
    outfile: join(modules, 'wasm/worker.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });

async function compileChanges() {
  const changed = changedSources(join(root, 'bindings'), modules);
  if (changed.length === 0) return changed;
  const whole = changed.find((path) => bundledParts.includes(path.replace(/\.ts$/, '')));
  if (whole) throw new ExpectedError(`${whole} is bundled with packages: npm run build -- js`);
  await Promise.all(changed.filter((path) => path !== join('worker', 'worker.ts')).map(compile));
  await bundleWorker();
  const out = join(root, 'build/quick');
  await rm(out, { recursive: true, force: true });
  // The maps hold for dist: its sources are as far from it as these would be from `out`.
  await joinModules({ modules, entries, sources: join(root, 'build/bindings'), out });
  await cp(join(modules, 'wasm/worker.js'), join(root, 'dist/wasm/worker.js'));
  await cp(out, join(root, 'dist'), { recursive: true });
  return changed;
}

async function main() {
  const names = process.argv.slice(2);
  if (!existsSync(join(root, 'dist/HASHES')) || !existsSync(modules))
    throw new ExpectedError('Nothing is built yet: npm run build');
  const begin = performance.now();
  const changed = await withLock(join(root, 'build/dist.lock'), compileChanges);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  say(`${changed.length} changed: ${changed.slice(0, 8).join(' ')} ... ${seconds} s, types not checked`);
  if (names.length === 0) return;
  const test = join(root, 'scripts/test.mjs');
  await run(process.execPath, [test, 'node', '--no-build', ...names], { cwd: root, verbose: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
