// The small files of a checkpoint, and the errors for invalid ones.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { refusesToLoad } from '../lib/refuses.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';

const text = 'The cat sat on the mat.';
const json = (value) => new TextEncoder().encode(JSON.stringify(value));

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const refuses = (files, expected, options) => refusesToLoad(engine, files, expected, options);

describe('config.json', () => {
  const withConfig = (config) =>
    tinyModel({ tensors: tinyTensors(tinyConfig) }).set('config.json', json(config));
  const bad = (message) => ({ code: 'bad_checkpoint', message });

  test('an unknown family is named in the error', async () => {
    await refuses(withConfig({ model_type: 'mamba' }), { code: 'unsupported', message: /'mamba'/ });
    await refuses(withConfig({ d_model: 16 }), bad(/model_type/));
  });

  test('an invalid or missing field is named in the error', async () => {
    const { d_model: _, ...without } = tinyConfig;
    await refuses(withConfig(without), bad(/config\.json has no d_model/));
    for (const [name, value] of [
      ['d_model', 'wide'],
      ['num_heads', 0],
      ['d_ff', 2.5],
      ['norm', 'around'],
      ['activation', 'swoosh'],
      ['tie_embeddings', 'yes'],
      ['layer_norm_eps', {}],
      ['eos_token_id', [3, -1]],
      ['num_encoder_layers', -1],
    ]) {
      await refuses(
        withConfig({ ...tinyConfig, [name]: value }),
        bad(new RegExp(`config\\.json: ${name} must be`)),
      );
    }
  });

  test('sizes that no model can have are the fault of the file, not of the caller', async () => {
    for (const [changed, message] of [
      [{ num_heads: 3 }, /^config\.json: .*16.* multiple of .*3/],
      [{ num_heads: 2 ** 31 - 1 }, /^config\.json: .*multiple of/],
      [{ d_model: 17 }, /^config\.json: .*17.* multiple of/],
    ])
      await refuses(withConfig({ ...tinyConfig, ...changed }), bad(message));
  });

  test('a file that is not a JSON object', async () => {
    const files = tinyModel();
    await refuses(
      files.set('config.json', new TextEncoder().encode('{ "model_type": ')),
      bad(/config\.json is not JSON/),
    );
    await refuses(files.set('config.json', json([1])), bad(/config\.json must contain a JSON object/));
  });

  test("sizes that contradict the tensors: the error gives shapes, in the file's names", async () => {
    const shapes =
      /model\.safetensors: the tensor 'embedding\.weight' has the shape \[30, 16\], expected \[30, 24\]/;
    await refuses(withConfig({ ...tinyConfig, d_model: 24 }), bad(shapes));
    await refuses(
      withConfig({ ...tinyConfig, num_decoder_layers: 3 }),
      bad(/'decoder\.layers\.2\.norm1\.weight' of shape \[16\] is missing/),
    );
    await refuses(withConfig({ ...tinyConfig, d_ff: 32 }), bad(/'encoder\.layers\.0\.linear1\.weight'/));
  });

  test('fewer layers than the file has: the others are listed as unused', async () => {
    const model = await loadModel(withConfig({ ...tinyConfig, num_encoder_layers: 1 }), { engine });
    const { unusedTensors } = model.info;
    assert.equal(unusedTensors.length, 12);
    assert.ok(unusedTensors.every((name) => name.startsWith('encoder.layers.1.')));
    assert.equal((await model.forward({ inputIds: [5], decoderInputIds: [2] })).logits.shape.length, 3);
    await model.dispose();
  });
});

describe('tokenizer.json', () => {
  test('invalid files', async () => {
    const broken = { code: 'bad_checkpoint', message: /tokenizer\.json/ };
    const unknown = { code: 'unsupported', message: /tokenizer\.json.*'Nonsense'/ };
    const nonsense = json({ model: { type: 'Nonsense', vocab: {} } });
    await refuses(tinyModel().set('tokenizer.json', nonsense), unknown);
    await refuses(tinyModel().set('tokenizer.json', json({})), broken);
    await refuses(tinyModel().set('tokenizer.json', new TextEncoder().encode('{')), broken);
  });
});

describe('generation_config.json', () => {
  const lengthOf = async (files, options) => {
    const model = await loadModel(files, { engine });
    const { sequences } = await model.generate(text, { minNewTokens: 0, ...options });
    await model.dispose();
    return sequences;
  };
  const neverEnds = { eos_token_id: [] };

  test('applies where no option is given; config.json applies where it is missing', async () => {
    const all = await lengthOf(tinyModel({ config: neverEnds }));
    assert.equal(all[0].ids.length, tinyConfig.max_length);
    const short = { max_length: 5, num_beams: 3, num_return_sequences: 2 };
    const [first, second] = await lengthOf(tinyModel({ config: neverEnds, generation: short }));
    assert.equal(first.ids.length, 5);
    assert.ok(first.score >= second.score);
    const [given] = await lengthOf(tinyModel({ config: neverEnds, generation: short }), {
      maxNewTokens: 2,
      numBeams: 2,
    });
    assert.equal(given.ids.length, 3);
    const [tokens] = await lengthOf(
      tinyModel({ config: neverEnds, generation: { max_new_tokens: 3, max_length: 9 } }),
    );
    assert.equal(tokens.ids.length, 4);
    const [twenty] = await lengthOf(tinyModel({ config: neverEnds, generation: {} }));
    assert.equal(twenty.ids.length, 20);
  });

  test('a field of the wrong type is named in the error', async () => {
    for (const [name, value] of [
      ['num_beams', 'many'],
      ['early_stopping', 'often'],
      ['bad_words_ids', [1]],
      ['do_sample', 1],
    ]) {
      const files = tinyModel({ generation: { [name]: value } });
      await refuses(files, {
        code: 'bad_checkpoint',
        message: new RegExp(`generation_config\\.json: ${name} must be`),
      });
    }
  });
});
