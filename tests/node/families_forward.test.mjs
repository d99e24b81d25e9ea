// Every model with reference data from the Python library: logits, hidden states and attention weights.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertNear, assertPass, caseNames, readFamilyCase, tolerance } from '../lib/families.mjs';
import { allowed, assertClose, readCase } from '../lib/reference.mjs';

const everything = { outputAttentions: true, outputHiddenStates: true };

describe('families', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  /** Loads files, runs `work`, and disposes the model. */
  const withModel = async (files, work) => {
    const model = await loadModel(files, { engine });
    try {
      return await work(model);
    } finally {
      await model.dispose();
    }
  };

  for (const name of caseNames) {
    const given = readFamilyCase(name);
    const { get, has, inputs } = given;

    test(`${name}: one pass`, () =>
      withModel(given.files(), async (model) => {
        assert.equal(model.info.family, given.config.model_type);
        // The encoder of a pair of stacks may bring its pooler, and DINO a token for training, which nothing reads.
        const isForTraining = /^encoder\.pooler\.|(^|\.)embeddings\.mask_token$/;
        const unused = model.info.unusedTensors.filter((one) => !isForTraining.test(one));
        assert.deepEqual(unused, []);
        assertPass(given, await model.forward(inputs, everything));
      }));

    for (const other of given.otherNames) {
      test(`${name}: the same weights under the names of ${other}`, () =>
        withModel(given.files({ 'model.safetensors': given.file(other) }), async (model) => {
          assert.deepEqual(model.info.unusedTensors, []);
          assertPass(given, await model.forward(inputs, everything));
        }));
    }

    for (const other of given.otherConfigs) {
      test(`${name}: ${other}, as older files have it`, () =>
        withModel(given.files({ 'config.json': given.file(other) }), async (model) => {
          assertPass(given, await model.forward(inputs, everything));
        }));
    }

    if (has('logits_with_decoder_mask')) {
      test(`${name}: with a mask of the decoder`, () =>
        withModel(given.files(), async (model) => {
          const mask = get('decoder_attention_mask');
          const { logits } = await model.forward({ ...inputs, decoderAttentionMask: mask });
          assertNear(logits, get('logits_with_decoder_mask'), name, tolerance.states, { mask });
        }));
    }

    if (has('long_logits')) {
      test(`${name}: a text longer than those that the model was trained on`, () =>
        withModel(given.files(), async (model) => {
          const { logits } = await model.forward({ inputIds: get('long_input_ids') });
          assertNear(logits, get('long_logits'), name, tolerance.states);
        }));
    }

    if (has('logits_left_padded')) {
      test(`${name}: padded on the left`, () =>
        withModel(given.files(), async (model) => {
          const mask = get('attention_mask_left_padded');
          const left = { inputIds: get('input_ids_left_padded'), attentionMask: mask };
          const output = await model.forward(left, everything);
          assertNear(output.logits, get('logits_left_padded'), name, tolerance.states, { mask });
          // Hidden states and weights line up with their tokens.
          const right = await model.forward(inputs, everything);
          assertMovedRows(output, right, get('attention_mask').data, mask.data);
        }));
    }

    for (const kind of ['last_hidden_state', 'logits']) {
      if (has(`${kind}_without_token_type_ids`)) {
        test(`${name}: without token types, ${kind}`, () =>
          withModel(given.files(), async (model) => {
            const { tokenTypeIds: _, ...rest } = inputs;
            const { lastHiddenState, logits } = await model.forward(rest);
            const mask = kind === 'logits' ? undefined : get('attention_mask');
            const expected = get(`${kind}_without_token_type_ids`);
            assertNear(kind === 'logits' ? logits : lastHiddenState, expected, name, tolerance.states, {
              mask,
            });
          }));
      }
      if (has(`${kind}_first5_no_mask`)) {
        test(`${name}: the first five tokens without mask and types, ${kind}`, () =>
          withModel(given.files(), async (model) => {
            const [batch, time] = get('input_ids').shape;
            const firstFive = ({ data }) =>
              Array.from({ length: batch }, (_, i) => Array.from(data.subarray(i * time, i * time + 5)));
            const output = await model.forward({ inputIds: firstFive(inputs.inputIds) });
            const actual = kind === 'logits' ? output.logits : output.lastHiddenState;
            assertNear(actual, get(`${kind}_first5_no_mask`), name, tolerance.states);
          }));
      }
    }
  }

  for (const name of ['torch_transformer_post_relu', 'torch_transformer_pre_gelu']) {
    test(`${name}: a state dict of nn.Transformer`, async () => {
      const { get, raw } = readCase(name);
      await withModel(new URL(`../fixtures/reference/${name}`, import.meta.url), async (model) => {
        const source = get('src');
        const both = { inputsEmbeds: source, decoderInputsEmbeds: get('tgt') };
        const masks = {
          attentionMask: allowed(raw('mask.src_padding')),
          decoderAttentionMask: allowed(raw('mask.tgt_padding')),
        };
        const causal = await model.forward(both);
        assertClose(causal.lastHiddenState, get('output.causal'), 1e-5, 'causal');
        const padded = await model.forward({ ...both, ...masks });
        const rows = masks.decoderAttentionMask.data;
        assertClose(padded.lastHiddenState, get('output.causal_padding'), 1e-5, 'padded', rows);
        const memory = masks.attentionMask.data;
        assertClose(padded.encoderLastHiddenState, get('causal_padding.memory'), 1e-5, 'memory', memory);
      });
    });
  }

  test('torch_encoder_stack: a state dict of nn.TransformerEncoder', async () => {
    const { get, raw } = readCase('torch_encoder_stack');
    await withModel(new URL('../fixtures/reference/torch_encoder_stack', import.meta.url), async (model) => {
      const plain = await model.forward({ inputsEmbeds: get('src') });
      assertClose(plain.lastHiddenState, get('output.plain'), 1e-5, 'plain');
      const attentionMask = allowed(raw('mask.padding'));
      const padded = await model.forward({ inputsEmbeds: get('src'), attentionMask });
      assertClose(padded.lastHiddenState, get('output.padding'), 1e-5, 'padded', attentionMask.data);
    });
  });

  test('torch_seq2seq: a translation model around nn.Transformer', async () => {
    const { about, get } = readCase('torch_seq2seq');
    await withModel(new URL('../fixtures/reference/torch_seq2seq', import.meta.url), async (model) => {
      const isReal = (row) => row.map((id) => id !== model.config.pad);
      const { logits } = await model.forward({
        inputIds: about.src,
        attentionMask: about.src.map(isReal),
        decoderInputIds: about.tgt,
        decoderAttentionMask: about.tgt.map(isReal),
      });
      assertClose(logits, get('logits'), 5e-5, 'logits', about.tgt.flatMap(isReal));
      const sources = about.src.map((row) => row.filter((id) => id !== model.config.pad));
      const results = await model.generate(sources, { maxNewTokens: 20 });
      assert.deepEqual(
        results.map(({ sequences }) => sequences[0].ids),
        about.greedy,
      );
    });
  });
});

/** The same real rows, at the beginning of one batch and at the end of the other. */
function assertMovedRows(left, right, rightMask, leftMask) {
  for (const [layer, states] of left.hiddenStates.entries()) {
    const [batch, time, width] = states.shape;
    for (let row = 0; row < batch; row++) {
      const count = rightMask.subarray(row * time, (row + 1) * time).reduce((sum, one) => sum + one, 0);
      const shift = leftMask.subarray(row * time, (row + 1) * time).indexOf(1);
      const from = (row * time + shift) * width;
      const other = row * time * width;
      assert.deepEqual(
        states.data.slice(from, from + count * width),
        right.hiddenStates[layer].data.slice(other, other + count * width),
      );
    }
  }
  for (const [layer, weights] of left.attentions.entries()) {
    const [batch, heads, time] = weights.shape;
    for (let row = 0; row < batch; row++) {
      const shift = leftMask.subarray(row * time, (row + 1) * time).indexOf(1);
      for (let head = 0; head < heads; head++)
        for (let query = 0; query + shift < time; query++)
          for (let key = 0; key + shift < time; key++) {
            const at = (q, k) => ((row * heads + head) * time + q) * time + k;
            const moved = weights.data[at(query + shift, key + shift)];
            assert.equal(moved, right.attentions[layer].data[at(query, key)]);
          }
    }
  }
}
