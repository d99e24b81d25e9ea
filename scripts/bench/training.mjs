// npm run bench:training
// Steps of training a second, beside PyTorch on one thread of the same machine: decoders of GPT-2's layers, the same batches, AdamW and
// clipped gradients on both sides. Both in one run and in turns; the medians of the rounds. PyTorch is that of PYTHON (default
// /usr/bin/python3, Debian's python3-torch).

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTrainer } from '../../dist/train.js';
import { runMain, say } from '../lib/console.mjs';
import { median, threeDigits } from './timing.mjs';

const rounds = 5;
const secondsOfRound = 2;
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

async function ours(shape) {
  const trainer = await createTrainer(configOf(shape));
  const batch = batchOf(shape);
  for (let step = 0; step < 3; step++) await trainer.step(batch);
  const begin = performance.now();
  let steps = 0;
  for (; performance.now() - begin < 1000 * secondsOfRound; steps++) await trainer.step(batch);
  const rate = (1000 * steps) / (performance.now() - begin);
  const parameters = trainer.parameterCount;
  await trainer.dispose();
  return { rate, parameters };
}

const torch = (shape) =>
  JSON.parse(execFileSync(python, [twin, JSON.stringify({ ...shape, seconds: secondsOfRound })]).toString());

await runMain(async () => {
  for (const shape of shapes) {
    const [own, theirs] = [[], []];
    let parameters;
    for (let round = 0; round < rounds; round++) {
      const result = await ours(shape);
      ({ parameters } = result);
      own.push(result.rate);
      theirs.push(torch(shape).rate);
    }
    const [a, b] = [median(own), median(theirs)];
    const { layers, width, batch, time } = shape;
    say(
      `${layers} layers of width ${width}, ${parameters} parameters, ${batch} x ${time} tokens: ${threeDigits(a)} steps a second, PyTorch ${threeDigits(b)}: ${(a / b).toFixed(2)} times`,
    );
  }
});
