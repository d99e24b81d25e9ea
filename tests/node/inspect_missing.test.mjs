// `inspect` finds what is missing or has another shape from the headers alone: it refuses what loading refuses, in its words.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspectCheckpoint } from '../../build/modules/checkpoint/inspect_checkpoint.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { caseNames, json, readFamilyCase } from '../lib/families.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { writeSafetensors } from '../lib/safetensors.mjs';

const without = (name) => (weights) => new Map([...weights].filter(([stored]) => stored !== name));

/** One more row than there was, of a vector or a matrix. */
const grown = (name) => (weights) => {
  const { shape, data, ...rest } = weights.get(name);
  const [rows, ...others] = shape;
  const width = data.length / rows;
  const longer = new data.constructor(data.length + width);
  longer.set(data);
  return new Map(weights).set(name, { ...rest, shape: [rows + 1, ...others], data: longer });
};

describe('a model of every family, whole and damaged', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const loadingRefuses = async (files) => {
    try {
      await (await loadModel(files, { engine })).dispose();
      return null;
    } catch (error) {
      return error.message;
    }
  };

  let refused = 0;
  for (const name of caseNames) {
    test(name, async () => {
      const given = readFamilyCase(name);
      assert.deepEqual((await inspectCheckpoint(given.files())).refusals, []);
      if (!given.files().has('model.safetensors')) return;
      const random = randomNumbers(name.length * 7919 + name.charCodeAt(0));
      const { tensors } = await inspectCheckpoint(given.files());
      const used = tensors.filter(({ becomes }) => becomes.length > 0);
      for (const change of [without, grown]) {
        const { name: stored } = used[random.below(used.length)];
        const files = given.changed({ tensors: change(stored) });
        const expected = await loadingRefuses(files);
        const { refusals } = await inspectCheckpoint(files);
        if (expected === null) assert.deepEqual(refusals, [], stored);
        else {
          refused++;
          assert.ok(refusals.includes(expected), `${stored}: ${expected}, but ${refusals.join('; ')}`);
        }
      }
    });
  }
  test('nearly all of these were refused', () => assert.ok(refused > 1.5 * caseNames.length, `${refused}`));
});

test('all that is missing is named, not only the first', async () => {
  const names = ['transformer.h.0.ln_1.bias', 'transformer.h.1.mlp.c_fc.weight'];
  const change = (weights) => names.map(without).reduce((left, drop) => drop(left), weights);
  const { refusals } = await inspectCheckpoint(readFamilyCase('gpt2').changed({ tensors: change }));
  assert.equal(refusals.length, 2);
  for (const [i, name] of names.entries()) assert.match(refusals[i], new RegExp(`'${name}' .*is missing`));
});

test('the header of a model of 200 GB is enough, and a config of very many layers ends', async () => {
  const { config } = readFamilyCase('gpt2');
  const huge = { ...config, n_embd: 4096 * 4, n_layer: 2 ** 22, n_head: 16, vocab_size: 2 ** 20 };
  const tensor = { shape: [4], data: new Float32Array(4) };
  const files = new Map([
    ['config.json', json(huge)],
    ['model.safetensors', writeSafetensors(new Map([['transformer.wte.weight', tensor]]))],
  ]);
  const { refusals } = await inspectCheckpoint(files);
  assert.ok(refusals.length > 0);
});
