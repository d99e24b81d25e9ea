// npm run bench:load [-- opus-mt t5-small bart-base gpt2 qwen3-q8_0 qwen3-q4_0]
// How long models of realistic sizes take to load, and how much memory they need: creates folders with random weights in the
// layout of the hub and loads each in a process of its own. "reading" only reads the same file; the last two columns are those of a
// page in Chromium, which fetches the file from this machine and loads the model from the same address.

import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError, run, runMain, say } from '../lib/console.mjs';
import { qwen3Size } from './known_models.mjs';
import { measureInPage } from './places.mjs';
import { gpt2 } from './shapes/decoders.mjs';
import { writeGguf } from './shapes/gguf.mjs';
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

/** Files that are the whole model, in the types of their names. */
const ggufTypes = { 'qwen3-q8_0': 'Q8_0', 'qwen3-q4_0': 'Q4_0' };
const names = [...Object.keys(models), ...Object.keys(ggufTypes)];

/** Makes a model in a folder. @returns what to load, the file of its weights, and the bytes of that */
async function makeIn(folder, name) {
  const type = ggufTypes[name];
  if (!type) {
    const bytes = await writeModel(folder, models[name]());
    return { source: folder, weights: join(folder, 'model.safetensors'), bytes };
  }
  const file = join(folder, `${name}.gguf`);
  return { source: file, weights: file, bytes: await writeGguf(file, qwen3Size, type, true) };
}

/** The child process: reads the file, then loads the model, and prints both times as JSON. */
async function measureLoad(source, weights, dtype) {
  let begin = performance.now();
  for await (const _ of createReadStream(weights, { highWaterMark: 4 << 20 }));
  const readMilliseconds = performance.now() - begin;
  const { loadModel } = await import('../../dist/index.js');
  begin = performance.now();
  const model = await loadModel(source, { dtype });
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

/** Milliseconds, medians of three fresh pages: fetching the weights only, loading the model, its longest task. */
async function measureByUrl({ source, weights }, dtype) {
  const visits = [];
  for (let visit = 0; visit < 3; visit++)
    visits.push(
      await measureInPage('load_page.mjs', 'measureLoading', (origin) => ({
        url: `${origin}/${relative(root, source)}${source === weights ? '' : '/'}`,
        weights: `${origin}/${relative(root, weights)}`,
        dtype,
      })),
    );
  return [0, 1, 2].map((column) => median(visits.map((times) => times[column])));
}

async function printLoad(name, dtype, made) {
  const { source, weights, bytes } = made;
  const args = [fileURLToPath(import.meta.url), '--measure', source, weights, dtype];
  const result = JSON.parse(await run(process.execPath, args));
  const megabytes = (count) => `${(count / 1e6).toFixed(0)} MB`.padEnd(10);
  const milliseconds = (time) => `${time.toFixed(0)} ms`.padEnd(10);
  say(
    `${name.padEnd(11)}  ${dtype.padEnd(7)}${megabytes(bytes)}${milliseconds(result.readMilliseconds)}` +
      `${milliseconds(result.loadMilliseconds)}${milliseconds(result.firstTokenMilliseconds)}    ` +
      `${megabytes(result.heapBytes)}${megabytes(result.memoryBytes)}    ${(result.memoryBytes / bytes).toFixed(2).padEnd(14)}` +
      (await measureByUrl(made, dtype)).map(milliseconds).join(''),
  );
}

async function main() {
  const [first, ...measured] = process.argv.slice(2);
  if (first === '--measure') return measureLoad(...measured);
  await mkdir(join(root, 'build'), { recursive: true });
  const chosen = process.argv.length > 2 ? process.argv.slice(2) : names;
  say(
    'model        dtype  file      reading   loading   first token   heap      peak memory   peak / file   fetching  loading by URL, its longest task',
  );
  for (const name of chosen) {
    if (!names.includes(name)) throw new ExpectedError(`Unknown: ${name}. Models: ${names.join(', ')}`);
    const folder = await mkdtemp(join(root, 'build/load-'));
    try {
      const made = await makeIn(folder, name);
      for (const type of ggufTypes[name] ? ['auto'] : ['f32', 'int8']) await printLoad(name, type, made);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
}

await runMain(main);
