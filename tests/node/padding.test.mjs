// Padding on either side, given by a mask or by its id, does not affect the tokens next to it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { json, readFamilyCase } from '../lib/families.mjs';

describe('padding', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const load = (name, changes) => loadModel(readFamilyCase(name).files(changes), { engine });

  /** A row of [batch, time, width]. */
  const vector = ({ data, shape: [, time, width] }, row, place) =>
    Array.from(data.subarray((row * time + place) * width, (row * time + place + 1) * width));

  for (const name of ['roberta_seqcls', 'm2m100']) {
    test(`${name}: positions count only tokens that are not padding, on the left too`, async () => {
      const model = await load(name);
      const pad = model.config.pad_token_id;
      const ids = [5, 6, 7, 8];
      const options = { outputHiddenStates: true, outputAttentions: true };
      const decoder =
        name === 'm2m100'
          ? {
              decoderInputIds: [
                [2, 9],
                [2, 9],
              ],
            }
          : {};
      const output = await model.forward(
        {
          inputIds: [
            [...ids, pad, pad],
            [pad, pad, ...ids],
          ],
          attentionMask: [
            [1, 1, 1, 1, 0, 0],
            [0, 0, 1, 1, 1, 1],
          ],
          ...decoder,
        },
        options,
      );
      for (const states of output.hiddenStates ?? output.encoderHiddenStates)
        for (const place of ids.keys())
          assert.deepEqual(vector(states, 0, place), vector(states, 1, place + 2));
      for (const { data, shape } of output.attentions ?? output.encoderAttentions) {
        const [, heads, time] = shape;
        const at = (row, query, key) => data[(row * heads * time + query) * time + key];
        for (const query of ids.keys())
          for (const key of ids.keys()) assert.equal(at(0, query, key), at(1, query + 2, key + 2));
      }
      for (const { data, shape } of output.crossAttentions ?? []) {
        const [, heads, time, keys] = shape;
        for (const key of ids.keys()) assert.equal(data[key], data[heads * time * keys + key + 2]);
      }
      const gap = { inputIds: [[5, pad, 7]], ...(name === 'm2m100' ? { decoderInputIds: [[2]] } : {}) };
      await assert.rejects(model.forward(gap), { code: 'unsupported', message: /padding between/ });
      await model.dispose();
    });
  }

  for (const name of ['gpt2', 'llama', 'bloom']) {
    test(`${name}: a left-padded row equals the row alone`, async () => {
      const model = await load(name);
      const padded = await model.forward({
        inputIds: [
          [9, 9, 9, 5, 6],
          [4, 5, 6, 7, 8],
        ],
        attentionMask: [
          [0, 0, 0, 1, 1],
          [1, 1, 1, 1, 1],
        ],
      });
      const alone = await model.forward({ inputIds: [[5, 6]] });
      for (const place of [0, 1])
        assert.deepEqual(vector(padded.logits, 0, place + 3), vector(alone.logits, 0, place));
      await model.dispose();
    });
  }

  test('bloom: padding between tokens is rejected, because positions cannot skip it', async () => {
    const model = await load('bloom');
    const gap = { inputIds: [[5, 6, 7]], attentionMask: [[1, 0, 1]] };
    await assert.rejects(model.forward(gap), {
      code: 'unsupported',
      message: /attentionMask has padding between/,
    });
    await model.dispose();
  });

  describe('batches for generation', () => {
    const options = { maxNewTokens: 8, numBeams: 2 };

    for (const name of ['marian', 't5', 'm2m100']) {
      test(`${name}: padded ids with or without a mask equal lists of ids`, async () => {
        const model = await load(name);
        const pad = model.config.pad_token_id;
        const eos = model.config.eos_token_id;
        const lists = [
          [5, 6, 7, eos],
          [8, 9, eos],
        ];
        const inputIds = [lists[0], [...lists[1], pad]];
        const attentionMask = [
          [1, 1, 1, 1],
          [1, 1, 1, 0],
        ];
        const expected = await model.generate(lists, options);
        assert.deepEqual(await model.generate({ inputIds, attentionMask }, options), expected);
        assert.deepEqual(await model.generate({ inputIds }, options), expected);
        const left = { inputIds: [lists[0], [pad, ...lists[1]]] };
        if (name === 'marian') await assert.rejects(model.generate(left, options), { code: 'unsupported' });
        else assert.deepEqual(await model.generate(left, options), expected);
        const gap = { inputIds, attentionMask: [attentionMask[0], [1, 0, 1, 0]] };
        await assert.rejects(model.generate(gap, options), {
          code: 'unsupported',
          message: /between real tokens/,
        });
        await model.dispose();
      });
    }

    test("the decoder's prompt, with or without its start token", async () => {
      const model = await load('bart');
      const inputIds = [[0, 5, 6, 2]];
      const start = model.config.decoder_start_token_id;
      const byPrefix = await model.generate(inputIds, { ...options, prefix: [7, 8] });
      for (const decoderInputIds of [[[7, 8]], [[start, 7, 8]]])
        assert.deepEqual(await model.generate({ inputIds, decoderInputIds }, options), byPrefix);
      assert.deepEqual(byPrefix[0].sequences[0].ids.slice(0, 3), [start, 7, 8]);
      await assert.rejects(model.generate({ inputIds, decoderInputIds: [[7], [8]] }, options), {
        code: 'invalid_argument',
        message: /2 rows for 1 inputs/,
      });
      await model.dispose();
    });

    test('a decoder alone is padded on the left, and the padding id does not matter', async () => {
      const model = await load('llama');
      const ids = [5, 6, 7];
      const [alone] = await model.generate([ids], options);
      const batch = { inputIds: [[0, 0, ...ids]], attentionMask: [[0, 0, 1, 1, 1]] };
      assert.deepEqual((await model.generate(batch, options))[0].sequences, alone.sequences);
      const right = { inputIds: [[...ids, 0]], attentionMask: [[1, 1, 1, 0]] };
      await assert.rejects(model.generate(right, options), {
        code: 'invalid_argument',
        message: /padded on the left/,
      });
      await model.dispose();
    });

    test("the caller's lengths include the padding, as in Python", async () => {
      const model = await load('llama', {
        'generation_config.json': json({ eos_token_id: [], pad_token_id: 0 }),
      });
      const prompts = [[5, 6, 7, 8, 9], [5]];
      const results = await model.generate(prompts, { maxLength: 9, eosTokenId: [] });
      for (const { sequences } of results) assert.equal(sequences[0].tokenScores.length, 4);
      await model.dispose();
    });

    test('audio of the wrong shape, and token ids instead of audio', async () => {
      const model = await load('whisper');
      const short = { data: new Float32Array(8 * 20), shape: [1, 8, 20] };
      const wrong = { code: 'invalid_argument', message: /\[batch, 8, 28\], got \[8, 20\]/ };
      await assert.rejects(model.generate({ inputFeatures: short }), wrong);
      await assert.rejects(model.generate([1, 2, 3]), { code: 'invalid_argument', message: /inputFeatures/ });
      await model.dispose();
    });
  });
});
