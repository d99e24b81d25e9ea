// npm run bench [-- --rounds 7 --only "base encoder" --threads 1,2 --node --browser --simd simd128 --worker false]
// This engine against onnxruntime-web on the same weights and inputs, in Node.js and in Chromium. Prints a table and
// writes build/bench.json. Times are medians over the rounds; a ratio above 1 means that this engine is faster.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ExpectedError, run, runMain, say, step } from '../lib/console.mjs';
import { chromiumVersion, inChromium, inNode } from './places.mjs';
import { printHeader, printRow } from './report.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      threads: { type: 'string', default: '1,2' },
      only: { type: 'string', default: '' },
      simd: { type: 'string', default: 'auto' },
      worker: { type: 'string', default: 'auto' },
      node: { type: 'boolean', default: false },
      browser: { type: 'boolean', default: false },
    },
  });
  if (!existsSync(join(here, 'node_modules/onnxruntime-web'))) {
    await step('Installing what the bench compares with', () =>
      run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: here }),
    );
  }
  if (!existsSync(join(root, 'dist/index.js'))) {
    throw new ExpectedError('Nothing is built yet. First: npm run build');
  }
  const both = values.node === values.browser;
  const places = [
    ...(both || values.node ? [[`Node.js ${process.versions.node}`, inNode]] : []),
    ...(both || values.browser ? [[`Chromium ${await chromiumVersion()}`, inChromium]] : []),
  ];
  const machine = `${cpus()[0].model}, ${cpus().length} cores`;
  const rows = [];
  for (const [place, measureThere] of places) {
    for (const threads of values.threads.split(',').map(Number)) {
      printHeader(`${place}, ${threads} thread${threads > 1 ? 's' : ''} — ${machine}`);
      const options = {
        threads,
        simd: values.simd,
        worker: values.worker === 'auto' ? 'auto' : values.worker === 'true',
        rounds: Number(values.rounds),
        only: values.only,
      };
      await measureThere(options, (row) => {
        rows.push({ place, ...row });
        printRow(row);
      });
    }
  }
  const file = join(root, 'build/bench.json');
  await writeFile(file, JSON.stringify({ machine, date: new Date().toISOString(), rows }, null, 2));
  say(`\nWritten to ${file}`);
}

await runMain(main);
