// Models in our own format with every activation and position scheme: a checkpoint gives the same bits as the building
// block made of the same weights.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { activationNames } from '../../build/modules/plans/activations.js';
import { positionSchemes } from '../../build/modules/plans/positions.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { randomNumbers } from '../lib/random.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const ids = { src: [[5, 6, 7, 8, 9, 3]], tgt: [[2, 20, 21, 22, 23]] };
const { d_model: dModel, num_heads: numHeads, d_ff: dFf, vocab_size: vocabSize } = tinyConfig;

/** The tables that some schemes have, with fewer rows than the default of relative positions. */
const tables = {
  learned: { 'positions.weight': [tinyConfig.max_length, dModel] },
  disentangled: { 'positions.weight': [512, dModel] },
  relative: { 'encoder.relative_bias.weight': [8, numHeads], 'decoder.relative_bias.weight': [8, numHeads] },
};

async function compare({ activation, positions }) {
  const config = { activation, positions, num_encoder_layers: 1, num_decoder_layers: 1 };
  const tensors = tinyTensors({ ...tinyConfig, ...config });
  for (const [name, { data }] of tensors) {
    // Also far from zero, where relu and relu6 differ.
    if (name.endsWith('linear1.weight')) data.set(data.map((value) => 8 * value));
  }
  const random = randomNumbers(5);
  for (const [name, shape] of Object.entries(tables[positions] ?? {})) {
    const data = Float32Array.from({ length: shape[0] * shape[1] }, () => random.normal());
    tensors.set(name, { shape, data });
  }
  const model = await loadModel(tinyModel({ config, tensors }), { engine });
  const layer = await engine.transformer(
    {
      ...{ dModel, numHeads, dFf, vocabSize, activation, positions, scaleEmbedding: false },
      maxLength: tinyConfig.max_length,
    },
    Object.fromEntries(tensors),
  );
  const loaded = await model.forward({ inputIds: ids.src, decoderInputIds: ids.tgt });
  const given = await layer.forward(ids.src, ids.tgt);
  await layer.dispose();
  await model.dispose();
  assert.ok(loaded.logits.data.every(Number.isFinite));
  assert.deepEqual(loaded.logits, given.logits);
  return loaded.logits.data;
}

describe('position schemes', () => {
  const seen = new Set();
  for (const positions of positionSchemes) {
    test(positions, async () => {
      const logits = await compare({ activation: 'relu', positions });
      assert.ok(!seen.has(`${logits}`), 'the logits are those of another scheme');
      seen.add(`${logits}`);
    });
  }
});

describe('activations', () => {
  const seen = new Set();
  for (const activation of activationNames) {
    test(activation, async () => {
      const logits = await compare({ activation, positions: 'sinusoidal' });
      assert.ok(!seen.has(`${logits}`), 'the logits are those of another activation');
      seen.add(`${logits}`);
    });
  }
});
