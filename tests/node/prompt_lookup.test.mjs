// promptLookupNumTokens: guesses that are checked in one pass change no result, whatever the model and the other options.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEngine, loadModel } from '../../dist/index.js';
import { caseNames, generationInputs, optionsOf, readFamilyCase } from '../lib/families.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';
import { repeatWithRelaxedSimd, variants } from '../lib/variants.mjs';

const engineOptions = variants.at(-1);

describe('prompt lookup', () => {
  let engine;
  before(async () => {
    engine = await createEngine(engineOptions);
  });
  after(() => engine.dispose());

  for (const name of caseNames) {
    const given = readFamilyCase(name);
    const { generation, generation_prompt: prefix } = given.about;
    if (!generation) continue;
    test(`${name}: every call of generate, together and one by one`, async () => {
      const model = await loadModel(given.files(), { engine });
      for (const call of generation) {
        const inputs = generationInputs(given, call);
        const options = { ...optionsOf(call.kwargs), ...(prefix && { prefix }) };
        const guessing = { ...options, promptLookupNumTokens: 4 };
        const whole = await model.generate(inputs, options);
        assert.deepEqual(await model.generate(inputs, guessing), whole, JSON.stringify(call.kwargs));
        if (!Array.isArray(inputs)) continue;
        for (const input of inputs) {
          const alone = await model.generate(input, options);
          assert.deepEqual(await model.generate(input, guessing), alone, JSON.stringify(call.kwargs));
        }
      }
      await model.dispose();
    });
  }

  test('texts that repeat themselves: rules, ends, lengths, seeds', async () => {
    const model = await loadModel(tinyModel({ config: { max_length: 200 }, generation: {} }), { engine });
    const text = 'the cat sat on the mat, the cat sat on the big red mat, the dog';
    const ways = [
      {},
      { eosTokenId: [3, 9, 14] },
      { repetitionPenalty: 1.3 },
      { noRepeatNgramSize: 3 },
      { noRepeatNgramSize: 4, minNewTokens: 7 },
      { doSample: true, seed: 5 },
      { doSample: true, seed: 6, topK: 3, temperature: 0.5 },
      { shortlist: [3, 4, 5, 6, 7, 8] },
      { stop: 'cat' },
    ];
    for (const way of ways) {
      for (const maxNewTokens of [1, 2, 3, 7, 40, 200]) {
        if (way.minNewTokens > maxNewTokens) continue; // refused
        const options = { ...way, maxNewTokens };
        const expected = await model.generate(text, options);
        for (const promptLookupNumTokens of [1, 3, 10, 100]) {
          const found = await model.generate(text, { ...options, promptLookupNumTokens });
          assert.deepEqual(found, expected, JSON.stringify({ ...options, promptLookupNumTokens }));
        }
      }
    }
    await model.dispose();
  });

  test('streams give the same pieces of text in all', async () => {
    const folder = fileURLToPath(new URL('../../dist/models/en-fr', import.meta.url));
    const model = await loadModel(folder, { engine });
    const text = 'The zorgon ate my sandwich.';
    const read = async (options) => {
      const chunks = [];
      for await (const { id, text: piece } of model.stream(text, options)) chunks.push([id, piece]);
      return chunks;
    };
    assert.deepEqual(await read({ promptLookupNumTokens: 5 }), await read({}));
    await model.dispose();
  });

  test('an impossible number is refused', async () => {
    const model = await loadModel(tinyModel(), { engine });
    for (const promptLookupNumTokens of [-1, 257, 1.5, 'many'])
      await assert.rejects(model.generate('the cat', { promptLookupNumTokens }), {
        code: 'invalid_argument',
        message: /promptLookupNumTokens/,
      });
    await model.dispose();
  });
});

repeatWithRelaxedSimd(import.meta.url);
