// Text to tokens and back, and the positions of the tokens in the text.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { specials, tinyModel, tokenizerJson, vocabulary } from '../lib/tiny_model.mjs';

const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/** The tokens of a text, with the text at each token's position. */
function look(tokenizer, text) {
  const { tokens, offsets, unknownWords } = tokenizer.encode(text);
  return { tokens, places: offsets.map((place) => place && text.slice(...place)), unknownWords };
}

describe('words', () => {
  let model;
  let tokenizer;
  before(async () => {
    model = await loadModel(tinyModel());
    tokenizer = model.tokenizer;
  });
  after(() => model.dispose());

  test('ids and tokens, with and without special tokens', () => {
    const { ids, tokens } = tokenizer.encode('The cats ran.');
    assert.deepEqual(tokens, ['the', 'cat', '##s', 'ran', '.', '</s>']);
    assert.deepEqual(
      ids,
      tokens.map((token) => vocabulary.indexOf(token)),
    );
    const bare = tokenizer.encode('The cats ran.', { addSpecialTokens: false });
    assert.deepEqual(bare.tokens, tokens.slice(0, -1));
    assert.deepEqual(tokenizer.encode('').tokens, ['</s>']);
  });

  test('decoding with and without special tokens', () => {
    const { ids } = tokenizer.encode('The cats ran, the dog sat.');
    assert.equal(tokenizer.decode(ids), 'the cats ran, the dog sat.');
    assert.equal(tokenizer.decode(ids, { skipSpecialTokens: false }), 'the cats ran, the dog sat. </s>');
    assert.equal(tokenizer.decode([]), '');
    assert.equal(tokenizer.decode([4, 1000, 5]), 'the cat');
    assert.equal(tokenizer.decode([1000]), '');
    assert.equal(tokenizer.decode(Int32Array.of(2, 4, 3)), 'the');
    for (const id of [-1, 0.5, '4'])
      assert.throws(() => tokenizer.decode([id]), { code: 'invalid_argument' });
    assert.throws(() => tokenizer.encode(5), { code: 'invalid_argument' });
  });

  test('options that are misspelt or of the wrong type are refused', () => {
    const refused = (call, message) => assert.throws(call, { code: 'invalid_argument', message });
    refused(() => tokenizer.encode('the cat', { addSpecialToken: false }), /did you mean 'addSpecialTokens'/);
    refused(() => tokenizer.encode('the cat', { addSpecialTokens: 'no' }), /must be true or false/);
    refused(() => tokenizer.decode([1], { skip_special_tokens: false }), /did you mean 'skipSpecialTokens'/);
    refused(() => tokenizer.tokenOf(1, { source: true }), /has no 'source'/);
  });

  test('tokens by id and ids by token', () => {
    assert.equal(tokenizer.size, vocabulary.length);
    assert.equal(tokenizer.tokenOf(5), vocabulary[5]);
    assert.equal(tokenizer.tokenOf(1000), null);
    assert.equal(tokenizer.idOf('chat'), vocabulary.indexOf('chat'));
    assert.equal(tokenizer.idOf('nowhere'), null);
    assert.equal(tokenizer.unknownId, 1);
    assert.deepEqual(
      specials.map((_, id) => tokenizer.isSpecial(id)),
      [true, false, true, true],
    );
  });

  test('positions of tokens and unknown words, as the user wrote them', () => {
    assert.deepEqual(look(tokenizer, '  A CAT,  Élan!'), {
      tokens: ['<unk>', 'cat', ',', '<unk>', '!', '</s>'],
      places: ['A', 'CAT', ',', 'Élan', '!', null],
      unknownWords: ['A', 'Élan'],
    });
    assert.deepEqual(look(tokenizer, 'the 🐈‍⬛ cat').places.slice(-2), ['cat', null]);
    assert.deepEqual(tokenizer.encode('zorg the zorg').unknownWords, ['zorg']);
    assert.deepEqual(look(tokenizer, 'cat cat cats'), {
      tokens: ['cat', 'cat', 'cat', '##s', '</s>'],
      places: ['cat', 'cat', 'cat', 's', null],
      unknownWords: [],
    });
  });

  test('positions where lower-casing changes the length or depends on the neighbours', () => {
    // The lower case of İ is two characters long; a sigma at the end of a word has its own form.
    const { places, unknownWords } = look(tokenizer, 'the İzmir cat ΟΔΟΣ cat');
    assert.deepEqual(places, ['the', 'İ', 'İ', 'zmir', 'cat', 'ΟΔΟΣ', 'cat', null]);
    assert.deepEqual(unknownWords, ['İ', 'zmir', 'ΟΔΟΣ']);
  });

  test('a text with a token that is never split', () => {
    const { tokens, unknownWords } = look(tokenizer, 'the </s> cat');
    assert.deepEqual(tokens, ['the', '</s>', 'cat', '</s>']);
    assert.deepEqual(unknownWords, []);
  });
});

test('a tokenizer that cleans up spaces: the chunks of a stream still join to the whole text', async () => {
  const files = tinyModel().set('tokenizer_config.json', json({ clean_up_tokenization_spaces: true }));
  const decoder = { type: 'WordPiece', prefix: '##', cleanup: false };
  const model = await loadModel(files.set('tokenizer.json', json({ ...tokenizerJson, decoder })));
  for (const text of ['the cat sat.', 'we ran', 'big red dog, house']) {
    for (const seed of [1, 2, 3, 4]) {
      const options = { doSample: true, temperature: 3, seed };
      let joined = '';
      for await (const chunk of model.stream(text, options)) joined += chunk.text;
      assert.equal(joined, (await model.generate(text, options)).sequences[0].text);
    }
  }
  await model.dispose();
});

test('spaces are cleaned up only where the folder says so', async () => {
  const decoder = { type: 'WordPiece', prefix: '##', cleanup: false };
  const decoded = async (config) => {
    const files = tinyModel().set('tokenizer_config.json', json(config));
    const model = await loadModel(files.set('tokenizer.json', json({ ...tokenizerJson, decoder })));
    const { ids } = model.tokenizer.encode('the cat.', { addSpecialTokens: false });
    const text = model.tokenizer.decode(ids);
    await model.dispose();
    return text;
  };
  assert.equal(await decoded({}), 'the cat .');
  assert.equal(await decoded({ clean_up_tokenization_spaces: true }), 'the cat.');
});

test('SentencePiece-like tokenizers: space marks are not part of unknown words', async () => {
  const pieces = [...specials, '▁the', '▁cat', '▁', 's'];
  const unigram = {
    ...tokenizerJson,
    normalizer: null,
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: 1, vocab: pieces.map((piece, i) => [piece, -i]) },
  };
  const model = await loadModel(tinyModel().set('tokenizer.json', json(unigram)));
  assert.deepEqual(look(model.tokenizer, 'the cats  zz the'), {
    tokens: ['▁the', '▁cat', 's', '▁', '▁', 'zz', '▁the', '</s>'],
    places: ['the', 'cat', 's', ' ', ' ', 'zz', 'the', null],
    unknownWords: ['zz'],
  });
  await model.dispose();
});
