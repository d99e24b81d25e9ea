// From the options of a generation to what a multilingual model reads and must write first.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeForLanguages } from '../../dist/checkpoint/tokenizers/languages.js';
import { loadModel } from '../../dist/index.js';
import { prepareInput, withLanguages } from '../../dist/model/inputs.js';
import { tinyModel } from '../lib/tiny_model.mjs';
import { fixture, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const nllb = () =>
  tokenizerOf({ 'sentencepiece.bpe.model': fixture('unigram.model') }, { model_type: 'm2m_100' });

/** A model that is nothing but its tokenizer. */
async function modelOf(tokenizer) {
  const size = tokenizer.size;
  const engine = { numEncoderLayers: 1, numDecoderLayers: 1, srcVocabSize: size, tgtVocabSize: size };
  return { tokenizer, plan: { engine, maxPositions: null, tokens: { decoderStart: 2 } } };
}

describe('languages as options', () => {
  test('the source goes before the text, the target is forced', async () => {
    const tokenizer = await nllb();
    const [english, french] = ['eng_Latn', 'fra_Latn'].map((token) => tokenizer.idOf(token));
    const { sourceIds, forcedBosTokenId } = encodeForLanguages(tokenizer, 'le chat', {
      srcLang: 'fra_Latn',
      tgtLang: 'eng_Latn',
    });
    assert.equal(sourceIds[0], french);
    assert.equal(forcedBosTokenId, english);
    assert.ok(!('forcedBosTokenId' in encodeForLanguages(tokenizer, 'le chat', { srcLang: 'fra_Latn' })));
    const model = await modelOf(tokenizer);
    const options = withLanguages(model, { srcLang: 'fra_Latn', tgtLang: 'eng_Latn' });
    assert.equal(options.forcedBosTokenId, english);
    assert.equal(withLanguages(model, { tgtLang: 'eng_Latn', forcedBosTokenId: 5 }).forcedBosTokenId, 5);
    const { source, prompt } = prepareInput(model, 'le chat', options, 'the input');
    assert.deepEqual([...source], [...sourceIds]);
    assert.deepEqual([...prompt], [2]);
  });

  test('before a prefix the target is written out', async () => {
    const tokenizer = await nllb();
    const model = await modelOf(tokenizer);
    const bare = tokenizer.encode('the', { addSpecialTokens: false }).ids;
    const { prompt } = prepareInput(model, 'le chat', { tgtLang: 'eng_Latn', prefix: 'the' }, 'the input');
    assert.deepEqual([...prompt], [2, tokenizer.idOf('eng_Latn'), ...bare]);
    const asIds = prepareInput(model, 'le chat', { tgtLang: 'eng_Latn', prefix: bare }, 'the input');
    assert.deepEqual([...asIds.prompt], [2, ...bare]);
  });

  test('an unknown language is refused with some that are known', async () => {
    const model = await modelOf(await nllb());
    const wrong = (option) => ({
      code: 'invalid_argument',
      message: new RegExp(`${option}.*'fr'.*'fra_Latn'`),
    });
    assert.throws(() => withLanguages(model, { tgtLang: 'fr' }), wrong('tgtLang'));
    assert.throws(() => prepareInput(model, 'a', { srcLang: 'fr' }, 'the input'), wrong('srcLang'));
  });

  test('a model that is told no languages refuses them, in every way to generate', async () => {
    const model = await loadModel(tinyModel());
    const refused = { code: 'unsupported', message: /leave tgtLang out/ };
    await assert.rejects(model.translate('the cat', { tgtLang: 'fr' }), refused);
    await assert.rejects(model.generate('the cat', { tgtLang: 'fr' }), refused);
    await assert.rejects(model.stream('the cat', { tgtLang: 'fr' }).next(), refused);
    await assert.rejects(model.translate('the cat', { srcLang: 5 }), {
      code: 'invalid_argument',
      message: /srcLang must be the code of a language/,
    });
    await model.dispose();
  });
});
