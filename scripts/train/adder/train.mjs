// Trains the model that adds, with the package's own trainer: the same seed gives the same file, on every machine.
// node scripts/train/adder/train.mjs [--seed 3] [--out build/adder]      one model, and whether it adds
// node scripts/train/adder/train.mjs --seeds 10                          of how many seeds it learns to

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createTrainer } from '../../../dist/train.js';
import { check } from './evaluate.mjs';
import { batchOf, pairToLearn, places, randomIntegers } from './task.mjs';

/** 278 numbers. The base of the rotation is so small that the angles tell the places apart. */
const config = {
  architectures: ['Qwen3ForCausalLM'],
  model_type: 'qwen3',
  hidden_size: 5,
  intermediate_size: 5,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 4,
  vocab_size: 12,
  max_position_embeddings: 35,
  rms_norm_eps: 1e-6,
  rope_theta: 3,
  hidden_act: 'silu',
  attention_bias: false,
  tie_word_embeddings: true,
};

const batchSize = 64;
const options = {
  learningRate: 0.03,
  warmupSteps: 200,
  decay: 'cosine',
  totalSteps: 8000,
  weightDecay: 0,
};

/** @returns the files of the model */
async function trained(seed) {
  const random = randomIntegers(seed);
  const trainer = await createTrainer(config, { ...options, seed });
  const began = performance.now();
  for (let step = 1; step <= options.totalSteps; step++) {
    const { loss } = await trainer.step(
      batchOf(Array.from({ length: batchSize }, () => pairToLearn(random))),
    );
    if (step % 1000 === 0) {
      const seconds = Math.round((performance.now() - began) / 1000);
      console.log(`seed ${seed}, step ${step}: loss ${loss.toExponential(2)}, ${seconds} s`);
    }
  }
  const files = await trainer.save();
  await trainer.dispose();
  return files;
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '3' }, seeds: { type: 'string' }, out: { type: 'string' } },
});
const count = Number(values.seeds ?? 1);
const first = values.seeds ? 0 : Number(values.seed);
let successes = 0;
for (let seed = first; seed < first + count; seed++) {
  const files = await trained(seed);
  const { right, pairs } = await check(files, values.seeds ? 5000 : 100_000);
  if (right === pairs) successes++;
  const hash = createHash('sha256').update(files.get('model.safetensors')).digest('hex').slice(0, 16);
  console.log(`seed ${seed}: ${right} of ${pairs} sums of ${places} digits are right; SHA-256 ${hash}...`);
  if (!values.out) continue;
  mkdirSync(values.out, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(values.out, name), bytes);
}
if (values.seeds) console.log(`${successes} of ${count} seeds learn to add`);
