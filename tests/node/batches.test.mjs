// Inputs of any lengths together: each gives what it gives alone, bit for bit.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { readFamilyCase } from '../lib/families.mjs';

describe('batches', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 2 });
  });
  after(() => engine.dispose());

  const load = (name) => loadModel(readFamilyCase(name).files(), { engine });
  /** `count` ids from 4 on, of a vocabulary of which all families have the first twenty. */
  const idsOf = (count, seed) => Array.from({ length: count }, (_, i) => 4 + ((i * 7 + seed * 5) % 15));

  const ways = {
    greedy: { maxNewTokens: 9 },
    beams: { maxNewTokens: 9, numBeams: 3, numReturnSequences: 2 },
    samples: { maxNewTokens: 9, numBeams: 1, doSample: true, seed: 5, numReturnSequences: 3 },
  };
  for (const name of ['marian', 't5', 'gpt2', 'llama']) {
    for (const [way, options] of Object.entries(ways)) {
      test(`${name}, ${way}: long and short inputs together and alone`, async () => {
        const model = await load(name);
        const inputs = [3, 12, 1, 7, 2, 12].map(idsOf);
        const together = await model.generate(inputs, options);
        for (const [i, input] of inputs.entries())
          assert.deepEqual(together[i], await model.generate(input, options), `input ${i}`);
        await model.dispose();
      });
    }
  }

  test('more inputs than a batch holds keep their order', async () => {
    const model = await load('marian');
    const inputs = Array.from({ length: 70 }, (_, i) => idsOf(1 + (i % 11), i));
    const together = await model.generate(inputs, { maxNewTokens: 4 });
    for (const i of [0, 10, 33, 69])
      assert.deepEqual(together[i], await model.generate(inputs[i], { maxNewTokens: 4 }));
    await model.dispose();
  });

  test('a text that is left early frees the batch that is computed ahead', async () => {
    const model = await loadModel(new URL('../../dist/models/en-fr/', import.meta.url), {
      engine,
      prefixCacheBytes: 0,
    });
    const text = Array.from({ length: 200 }, (_, i) => `I have ${i + 2} apples.`).join(' ');
    const short = async () => (await model.translate('I am hungry.')).text;
    const expected = await short();
    for await (const _ of model.streamTranslation(text)) break; // what is kept from a first use
    await short();
    const heap = engine.info.heapBytes;
    for (const wanted of [1, 40, 70]) {
      let seen = 0;
      for await (const _ of model.streamTranslation(text)) if (++seen === wanted) break;
      assert.equal(seen, wanted);
      assert.equal(await short(), expected);
    }
    // A search that was left ends at its next report, which later calls wait for.
    for (let i = 0; i < 50 && engine.info.heapBytes > heap; i++) await short();
    assert.ok(engine.info.heapBytes <= heap, `${engine.info.heapBytes} of ${heap} bytes`);
    await model.dispose();
  });

  test('what fails in a later batch reaches the caller', async () => {
    const model = await load('marian');
    const inputs = Array.from({ length: 70 }, (_, i) => idsOf(3, i));
    const allowed = (place, _ids) => {
      if (place === 69) throw new Error('of the last');
      return [4, 5];
    };
    await assert.rejects(
      model.generate(inputs, { maxNewTokens: 3, prefixAllowedTokens: allowed }),
      /of the last/,
    );
    await model.dispose();
  });

  test('padding that is skipped comes out as zeros, and all else is the same', async () => {
    const model = await load('bert');
    const lengths = [4, 9, 1];
    const inputIds = lengths.map((length, i) => [...idsOf(length, i), ...new Array(9 - length).fill(0)]);
    const attentionMask = lengths.map((length) => Array.from({ length: 9 }, (_, i) => (i < length ? 1 : 0)));
    const expected = await model.forward({ inputIds, attentionMask });
    const found = await model.forward({ inputIds, attentionMask }, { skipPadding: true });
    assert.deepEqual(Object.keys(found), Object.keys(expected));
    const { data, shape } = found.lastHiddenState;
    assert.deepEqual(shape, expected.lastHiddenState.shape);
    const width = shape[2];
    for (let row = 0; row < 3 * 9; row++) {
      const isReal = row % 9 < lengths[Math.floor(row / 9)];
      const numbers = data.subarray(row * width, (row + 1) * width);
      if (isReal)
        assert.deepEqual(numbers, expected.lastHiddenState.data.subarray(row * width, (row + 1) * width));
      else assert.ok(numbers.every((number) => number === 0));
    }
    const watched = { skipPadding: true, outputHiddenStates: true };
    const { hiddenStates } = await model.forward({ inputIds, attentionMask }, watched);
    assert.deepEqual(hiddenStates.at(-1).data, expected.lastHiddenState.data, 'what is watched is computed');
    await assert.rejects(model.forward({ inputIds }, { skipPadding: 1 }), {
      code: 'invalid_argument',
      message: /skipPadding/,
    });
    await model.dispose();
  });
});
