// npm run bench:training
// Steps of training a second, beside TensorFlow.js (its backends wasm and cpu, on one thread) and PyTorch on one thread of the same machine:
// decoders of GPT-2's layers, the same batches, AdamW and clipped gradients on all sides. The losses of ours and of tfjs are compared
// first, from the same weights. All in one run and in turns; the medians of the rounds. PyTorch is that of PYTHON (default
// /usr/bin/python3, Debian's python3-torch), and left out where it is not installed. ROUNDS: how many, default 5.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTrainer } from '../../dist/train.js';
import { runMain, say } from '../lib/console.mjs';
import { installRivals } from './checkout.mjs';
import { median, threeDigits } from './timing.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const secondsOfRound = 2;
/** Beyond so many parameters, a step of tfjs's backend without wasm takes many seconds. */
const mostForCpu = 50_000;
const python = process.env.PYTHON ?? '/usr/bin/python3';
const twin = fileURLToPath(new URL('training.py', import.meta.url));

const shapes = [
  { layers: 2, width: 32, heads: 4, inner: 64, vocab: 16, batch: 32, time: 8 },
  { layers: 2, width: 128, heads: 4, inner: 512, vocab: 256, batch: 16, time: 32 },
  { layers: 4, width: 192, heads: 6, inner: 768, vocab: 512, batch: 16, time: 64 },
];

const configOf = ({ layers, width, heads, inner, vocab, time }) => ({
  num_decoder_layers: layers,
  d_model: width,
  num_heads: heads,
  d_ff: inner,
  vocab_size: vocab,
  max_length: time,
  positions: 'learned',
  norm: 'pre',
  activation: 'gelu',
  tie_embeddings: true,
});

/** Numbers without a pattern that follow from their place. */
const batchOf = ({ batch, time, vocab }) => ({
  inputs: Array.from({ length: batch }, (_, row) =>
    Array.from({ length: time }, (_, i) => (Math.imul(row * time + i + 1, 2654435761) >>> 8) % vocab),
  ),
});

/** Steps a second, after some that do not count. */
async function rateOf(step) {
  for (let i = 0; i < 3; i++) await step();
  const begin = performance.now();
  let steps = 0;
  for (; performance.now() - begin < 1000 * secondsOfRound; steps++) await step();
  return (1000 * steps) / (performance.now() - begin);
}

const trainerOf = (shape) => createTrainer(configOf(shape));

/** Does something with a trainer, which then ends. */
async function using(opening, use) {
  const trainer = await opening;
  try {
    return await use(trainer);
  } finally {
    await trainer.dispose();
  }
}

const torch = (shape) =>
  JSON.parse(execFileSync(python, [twin, JSON.stringify({ ...shape, seconds: secondsOfRound })]).toString())
    .rate;

const hasTorch = () => spawnSync(python, ['-c', 'import torch'], { stdio: 'ignore' }).status === 0;

const losses = async (step) => {
  const all = [];
  for (let i = 0; i < 4; i++) all.push(await step());
  return all;
};

/** All sides as functions that take a turn; from the same weights they have the same losses. */
async function sidesOf(shape, TfjsTrainer) {
  const batch = batchOf(shape);
  const { inputs } = batch;
  const { weights, parameters } = await using(trainerOf(shape), async (trainer) => ({
    weights: await trainer.weights(),
    parameters: trainer.parameterCount,
  }));
  const tfjs = (backend, use) =>
    using(TfjsTrainer.open({ backend, shape, weights, inputs }), (theirs) => use(() => theirs.step()));
  const ours = (use) => using(trainerOf(shape), (trainer) => use(() => trainer.step(batch)));
  const own = await ours((step) => losses(async () => (await step()).loss));
  const sides = { ours: () => ours(rateOf) };
  for (const backend of parameters <= mostForCpu ? ['wasm', 'cpu'] : ['wasm']) {
    const theirs = await tfjs(backend, losses);
    for (const [i, loss] of theirs.entries())
      assert.ok(
        Math.abs(loss - own[i]) < 1e-3,
        `step ${i + 1}: ${loss} with tfjs's ${backend}, ours ${own[i]}`,
      );
    sides[`tfjs, ${backend}`] = () => tfjs(backend, rateOf);
  }
  if (hasTorch()) sides.PyTorch = () => torch(shape);
  return { parameters, sides };
}

await runMain(async () => {
  await installRivals();
  const { TfjsTrainer } = await import('./rivals/tfjs_training.mjs');
  for (const shape of shapes) {
    const { parameters, sides } = await sidesOf(shape, TfjsTrainer);
    const rates = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++)
      for (const [name, turn] of Object.entries(sides)) rates[name].push(await turn());
    const { layers, width, batch, time } = shape;
    const own = median(rates.ours);
    const others = Object.entries(rates).map(([name, all]) => {
      const ratio = name === 'ours' ? '' : `: ${(own / median(all)).toFixed(2)} times`;
      return `${name} ${threeDigits(median(all))}${ratio}`;
    });
    say(`${layers} layers of width ${width}, ${parameters} parameters, ${batch} x ${time} tokens`);
    say(`  steps a second: ${others.join('; ')}`);
  }
  if (!hasTorch()) say('PyTorch is not installed here, and was left out.');
});
