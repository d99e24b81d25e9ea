// A browser computes the same bits as Node.js.

import { expect, inject, test } from 'vitest';
import { createEngine, loadModel } from '../../dist/index.js';
import { createTrainer } from '../../dist/train.js';
import { hashesOf } from '../lib/hashes.mjs';
import { hashOfTraining, thousandSteps } from '../lib/training_task.mjs';

test('hashes of the engine and of translations', { timeout: 120_000 }, async () => {
  const expected = inject('hashesOfNode');
  for (const options of [{}, { threads: 1 }, { worker: false }] as const) {
    const engine = await createEngine({ simd: 'simd128', ...options });
    const model = await loadModel(new URL('/dist/models/en-fr/', location.href), { engine });
    expect(await hashesOf(engine, model)).toEqual(expected);
    await engine.dispose();
  }
});

test('a training: its losses and its weights, in a worker and in the page', { timeout: 60_000 }, async () => {
  for (const worker of [true, false])
    expect(await hashOfTraining(createTrainer, { worker })).toBe(inject('trainedInNode'));
});

test('the weights after a thousand steps', { timeout: 60_000 }, async () => {
  expect(await hashOfTraining(createTrainer, thousandSteps)).toBe(inject('trainedLongInNode'));
});
