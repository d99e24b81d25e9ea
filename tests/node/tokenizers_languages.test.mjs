// From the language options to the ids that a multilingual model reads and must generate first.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { randomNumbers } from '../lib/random.mjs';
import { writeSafetensors } from '../lib/safetensors.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';
import { filesOf, fixture, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const nllb = () =>
  tokenizerOf({ 'sentencepiece.bpe.model': fixture('unigram.model') }, { model_type: 'm2m_100' });

/** NLLB with one small layer per stack and random weights, and only a SentencePiece model as tokenizer. */
async function smallModel() {
  const [width, inner] = [8, 16];
  const config = {
    model_type: 'm2m_100',
    d_model: width,
    encoder_layers: 1,
    decoder_layers: 1,
    encoder_attention_heads: 2,
    decoder_attention_heads: 2,
    encoder_ffn_dim: inner,
    decoder_ffn_dim: inner,
    // Four special tokens; the pieces, which include three of their own; 202 languages; the mask.
    vocab_size: 604,
    max_position_embeddings: 64,
    activation_function: 'relu',
    scale_embedding: true,
    pad_token_id: 1,
    bos_token_id: 0,
    eos_token_id: 2,
    decoder_start_token_id: 2,
    max_length: 12,
  };
  const random = randomNumbers(5);
  const tensors = new Map();
  const add = (name, ...shape) => {
    const isNorm = name.endsWith('norm.weight');
    const data = Float32Array.from(
      { length: shape.reduce((a, b) => a * b) },
      () => Number(isNorm) || random.normal(),
    );
    tensors.set(`model.${name}`, { shape, data });
  };
  const addLinear = (name, outputs, inputs) => {
    add(`${name}.weight`, outputs, inputs);
    add(`${name}.bias`, outputs);
  };
  const addNorm = (name) => {
    add(`${name}.weight`, width);
    add(`${name}.bias`, width);
  };
  add('shared.weight', config.vocab_size, width);
  for (const [stack, attentions] of Object.entries({
    encoder: ['self_attn'],
    decoder: ['self_attn', 'encoder_attn'],
  })) {
    const layer = `${stack}.layers.0`;
    for (const attention of attentions) {
      for (const part of ['q_proj', 'k_proj', 'v_proj', 'out_proj'])
        addLinear(`${layer}.${attention}.${part}`, width, width);
      addNorm(`${layer}.${attention}_layer_norm`);
    }
    addLinear(`${layer}.fc1`, inner, width);
    addLinear(`${layer}.fc2`, width, inner);
    addNorm(`${layer}.final_layer_norm`);
    addNorm(`${stack}.layer_norm`);
  }
  const files = filesOf({ 'config.json': config, 'sentencepiece.bpe.model': fixture('unigram.model') });
  return loadModel(files.set('model.safetensors', writeSafetensors(tensors)));
}

describe('languages as options', () => {
  test('the source language precedes the text, the target language is forced', async () => {
    const tokenizer = await nllb();
    const [english, french] = ['eng_Latn', 'fra_Latn'].map((token) => tokenizer.idOf(token));
    const { ids } = tokenizer.encode('le chat', { srcLang: 'fra_Latn', tgtLang: 'eng_Latn' });
    assert.equal(ids[0], french);
    assert.equal(tokenizer.languages.forcedBosTokenId('eng_Latn'), english);
    assert.equal(tokenizer.languages.forcedBosTokenId(), null);
  });

  test('in translate, generate and stream', async () => {
    const model = await smallModel();
    const { tokenizer } = model;
    const [english, french] = ['eng_Latn', 'fra_Latn'].map((token) => tokenizer.idOf(token));
    const options = { srcLang: 'fra_Latn', tgtLang: 'eng_Latn', maxNewTokens: 4 };
    const { inputIds, sequences } = await model.generate('le chat', options);
    assert.deepEqual(inputIds, tokenizer.encode('le chat', { srcLang: 'fra_Latn' }).ids);
    assert.equal(inputIds[0], french);
    assert.deepEqual(sequences[0].ids.slice(0, 2), [2, english]);
    const translation = await model.translate('le chat', options);
    assert.equal(translation.text, sequences[0].text);
    assert.ok(!translation.tokens.includes('eng_Latn'));
    let streamed = '';
    for await (const { text } of model.stream('le chat', options)) streamed += text;
    assert.equal(streamed, sequences[0].text);
    const forced = await model.generate('le chat', { ...options, forcedBosTokenId: 7 });
    assert.equal(forced.sequences[0].ids[1], 7);

    // Before a text prefix the language is inserted; a prefix of ids is used as it is.
    const bare = tokenizer.encode('the', { addSpecialTokens: false }).ids;
    const led = await model.generate('le chat', { ...options, prefix: 'the' });
    assert.deepEqual(led.sequences[0].ids.slice(0, 2 + bare.length), [2, english, ...bare]);
    const asIds = await model.generate('le chat', { ...options, prefix: bare });
    assert.deepEqual(asIds.sequences[0].ids.slice(0, 1 + bare.length), [2, ...bare]);

    const wrong = (option) => ({
      code: 'invalid_argument',
      message: new RegExp(`${option}.*'fr'.*'fra_Latn'`),
    });
    await assert.rejects(model.translate('a', { tgtLang: 'fr' }), wrong('tgtLang'));
    await assert.rejects(model.translate('a', { srcLang: 'fr' }), wrong('srcLang'));
    await model.dispose();
  });

  test('a model without languages rejects them, in every method', async () => {
    const model = await loadModel(tinyModel());
    const refused = { code: 'unsupported', message: /leave tgtLang out/ };
    await assert.rejects(model.translate('the cat', { tgtLang: 'fr' }), refused);
    await assert.rejects(model.generate('the cat', { tgtLang: 'fr' }), refused);
    await assert.rejects(model.stream('the cat', { tgtLang: 'fr' }).next(), refused);
    await assert.rejects(model.translate('the cat', { srcLang: 5 }), {
      code: 'invalid_argument',
      message: /srcLang must be a language code/,
    });
    await model.dispose();
  });
});
