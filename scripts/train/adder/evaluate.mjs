// Counts the sums that a model gets right: node scripts/train/adder/evaluate.mjs [FOLDER] [--pairs 100000] [--seed 1]

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadModel } from '../../../dist/index.js';
import { edgePairs, promptOf, randomIntegers, randomPair, sumOf } from './task.mjs';

const batchSize = 1000;

/** What the model writes after each prompt: the most probable token, eleven times. @returns digits, the lowest first */
export async function added(model, pairs) {
  const prompts = pairs.map(([a, b]) => promptOf(a, b));
  const results = await model.generate(prompts, { maxNewTokens: 11, doSample: false });
  return results.map(({ sequences: [{ ids }] }) => [...ids].slice(-11));
}

/** Those of the pairs whose sum is wrong. */
export async function wrongPairs(model, pairs) {
  const wrong = [];
  for (let at = 0; at < pairs.length; at += batchSize) {
    const batch = pairs.slice(at, at + batchSize);
    const sums = await added(model, batch);
    wrong.push(...batch.filter(([a, b], i) => `${sumOf(a, b)}` !== `${sums[i]}`));
  }
  return wrong;
}

/** @param folder as for `loadModel` @param count of random pairs, to which the edges are added */
export async function check(folder, count, seed = 1) {
  const model = await loadModel(folder);
  const random = randomIntegers(seed + 1e6);
  const pairs = [...edgePairs(), ...Array.from({ length: count }, () => randomPair(random))];
  const wrong = await wrongPairs(model, pairs);
  await model.dispose();
  return { right: pairs.length - wrong.length, pairs: pairs.length, wrong };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { pairs: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
  });
  const folder =
    positionals[0] ?? fileURLToPath(new URL('../../../web/public/models/adder', import.meta.url));
  const { right, pairs, wrong } = await check(folder, Number(values.pairs), Number(values.seed));
  console.log(`${right} of ${pairs} sums are right`);
  for (const [a, b] of wrong.slice(0, 10))
    console.log(`${a.toReversed().join('')} + ${b.toReversed().join('')}`);
}
