// Tests or builds again whenever a file changes: node scripts/watch.mjs stage [name ...] | target ...   (Ctrl+C to stop)
//   npm run watch -- native Attention   builds and runs these C++ tests, like `npm test native -- Attention`
//   npm run watch -- node families      the same for tests of the package; --debug works here too
//   npm run watch -- js                 builds a target of scripts/build.mjs

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { targets } from './build.mjs';
import { ExpectedError, runMain, say } from './lib/console.mjs';
import { watchFolders } from './lib/watch_folders.mjs';
import { stages } from './test/stages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Not build/ and dist/, which every run changes.
const sources = ['src', 'bindings', 'scripts', 'tests', 'web'].map((folder) => join(root, folder));

/** The script for the given words. Where a stage and a target have the same name, the stage is meant. */
function scriptFor(args) {
  const [first] = args.filter((arg) => !arg.startsWith('-'));
  if (Object.hasOwn(stages, first ?? '')) return 'test.mjs';
  if (Object.hasOwn(targets, first ?? '')) return 'build.mjs';
  const known = [...new Set([...Object.keys(stages), ...Object.keys(targets)])].join(' ');
  throw new ExpectedError(`Name a stage or a target: ${known}`);
}

/** Resolves when the script has ended, whether it failed or not. */
function runOnce(script, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'scripts', script), ...args], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', resolve);
  });
}

await runMain(async () => {
  const args = process.argv.slice(2);
  const script = scriptFor(args);
  let hasChanged = false;
  let wake = () => {};
  watchFolders(sources, () => {
    hasChanged = true;
    wake();
  });
  for (;;) {
    hasChanged = false;
    await runOnce(script, args);
    say(`[${new Date().toLocaleTimeString()}] Waiting for a change (Ctrl+C to stop)\n`);
    // Changes during the run count too.
    if (!hasChanged)
      await new Promise((resolve) => {
        wake = resolve;
      });
    // Editors write several files, or one file in several steps.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
