// assistantModel: what a smaller model guesses, checked in one pass, changes no result, whatever the two models and the options.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { caseNames, generationInputs, json, optionsOf, readFamilyCase } from '../lib/families.mjs';
import { tinyModel, vocabulary } from '../lib/tiny_model.mjs';
import { variants } from '../lib/variants.mjs';

const engineOptions = variants.at(-1);
const readsText = ({ inputs }) => !inputs.inputFeatures && !inputs.inputValues && !inputs.pixelValues;

describe('assistantModel', () => {
  let engine;
  before(async () => {
    engine = await createEngine(engineOptions);
  });
  after(() => engine.dispose());

  const load = (files, options) => loadModel(files, { engine, ...options });
  const refused = (promise, code, message) =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof TransformerError, error.stack);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });

  for (const name of caseNames) {
    const given = readFamilyCase(name);
    const { generation, generation_prompt: prefix } = given.about;
    if (!generation || !readsText(given)) continue;
    test(`${name}: every call of generate, with the model itself in 8 bits as its assistant`, async () => {
      const model = await load(given.files());
      const assistantModel = await load(given.files(), { dtype: 'int8' });
      for (const call of generation) {
        const inputs = generationInputs(given, call);
        const options = { ...optionsOf(call.kwargs), ...(prefix && { prefix }) };
        const whole = await model.generate(inputs, options);
        assert.deepEqual(await model.generate(inputs, { ...options, assistantModel }), whole);
        if (!Array.isArray(inputs)) continue;
        for (const input of inputs) {
          const alone = await model.generate(input, options);
          const found = await model.generate(input, { ...options, assistantModel, numAssistantTokens: 9 });
          assert.deepEqual(found, alone, JSON.stringify(call.kwargs));
        }
      }
      await assistantModel.dispose();
      await model.dispose();
    });
  }

  const settings = { config: { max_length: 200 }, generation: {} };
  const text = 'the cat sat on the mat, the cat sat on the big red mat, the dog';
  const ways = [
    {},
    { eosTokenId: [3, 9, 14] },
    { repetitionPenalty: 1.3 },
    { noRepeatNgramSize: 3 },
    { doSample: true, seed: 5 },
    { doSample: true, seed: 6, topK: 3, temperature: 0.5 },
    { shortlist: [3, 4, 5, 6, 7, 8] },
    { stop: 'cat' },
    { promptLookupNumTokens: 4 },
    { numBeams: 3 },
    { prefixAllowedTokens: (_, ids) => [3, 4 + (ids.length % 7), 5 + (ids.length % 11)] },
    { numReturnSequences: 2, doSample: true, seed: 3 },
  ];

  const small = { num_encoder_layers: 1, num_decoder_layers: 1, d_model: 8 };
  for (const [what, config, seed] of [
    ['that agrees', settings.config],
    ['of another shape, which does not', { ...small, max_length: 20 }, 9],
    ['that cannot read the whole text', { ...small, max_length: 10 }, 9],
  ]) {
    test(`an assistant ${what}: rules, ends, lengths, seeds, streams`, async () => {
      const model = await load(tinyModel(settings));
      const assistantModel = await load(tinyModel({ ...settings, config, ...(seed && { seed }) }));
      for (const way of ways) {
        for (const maxNewTokens of [1, 2, 3, 7, 40, 200]) {
          const options = { ...way, maxNewTokens };
          const expected = await model.generate(text, options);
          for (const numAssistantTokens of [undefined, 0, 1, 20]) {
            const found = await model.generate(text, { ...options, assistantModel, numAssistantTokens });
            assert.deepEqual(found, expected, JSON.stringify({ ...options, numAssistantTokens }));
          }
        }
      }
      const read = async (options) => {
        const chunks = [];
        for await (const { id, text: piece } of model.stream(text, options)) chunks.push([id, piece]);
        return chunks;
      };
      const options = { maxNewTokens: 30 };
      assert.deepEqual(await read({ ...options, assistantModel }), await read(options));
      // An assistant that is disposed in the middle is kept until the end.
      const last = await load(tinyModel({ ...settings, config, ...(seed && { seed }) }));
      const all = [];
      for await (const { id } of model.stream(text, { ...options, assistantModel: last })) {
        all.push(id);
        await last.dispose();
      }
      assert.deepEqual(
        all,
        (await read(options)).map(([id]) => id),
      );
      await assistantModel.dispose();
      await model.dispose();
    });
  }

  test('an assistant that cannot assist is refused, and the model goes on', async () => {
    const model = await load(tinyModel(settings));
    const expected = await model.generate(text);
    const heap = engine.info.heapBytes;
    const attempt = (assistantModel, code, message) =>
      refused(model.generate(text, { assistantModel }), code, message);
    const code = 'invalid_argument';
    await attempt('en-fr', code, /assistantModel must be a model that loadModel made, got/);
    await attempt({}, code, /assistantModel must be a model that loadModel made/);
    for (const loaded of [null, undefined, 0, 'x', {}, [], { host: null }, { plan: {}, handle: {} }])
      await attempt({ loaded }, code, /assistantModel must be/);
    for (const numAssistantTokens of [-1, 257, 1.5])
      await refused(model.generate(text, { numAssistantTokens }), code, /numAssistantTokens/);

    const elsewhere = await loadModel(tinyModel(settings));
    await attempt(elsewhere, code, /same engine as the model/);
    await elsewhere.dispose();

    const gone = await load(tinyModel(settings));
    await gone.dispose();
    await attempt(gone, 'disposed', /assistantModel was disposed/);

    const swapped = tinyModel(settings);
    const tokenizer = JSON.parse(new TextDecoder().decode(swapped.get('tokenizer.json')));
    Object.assign(tokenizer.model.vocab, { [vocabulary[8]]: 9, [vocabulary[9]]: 8 });
    swapped.set('tokenizer.json', json(tokenizer));
    for (const [files, message] of [
      [readFamilyCase('gpt2').files(), /with an encoder and a decoder, as the model is/],
      [readFamilyCase('bert').files(), /with an encoder and a decoder/],
      [readFamilyCase('bart').files(), /the model's vocabulary of \d+ tokens, but has one of 100/],
      [swapped, /its token 8 is ".*" in place of ".*"/],
    ]) {
      const assistant = await load(files);
      await attempt(assistant, code, message);
      await assistant.dispose();
    }
    const pictures = await load(readFamilyCase('ved_vit_gpt2').files());
    await attempt(pictures, 'unsupported', /models that read text/);
    await pictures.dispose();
    assert.deepEqual(await model.generate(text), expected);
    assert.ok(engine.info.heapBytes >= heap);
    await model.dispose();
  });
});
