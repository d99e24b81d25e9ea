// The trained models of Bahdanau and Luong, and one without attention: PyTorch's numbers, and translations of the transformer's sentences.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import {
  assertNear,
  assertTranslations,
  exactMatch,
  folderOf,
  passOver,
  readCopied,
  readTorch,
} from '../lib/translation_model.mjs';

/** The least share of the held-out sentences, in percent, that each must get right. */
const leastExact = {
  'en-fr-bahdanau': 50,
  'en-fr-luong-general': 50,
  'en-fr-luong-local': 50,
  'en-fr-luong-dot': 50,
  'en-fr-luong-concat': 50,
  'en-fr-bottleneck': 35, // one vector for a whole sentence
};

for (const [name, least] of Object.entries(leastExact)) {
  describe(name, () => {
    const { sentences, tensors } = readTorch(name);
    let engine;
    let model; // as it ships
    let inFloat32; // what PyTorch computes with
    before(async () => {
      engine = await createEngine();
      model = await loadModel(folderOf(name), { engine });
      inFloat32 = await loadModel(folderOf(name), { engine, dtype: 'f32' });
    });
    after(() => engine.dispose());

    test('what ships is in 8 bits and small, and all of its tensors are used', () => {
      assert.equal(model.info.dtype, 'int8');
      assert.deepEqual(model.info.unusedTensors, []);
      assert.ok(model.info.parameters <= 2e6);
      assert.ok(model.info.bytes <= 2e6);
    });

    test('the same ids, texts and scores as PyTorch', () => assertTranslations(inFloat32, sentences));

    test('memory, alignment and logits of one sentence', async () => {
      const output = await passOver(inFloat32, tensors);
      assertNear(output.encoderLastHiddenState.data, tensors.encoder_output.data, 1e-4, 'memory');
      assertNear(output.crossAttentions[0].data, tensors.attention.data, 1e-4, 'alignment');
      assertNear(output.logits.data, tensors.logits.data, 1e-3, 'logits');
    });

    test('8 bits translate the held-out sentences as well as float32 does', async () => {
      const shipped = await exactMatch(model, 'heldout_sentences');
      const exact = await exactMatch(inFloat32, 'heldout_sentences');
      assert.ok(exact.share >= least, `${exact.share} %`);
      const lost = exact.share - shipped.share;
      assert.ok(lost <= 0.3 + 100 / exact.count, `8 bits lose ${lost}`);
    });

    test('no unknown token reaches a reader', async () => {
      const texts = readCopied().map(({ english }) => english);
      for (const { text } of await model.translate(texts)) assert.doesNotMatch(text, /<unk>/);
    });
  });
}
