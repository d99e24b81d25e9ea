// Checks that everything a browser loads to translate, compressed as a server sends it, stays below the limit:
// node scripts/check_size.mjs (after node scripts/build.mjs all)

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './lib/bundle.mjs';
import { ExpectedError, runMain, say } from './lib/console.mjs';
import { printSizes, sizesOf } from './lib/sizes.mjs';

const limit = 365_000;
const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');

/** The worst case: the largest variant of the engine and its JavaScript module. */
function largestVariant() {
  const folder = join(dist, 'wasm');
  const candidates = readdirSync(folder)
    .filter((name) => name.endsWith('.wasm'))
    .map((name) => {
      const files = [name, name.replace(/wasm$/, 'mjs')].map((file) => [
        file,
        readFileSync(join(folder, file)),
      ]);
      return { files, gzip: files.reduce((sum, [, data]) => sum + sizesOf(data).gzip, 0) };
    });
  if (candidates.length === 0) throw new ExpectedError(`${folder} contains no engine`);
  return candidates.sort((a, b) => b.gzip - a.gzip)[0].files;
}

await runMain(async () => {
  for (const path of ['index.js', 'wasm/worker.js', 'wasm']) {
    if (!existsSync(join(dist, path))) {
      throw new ExpectedError(`dist/${path} is missing. Run: node scripts/build.mjs all`);
    }
  }
  const scripts = await Promise.all(
    ['index.js', 'wasm/worker.js'].map(async (name) => [name, await bundle(join(dist, name))]),
  );
  const { gzip } = printSizes([...scripts, ...largestVariant()], { total: true });
  const allowed = `${limit / 1000} kB gzipped`;
  if (gzip >= limit) throw new ExpectedError(`Too large: what a browser loads must stay below ${allowed}.`);
  say(`Below the limit of ${allowed}.`);
});
