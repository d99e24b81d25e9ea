// A prefix is a text in the target language, which the model continues.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModel } from 'transformer-wasm';

const wide = "The animal didn't cross the street because it was too wide.";

describe('the prefix of a translation', () => {
  let model;

  before(async () => {
    model = await loadModel(fileURLToPath(new URL('../../web/public/models/en-fr', import.meta.url)));
  });
  after(() => model.dispose());

  const target = (text) => model.tokenizer.encode(text, { isTarget: true, addSpecialTokens: false });

  test('is read with its capitals and apostrophes, and gives the text back', async () => {
    for (const [text, tokens] of [
      ["L'animal", ["L'", 'animal']],
      ['L’animal', ["L'", 'animal']],
      ['La rue', ['La', 'rue']],
      ["Bonjour, j'ai faim.", null],
      ["L'animal n'a pas traversé la rue parce qu'elle", null],
    ]) {
      const read = target(text);
      assert.deepEqual(read.unknownWords, []);
      if (tokens) assert.deepEqual(read.tokens, tokens);
      assert.equal(model.tokenizer.decode(read.ids), text.replace('’', "'"));
      const spans = read.offsets.map((span) => text.slice(...span).replace('’', "'"));
      assert.deepEqual(
        spans,
        read.tokens.map((token) => token.replace(/^##/, '')),
      );
    }
  });

  test('every translation can be a prefix: its ids are those that the model wrote', async () => {
    for (const text of [
      wide,
      'The cat sat on the mat.',
      'Excuse me, where is the station?',
      'I am hungry.',
      'It costs 3.50 euros.',
    ]) {
      const { sequences } = await model.generate(text);
      const ids = sequences[0].ids.filter((id) => !model.tokenizer.isSpecial(id));
      assert.deepEqual(target(sequences[0].text).ids, ids);
    }
  });

  test('changes what follows', async () => {
    const prefix = "L'animal n'a pas traversé la rue parce qu'il";
    const { text } = await model.translate(wide, { prefix });
    assert.ok(text.startsWith(prefix), text);
    const { text: own } = await model.translate(wide);
    assert.equal(own.startsWith(prefix), false);
  });

  test('names the words that the model cannot write', async () => {
    await assert.rejects(model.translate(wide, { prefix: 'La zyzzyva rue Quux' }), {
      code: 'invalid_argument',
      message: /not in the vocabulary: zyzzyva, Quux/,
    });
  });

  test('texts in the source language are read as before', () => {
    assert.deepEqual(model.tokenizer.encode('La rue', { addSpecialTokens: false }).tokens, ['la', 'rue']);
  });
});
