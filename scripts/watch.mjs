// Does it again whenever a file changes: node scripts/watch.mjs stage [name ...] | target ...   (Ctrl+C stops it)
//   npm run watch -- native Attention   builds and runs these C++ tests, as `npm test native -- Attention` does
//   npm run watch -- node families      the same of the package's tests; --debug too goes through
//   npm run watch -- js                 a target of scripts/build.mjs that is no stage: builds it

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { targets } from './build.mjs';
import { ExpectedError, runMain, say } from './lib/console.mjs';
import { watchFolders } from './lib/watch_folders.mjs';
import { stages } from './test.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Not build/ and dist/, which a run changes itself.
const sources = ['src', 'bindings', 'scripts', 'tests', 'web'].map((folder) => join(root, folder));

/** The script that does what is asked for: a stage's name counts before a target's. */
function scriptFor(args) {
  const [first] = args.filter((arg) => !arg.startsWith('-'));
  if (Object.hasOwn(stages, first ?? '')) return 'test.mjs';
  if (Object.hasOwn(targets, first ?? '')) return 'build.mjs';
  const known = [...new Set([...Object.keys(stages), ...Object.keys(targets)])].join(' ');
  throw new ExpectedError(`What is to be watched? One of: ${known}`);
}

/** Resolves when the script has ended, however it did. */
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
    say(`[${new Date().toLocaleTimeString()}] Waiting for a change (Ctrl+C ends this)\n`);
    // What changed during the run counts too.
    if (!hasChanged)
      await new Promise((resolve) => {
        wake = resolve;
      });
    // An editor writes several files, or one in several steps.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
