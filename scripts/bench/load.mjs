// npm run bench:load [-- opus-mt t5-small bart-base gpt2]
// How long models of realistic sizes take to load, and how much memory they need: creates folders with random weights in the
// layout of the hub and loads each in a process of its own. "reading" only reads the same file; the last two columns are those of a
// page in Chromium, which fetches the file from this machine and loads the model from the same address.

import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError, run, runMain, say } from '../lib/console.mjs';
import { measureInPage } from './places.mjs';
import { gpt2 } from './shapes/decoders.mjs';
import { bart, marian, t5 } from './shapes/pairs.mjs';
import { writeModel } from './shapes/parts.mjs';
import { median } from './timing.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const models = {
  'opus-mt': () => marian({ d: 512, heads: 8, ffn: 2048, layers: 6, vocab: 58101 }),
  't5-small': () => t5({ d: 512, ffn: 2048, layers: 6, heads: 8, dHead: 64, vocab: 32128 }),
  'bart-base': () => bart({ d: 768, heads: 12, ffn: 3072, layers: 6, vocab: 50265 }),
  gpt2: () => gpt2({ d: 768, layers: 12, heads: 12, vocab: 50257, positions: 1024 }),
};

/** The child process: reads the file, then loads the model, and prints both times as JSON. */
async function measureLoad(folder, dtype) {
  let begin = performance.now();
  for await (const _ of createReadStream(join(folder, 'model.safetensors'), { highWaterMark: 4 << 20 }));
  const readMilliseconds = performance.now() - begin;
  const { loadModel } = await import('../../dist/index.js');
  begin = performance.now();
  const model = await loadModel(folder, { dtype });
  const loadMilliseconds = performance.now() - begin;
  const { heapBytes, memoryBytes } = model.engine.info;
  begin = performance.now();
  await model.generate([5, 6, 7, 8], { maxNewTokens: 1, minNewTokens: 1 });
  const firstTokenMilliseconds = performance.now() - begin;
  console.log(
    JSON.stringify({ readMilliseconds, loadMilliseconds, firstTokenMilliseconds, heapBytes, memoryBytes }),
  );
  await model.dispose();
}

/** Milliseconds, medians of three fresh pages: to fetch the weights and do nothing with them, and to load the model. */
async function measureByUrl(folder, dtype) {
  const visits = [];
  for (let visit = 0; visit < 3; visit++)
    visits.push(
      await measureInPage('load_page.mjs', 'measureLoading', (origin) => ({
        url: `${origin}/${relative(root, folder)}`,
        dtype,
      })),
    );
  return [0, 1].map((column) => median(visits.map((times) => times[column])));
}

async function printLoad(name, dtype, bytes, folder) {
  const args = [fileURLToPath(import.meta.url), '--measure', folder, dtype];
  const result = JSON.parse(await run(process.execPath, args));
  const megabytes = (count) => `${(count / 1e6).toFixed(0)} MB`.padEnd(10);
  const milliseconds = (time) => `${time.toFixed(0)} ms`.padEnd(10);
  say(
    `${name.padEnd(11)}  ${dtype.padEnd(7)}${megabytes(bytes)}${milliseconds(result.readMilliseconds)}` +
      `${milliseconds(result.loadMilliseconds)}${milliseconds(result.firstTokenMilliseconds)}    ` +
      `${megabytes(result.heapBytes)}${megabytes(result.memoryBytes)}    ${(result.memoryBytes / bytes).toFixed(2).padEnd(14)}` +
      (await measureByUrl(folder, dtype)).map(milliseconds).join(''),
  );
}

async function main() {
  const [first, folder, dtype] = process.argv.slice(2);
  if (first === '--measure') return measureLoad(folder, dtype);
  await mkdir(join(root, 'build'), { recursive: true });
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(models);
  say(
    'model        dtype  file      reading   loading   first token   heap      peak memory   peak / file   fetching  loading by URL',
  );
  for (const name of names) {
    if (!Object.hasOwn(models, name))
      throw new ExpectedError(`Unknown: ${name}. Models: ${Object.keys(models).join(', ')}`);
    const made = await mkdtemp(join(root, 'build/load-'));
    try {
      const bytes = await writeModel(made, models[name]());
      for (const type of ['f32', 'int8']) await printLoad(name, type, bytes, made);
    } finally {
      await rm(made, { recursive: true });
    }
  }
}

await runMain(main);
