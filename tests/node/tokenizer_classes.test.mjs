// Folders without tokenizer.json whose `tokenizer_class` says how the ids of their vocabulary are counted.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { otherFamilies, otherTokenizers } from '../../build/modules/families/other_families.js';
import { parseSentencePiece } from '../../build/modules/tokenizers/sentencepiece_file.js';
import { expectedOf, fixture, lines, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const unigram = fixture('unigram.model');
const { cases } = expectedOf('unigram');
/** The model's own ids of lines without a token that a family would extract before splitting. */
const plain = lines
  .map((line, i) => ({ line, ids: cases[i][0] }))
  .filter(({ line }) => line !== '' && !/<|>|_|\[|ABC/.test(line));
// Its tokens <unk>, <s> and </s> have the ids 0, 1 and 2.
const pieces = parseSentencePiece(unigram, 'a model').pieces.map(({ text }) => text);

const classes = [
  {
    name: 'CamembertTokenizer',
    file: 'sentencepiece.bpe.model',
    idOf: (id) => (id === 0 ? 3 : id + 4),
    around: (ids) => [5, ...ids, 6],
    pair: (first, second) => [5, ...first, 6, 6, ...second, 6],
    special: { '<pad>': 1, '<unk>': 3, '<s>': 5, '</s>': 6, '<mask>': pieces.length + 4 },
  },
  {
    name: 'BarthezTokenizer',
    file: 'sentencepiece.bpe.model',
    idOf: (id) => (id === 0 ? 3 : id),
    around: (ids) => [0, ...ids, 2],
    pair: (first, second) => [0, ...first, 2, 2, ...second, 2],
    special: { '<s>': 0, '<pad>': 1, '</s>': 2, '<unk>': 3, '<mask>': pieces.length - 1 },
  },
  {
    name: 'XLMRobertaTokenizer',
    file: 'sentencepiece.bpe.model',
    idOf: (id) => (id === 0 ? 3 : id + 1),
    around: (ids) => [0, ...ids, 2],
    pair: (first, second) => [0, ...first, 2, 2, ...second, 2],
    special: { '<s>': 0, '<pad>': 1, '</s>': 2, '<unk>': 3, '<mask>': pieces.length + 1 },
  },
  {
    name: 'PegasusTokenizer',
    file: 'spiece.model',
    idOf: (id) => id + 103,
    around: (ids) => [...ids, 1],
    pair: (first, second) => [...first, ...second, 1],
    special: { '<pad>': 0, '</s>': 1, '<mask_1>': 2, '<mask_2>': 3, '<unk_2>': 4, '<unk_100>': 102 },
  },
  {
    name: 'DebertaV2Tokenizer',
    file: 'spm.model',
    config: { cls_token: '<s>', sep_token: '</s>', unk_token: '<unk>' },
    idOf: (id) => id,
    around: (ids) => [1, ...ids, 2],
    pair: (first, second) => [1, ...first, 2, ...second, 2],
    special: { '[MASK]': pieces.length },
  },
];

for (const { name, file, config, idOf, around, pair, special } of classes) {
  describe(name, () => {
    // BARThez and others are stored under the model type of another family.
    const read = (tokenizerClass) =>
      tokenizerOf(
        { [file]: unigram, 'tokenizer_config.json': { tokenizer_class: tokenizerClass, ...config } },
        { model_type: 'mbart' },
      );

    test('counts the ids of pieces in its way', async () => {
      const tokenizer = await read(name);
      for (const { line, ids } of plain)
        assert.deepEqual(tokenizer.encode(line).ids, around(ids.map(idOf)), JSON.stringify(line));
    });

    test('is named in config.json too, and with "Fast"', async () => {
      const [{ line, ids }] = plain;
      for (const tokenizer_class of [name, `${name}Fast`]) {
        const tokenizer = await tokenizerOf(
          { [file]: unigram, 'tokenizer_config.json': config ?? {} },
          { model_type: 'mbart', tokenizer_class },
        );
        assert.deepEqual(tokenizer.encode(line).ids, around(ids.map(idOf)));
        assert.equal(tokenizer.languages, null);
      }
    });

    test('has its special tokens', async () => {
      const tokenizer = await read(name);
      for (const [token, id] of Object.entries(special)) {
        assert.equal(tokenizer.idOf(token), id, token);
        assert.ok(tokenizer.isSpecial(id), token);
      }
    });

    test('puts its tokens around two texts', async () => {
      const tokenizer = await read(name);
      const first = tokenizer.encode('the cat', { addSpecialTokens: false }).ids;
      const second = tokenizer.encode('a dog', { addSpecialTokens: false }).ids;
      assert.deepEqual(tokenizer.encode('the cat', { pair: 'a dog' }).ids, pair(first, second));
    });

    test('decodes what it encodes', async () => {
      const tokenizer = await read(name);
      const { ids } = tokenizer.encode('the cat sees a house');
      assert.equal(tokenizer.decode(ids), 'the cat sees a house');
    });
  });
}

describe('other classes', () => {
  const files = (tokenizerClass, others = { 'spiece.model': unigram }) => ({
    ...others,
    'tokenizer_config.json': { tokenizer_class: tokenizerClass },
  });

  for (const name of ['XLNetTokenizer', 'AlbertTokenizer', 'GemmaTokenizer', 'MadeUpTokenizerFast'])
    test(`${name} is refused by name`, async () => {
      await assert.rejects(tokenizerOf(files(name), { model_type: 't5' }), (error) => {
        assert.equal(error.code, 'unsupported');
        assert.match(error.message, new RegExp(`spiece\\.model.*'${name.replace('Fast', '')}'`));
        return true;
      });
    });

  test('a folder without any vocabulary is one of ids, whatever its class', async () => {
    assert.equal(await tokenizerOf(files('XLNetTokenizer', {}), { model_type: 't5' }), null);
  });

  test('a tokenizer.json needs no class', async () => {
    const json = {
      model: { type: 'WordLevel', vocab: { a: 0, b: 1 }, unk_token: 'a' },
      pre_tokenizer: { type: 'Whitespace' },
    };
    const tokenizer = await tokenizerOf(files('XLNetTokenizer', { 'tokenizer.json': json }), {});
    assert.deepEqual(tokenizer.encode('b').ids, [1]);
  });

  test("classes that say nothing leave it to the model's family", async () => {
    for (const name of ['PreTrainedTokenizerFast', null]) {
      const tokenizer = await tokenizerOf(files(name), { model_type: 't5' });
      assert.equal(tokenizer.encode('the cat').ids.at(-1), 2);
    }
  });

  test('T5Tokenizer is read as the family of the model reads it', async () => {
    const sizes = {};
    for (const model_type of ['t5', 'mt5', 'umt5'])
      sizes[model_type] = (await tokenizerOf(files('T5Tokenizer'), { model_type })).idOf('<extra_id_0>');
    assert.deepEqual(sizes, { t5: pieces.length + 99, mt5: null, umt5: null });
  });
});

describe('MPNet', () => {
  test('words of vocab.txt between <s> and </s>', async () => {
    const vocabulary = ['<s>', '<pad>', '</s>', '[UNK]', '<mask>', 'the', 'cat', '##s', 'dog'];
    const files = { 'vocab.txt': new TextEncoder().encode(`${vocabulary.join('\n')}\n`) };
    const tokenizer = await tokenizerOf(files, { model_type: 'mpnet' });
    assert.deepEqual(tokenizer.encode('The cats <mask> bird').ids, [0, 5, 6, 7, 4, 3, 2]);
    const { ids, typeIds } = tokenizer.encode('the cat', { pair: 'dog' });
    assert.deepEqual(ids, [0, 5, 6, 2, 2, 8, 2]);
    assert.ok(typeIds.every((type) => type === 0));
    assert.equal(tokenizer.decode([0, 5, 6, 7, 2]), 'the cats');
  });
});

describe('Blenderbot', () => {
  test('bytes with a space in front and the end token behind', async () => {
    const files = { 'vocab.json': fixture('vocab.json'), 'merges.txt': fixture('merges.txt') };
    const roberta = await tokenizerOf(files, { model_type: 'roberta' });
    const blenderbot = await tokenizerOf(files, { model_type: 'blenderbot' });
    const inner = roberta.encode(' the cat', { addSpecialTokens: false }).ids;
    assert.deepEqual(blenderbot.encode('the cat').ids, [...inner, roberta.idOf('</s>')]);
  });
});

test('only families whose weights are not supported have a tokenizer beside them', () => {
  const supported = new Set(otherFamilies.flatMap(({ modelTypes }) => modelTypes));
  const both = [...otherTokenizers.keys()].filter((type) => supported.has(type));
  assert.deepEqual(both, []);
  assert.ok(supported.size > 50 && otherTokenizers.size > 5);
});
