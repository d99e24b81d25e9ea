// The command `train`: a folder that loads, checkpoints, and refusals.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModel } from '../../dist/index.js';
import { reversal, reversalConfig } from '../lib/training_task.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  await writeFile(join(folder, 'config.json'), JSON.stringify(reversalConfig));
  const { inputs, targets } = reversal(0, 20);
  const lines = inputs.map((row, i) => JSON.stringify({ inputs: row, targets: targets[i] }));
  await writeFile(join(folder, 'data.jsonl'), `${lines.join('\n')}\n`);
  await writeFile(join(folder, 'mixed.jsonl'), '{"inputs":[1,2]}\n{"targets":[1,2]}\n');
  await writeFile(join(folder, 'wrong.jsonl'), '{"inputs":[1,2]}\n{"input":[1,2]}\n');
});
after(() => rm(folder, { recursive: true }));

const run = (out, ...args) =>
  new Promise((resolve) => {
    const given = ['--config', join(folder, 'config.json'), '--data', join(folder, 'data.jsonl')];
    execFile(
      process.execPath,
      [cli, 'train', join(folder, out), ...given, ...args],
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

test('a training in two parts has the bits of one', async () => {
  const settings = ['--batch-size', '8', '--warmup', '2', '--decay', 'linear', '--save-every', '3', '--json'];
  const whole = await run('whole', '--steps', '5', ...settings);
  assert.equal(whole.code, 0, whole.stderr);
  const { step, loss } = JSON.parse(whole.stdout);
  assert.equal(step, 5);
  assert.ok(loss > 0 && loss < 10, `${loss}`);
  assert.deepEqual((await readdir(join(folder, 'whole'))).sort(), [
    'config.json',
    'model.safetensors',
    'state.safetensors',
  ]);
  // A checkpoint of step 3, as if the computer had been switched off after it.
  const { createTrainer } = await import('../../dist/train.js');
  const { batchOf, examplesIn } = await import('../../build/modules/cli/training_data.js');
  const examples = await examplesIn(join(folder, 'data.jsonl'));
  const trainer = await createTrainer(reversalConfig, {
    seed: 0,
    totalSteps: 5,
    warmupSteps: 2,
    decay: 'linear',
  });
  for (let at = 0; at < 3; at++) await trainer.step(batchOf(examples, { size: 8, seed: 0, step: at }));
  const { mkdir } = await import('node:fs/promises');
  await mkdir(join(folder, 'part'));
  await writeFile(join(folder, 'part/state.safetensors'), await trainer.state());
  await trainer.dispose();
  const rest = await run('part', '--steps', '5', ...settings, '--resume');
  assert.equal(rest.stdout, whole.stdout, rest.stderr);
  const weights = (name) => readFile(join(folder, name, 'model.safetensors'));
  assert.deepEqual(await weights('part'), await weights('whole'));
  const model = await loadModel(join(folder, 'part'));
  await model.dispose();
});

test('each example comes once before any comes again', async () => {
  const { batchOf } = await import('../../build/modules/cli/training_data.js');
  const examples = Array.from({ length: 7 }, (_, i) => ({ inputs: [i] }));
  const drawn = Array.from(
    { length: 7 },
    (_, step) => batchOf(examples, { size: 2, seed: 3, step }).inputs,
  ).flat(2);
  for (const round of [drawn.slice(0, 7), drawn.slice(7)])
    assert.deepEqual(round.toSorted(), [0, 1, 2, 3, 4, 5, 6]);
  assert.notDeepEqual(drawn.slice(0, 7), drawn.slice(7));
});

test('refusals', async () => {
  const fails = async (args, code, pattern) => {
    const result = await run('none', ...args);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, pattern);
    assert.equal(result.stderr.trim().split('\n').length, 1, result.stderr);
  };
  await fails(['--data', join(folder, 'mixed.jsonl')], 1, /some examples have inputs, and others targets/);
  await fails(['--data', join(folder, 'wrong.jsonl')], 1, /line 2: .*got input/);
  await fails(['--resume'], 1, /state\.safetensors/);
  await fails(['--decay', 'step'], 2, /--decay must be one of/);
});
