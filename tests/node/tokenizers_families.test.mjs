// Folders with SentencePiece files: the ids and special tokens of each model family.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { atOnce } from '../../build/modules/engine/steps.js';
import { SentencePiece } from '../../build/modules/tokenizers/sentencepiece.js';
import { parseSentencePiece } from '../../build/modules/tokenizers/sentencepiece_file.js';
import { expectedOf, fixture, fixtureJson, lines, placesOf, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const unigram = fixture('unigram.model');
const symbols = fixture('unigram_symbols.model');
const bpe = fixture('bpe_bytes.model');
const piecesOf = (bytes) => parseSentencePiece(bytes, 'a model').pieces.map(({ text }) => text);
const pieces = piecesOf(unigram);
const { cases } = expectedOf('unigram');

/** Lines without a token that a family would extract before splitting. */
const plain = lines
  .map((line, i) => ({ line, ids: cases[i][0], text: cases[i][1] }))
  .filter(({ line }) => !/<|>|_|\[|ABC/.test(line));

/** A vocabulary in its own order. */
function shuffled(tokens) {
  const order = [...new Set(tokens)].sort(
    (a, b) => (a.codePointAt(1) ?? 0) - (b.codePointAt(1) ?? 0) || (a < b ? -1 : 1),
  );
  return Object.fromEntries(order.map((token, id) => [token, id]));
}

describe('Marian', () => {
  const config = { model_type: 'marian' };
  const vocabulary = shuffled([
    '</s>',
    '<unk>',
    ...pieces.slice(3),
    ...piecesOf(symbols).slice(4),
    '>>fra<<',
    '>>deu<<',
    '<pad>',
  ]);
  const files = { 'source.spm': unigram, 'target.spm': symbols, 'vocab.json': vocabulary };
  const tokenOf = new Map(Object.entries(vocabulary).map(([token, id]) => [id, token]));

  test('pieces get their ids from vocab.json, followed by the end token', async () => {
    const tokenizer = await tokenizerOf(files, config);
    for (const { line, ids } of plain) {
      const encoding = tokenizer.encode(line);
      assert.equal(encoding.ids.at(-1), vocabulary['</s>']);
      const known = ids.map((id) => (id === 0 ? null : vocabulary[pieces[id]]));
      // A token that the source model lacks may still exist in the target vocabulary.
      const found = encoding.ids.slice(0, -1).map((id, i) => (known[i] === null ? null : id));
      assert.deepEqual(found, known, JSON.stringify(line));
      for (const [i, id] of encoding.ids.entries()) {
        assert.equal(id, vocabulary[encoding.tokens[i]] ?? vocabulary['<unk>']);
      }
    }
  });

  test('the target model decodes', async () => {
    const tokenizer = await tokenizerOf(files, { ...config });
    const ids = ['▁le', '▁chat', '</s>', '<pad>'].map((token) => vocabulary[token] ?? vocabulary['<unk>']);
    assert.equal(
      tokenizer.decode(ids),
      ids
        .slice(0, 2)
        .map((id) => tokenOf.get(id))
        .join('')
        .replaceAll('▁', ' ')
        .trim(),
    );
    assert.equal(
      tokenizer.decode([vocabulary['▁a'], vocabulary['</s>']], { skipSpecialTokens: false }),
      'a</s>',
    );
  });

  test('the target language is a token before the text, written or as an option', async () => {
    const tokenizer = await tokenizerOf(files, config);
    assert.deepEqual(tokenizer.languages.codes.sort(), ['deu', 'fra']);
    const written = tokenizer.encode('>>fra<< the cat');
    assert.equal(written.ids[0], vocabulary['>>fra<<']);
    assert.deepEqual(written.offsets[0], [0, 7]);
    assert.deepEqual(tokenizer.encode('the cat', { tgtLang: 'fra' }).ids, written.ids);
    assert.equal(tokenizer.encode('>>xyz<< the cat').ids[0], vocabulary['<unk>']);
    assert.throws(() => tokenizer.encode('a', { tgtLang: 'en' }), {
      code: 'invalid_argument',
      message: /'en'.*'fra'/,
    });
    assert.throws(() => tokenizer.encode('a', { srcLang: 'fra' }), {
      code: 'unsupported',
      message: /srcLang/,
    });
  });

  test('two vocabularies: each has its own ids, special tokens and model', async () => {
    const target = shuffled(['<pad>', '</s>', '<unk>', ...piecesOf(symbols).slice(4)]);
    const words = Object.keys(target).filter((token) => !/^<.*>$/.test(token));
    const ofTarget = Object.fromEntries([...words, '<unk>', '</s>', '<pad>'].map((token, id) => [token, id]));
    const tokenizer = await tokenizerOf({ ...files, 'target_vocab.json': ofTarget }, config);
    const shared = await tokenizerOf(files, config);
    assert.deepEqual(tokenizer.encode('the cat').ids, shared.encode('the cat').ids);
    for (const token of words.slice(0, 50)) {
      assert.equal(tokenizer.tokenOf(ofTarget[token]), token);
      assert.equal(tokenizer.tokenOf(vocabulary[token], { isSource: true }), token);
      assert.ok(!tokenizer.isSpecial(ofTarget[token]));
    }
    const ids = ['<pad>', '▁le', '▁chat', '</s>'].map((token) => ofTarget[token] ?? ofTarget['<unk>']);
    assert.equal(tokenizer.decode([ids[0], ofTarget['▁le'], ids[3]]), 'le');
    const { tokens } = tokenizer.encode('le chat', { addSpecialTokens: false, isTarget: true });
    assert.deepEqual(
      tokens,
      atOnce(new SentencePiece(parseSentencePiece(symbols, 'target.spm')).encode('le chat')).map(
        ({ piece }) => piece,
      ),
    );
  });
});

describe('T5', () => {
  const config = { model_type: 't5' };

  test("the model's own ids, and the end token", async () => {
    const tokenizer = await tokenizerOf({ 'spiece.model': unigram }, config);
    for (const { line, ids, text } of plain) {
      assert.deepEqual(tokenizer.encode(line).ids, [...ids, 2], JSON.stringify(line));
      if (!ids.includes(0)) assert.equal(tokenizer.decode([...ids, 2]), cleaned(text));
    }
  });

  test('sentinels are numbered downwards from the largest id', async () => {
    const tokenizer = await tokenizerOf({ 'spiece.model': unigram }, config);
    assert.equal(tokenizer.size, pieces.length + 100);
    assert.equal(tokenizer.idOf('<extra_id_0>'), pieces.length + 99);
    assert.equal(tokenizer.idOf('<extra_id_99>'), pieces.length);
    const text = 'the <extra_id_0> sees <extra_id_1>.';
    const found = placesOf(tokenizer, text);
    assert.deepEqual(found.slice(0, 2), [
      ['▁the', 'the'],
      ['<extra_id_0>', '<extra_id_0>'],
    ]);
    assert.ok(tokenizer.isSpecial(pieces.length + 99));
    const few = await tokenizerOf(
      { 'spiece.model': unigram, 'tokenizer_config.json': { extra_ids: 7 } },
      config,
    );
    assert.equal(few.idOf('<extra_id_0>'), pieces.length + 6);
    assert.equal(
      (await tokenizerOf({ 'spiece.model': unigram }, { model_type: 'mt5' })).idOf('<extra_id_0>'),
      null,
    );
  });

  test('as MADLAD has it: no sentinels, and the language as a symbol of the model', async () => {
    const files = { 'spiece.model': symbols, 'tokenizer_config.json': { extra_ids: 0 } };
    const tokenizer = await tokenizerOf(files, config);
    assert.equal(tokenizer.size, piecesOf(symbols).length);
    assert.equal(tokenizer.idOf('<extra_id_0>'), null);
    const { ids, tokens } = tokenizer.encode('<sym> the cat');
    assert.equal(tokens.filter((token) => token === '<sym>').length, 1);
    assert.equal(ids.filter((id) => id === piecesOf(symbols).indexOf('<sym>')).length, 1);
    assert.equal(ids.at(-1), piecesOf(symbols).indexOf('</s>'));
  });

  test('two texts are separated by the end token of the first', async () => {
    const tokenizer = await tokenizerOf({ 'spiece.model': unigram }, config);
    const [first, second] = ['the cat', 'le chat'].map((text) => tokenizer.encode(text).ids);
    assert.deepEqual(tokenizer.encode('the cat', { pair: 'le chat' }).ids, [...first, ...second]);
  });
});

const cleaned = (text) =>
  text
    .replace(/^[^\S\ufeff]+|[^\S\ufeff]+$/g, '')
    .replace(/ ([.?!,])/g, '$1')
    .replaceAll(" ' ", "'")
    .replace(/ (n't|'m|'s|'ve|'re)/g, '$1');

describe("Fairseq's layout", () => {
  const specials = ['<s>', '<pad>', '</s>', '<unk>'];
  const shift = (ids) => ids.map((id) => (id === 0 ? 3 : id + 1));

  test('NLLB: ids shifted by one, languages after the pieces, source language before the text', async () => {
    const config = { model_type: 'm2m_100' };
    const tokenizer = await tokenizerOf({ 'sentencepiece.bpe.model': unigram }, config);
    assert.deepEqual(
      specials.map((token) => tokenizer.idOf(token)),
      [0, 1, 2, 3],
    );
    const english = tokenizer.idOf('eng_Latn');
    assert.equal(tokenizer.idOf('ace_Arab'), pieces.length + 1);
    assert.equal(tokenizer.idOf('zul_Latn'), pieces.length + 202);
    assert.equal(tokenizer.idOf('<mask>'), pieces.length + 203);
    for (const { line, ids } of plain) {
      assert.deepEqual(tokenizer.encode(line).ids, [english, ...shift(ids), 2], JSON.stringify(line));
    }
    const french = tokenizer.idOf('fra_Latn');
    const { ids } = tokenizer.encode('the cat', { srcLang: 'fra_Latn', tgtLang: 'deu_Latn' });
    assert.equal(ids[0], french);
    assert.equal(tokenizer.languages.forcedBosTokenId('fra_Latn'), french);
    assert.throws(() => tokenizer.encode('a', { srcLang: 'english' }), {
      code: 'invalid_argument',
      message: /'english'.*'eng_Latn'.*202/,
    });
    assert.equal(tokenizer.decode([french, ...ids]), 'the cat');
    assert.equal(tokenizer.decode(ids, { skipSpecialTokens: false }), 'fra_Latn the cat</s>');
  });

  test('NLLB as first published: the source language after the end token', async () => {
    const settings = { legacy_behaviour: true, src_lang: 'fra_Latn' };
    const files = { 'sentencepiece.bpe.model': unigram, 'tokenizer_config.json': settings };
    const tokenizer = await tokenizerOf(files, { model_type: 'm2m_100' });
    assert.deepEqual(tokenizer.encode('the').ids.slice(-2), [2, tokenizer.idOf('fra_Latn')]);
  });

  test('mBART-50: `[code] tokens </s>`; mBART-CC25: `tokens </s> [code]`', async () => {
    const files = { 'sentencepiece.bpe.model': unigram };
    const size = pieces.length;
    const fifty = await tokenizerOf(files, { model_type: 'mbart', vocab_size: size + 54 });
    assert.equal(fifty.idOf('ar_AR'), size + 1);
    assert.equal(fifty.idOf('sl_SI'), size + 52);
    assert.equal(fifty.idOf('<mask>'), size + 53);
    const bare = fifty.encode('the cat', { addSpecialTokens: false }).ids;
    assert.deepEqual(fifty.encode('the cat', { srcLang: 'de_DE' }).ids, [fifty.idOf('de_DE'), ...bare, 2]);
    const old = await tokenizerOf(files, { model_type: 'mbart', vocab_size: size + 27 });
    assert.equal(old.idOf('zh_CN'), size + 25);
    assert.equal(old.idOf('<mask>'), size + 26);
    assert.equal(old.idOf('sl_SI'), null);
    assert.deepEqual(old.encode('the cat').ids, [...bare, 2, old.idOf('en_XX')]);
  });

  test('M2M100: ids from vocab.json, languages such as `__fr__`', async () => {
    const vocabulary = Object.fromEntries([...specials, ...pieces.slice(3)].map((token, id) => [token, id]));
    const files = { 'sentencepiece.bpe.model': unigram, 'vocab.json': vocabulary };
    const tokenizer = await tokenizerOf(files, { model_type: 'm2m_100' });
    const size = Object.keys(vocabulary).length;
    assert.equal(tokenizer.idOf('__af__'), size);
    assert.equal(tokenizer.idOf('__zu__'), size + 99);
    assert.equal(tokenizer.languages.codes.length, 100);
    for (const { line, ids } of plain) {
      assert.deepEqual(tokenizer.encode(line, { srcLang: 'fr' }).ids, [
        tokenizer.idOf('__fr__'),
        ...shift(ids),
        2,
      ]);
    }
    assert.equal(tokenizer.languages.forcedBosTokenId('de'), tokenizer.idOf('__de__'));
    assert.throws(() => tokenizer.languages.forcedBosTokenId('xx'), {
      code: 'invalid_argument',
      message: /tgtLang.*'xx'/,
    });
  });

  test('XLM-RoBERTa: `<s> tokens </s>`', async () => {
    const tokenizer = await tokenizerOf(
      { 'sentencepiece.bpe.model': unigram },
      { model_type: 'xlm-roberta' },
    );
    const bare = tokenizer.encode('the cat', { addSpecialTokens: false }).ids;
    assert.deepEqual(tokenizer.encode('the cat').ids, [0, ...bare, 2]);
    assert.deepEqual(tokenizer.encode('the cat', { pair: 'the cat' }).ids, [0, ...bare, 2, 2, ...bare, 2]);
    assert.equal(tokenizer.idOf('<mask>'), pieces.length + 1);
    assert.equal(tokenizer.languages, null);
  });
});

describe('Llama', () => {
  const config = { model_type: 'llama' };
  const expected = expectedOf('bpe_bytes').cases;

  test('a begin-of-sequence token; spaces are preserved', async () => {
    const tokenizer = await tokenizerOf(
      { 'tokenizer.model': bpe, 'tokenizer_config.json': { clean_up_tokenization_spaces: false } },
      config,
    );
    for (const [i, line] of lines.entries()) {
      if (/<\/?s>|<unk>/.test(line)) continue;
      const [ids, text] = expected[i];
      assert.deepEqual(tokenizer.encode(line).ids, [1, ...ids], JSON.stringify(line));
      assert.equal(tokenizer.decode([1, ...ids, 2]), text.replaceAll('▁', ' '));
    }
  });

  test('spaces before punctuation are part of the text, whatever the folder says', async () => {
    const text = "the cat , the n't . ' !";
    for (const config of [{}, { clean_up_tokenization_spaces: true }]) {
      const tokenizer = await tokenizerOf(
        { 'tokenizer.model': bpe, 'tokenizer_config.json': config },
        { model_type: 'llama' },
      );
      assert.equal(tokenizer.decode(tokenizer.encode(text).ids), text);
    }
    const insists = {
      clean_up_tokenization_spaces: true,
      clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output: true,
    };
    const cleaning = await tokenizerOf(
      { 'tokenizer.model': bpe, 'tokenizer_config.json': insists },
      { model_type: 'llama' },
    );
    assert.equal(cleaning.decode(cleaning.encode(text).ids), "the cat, then't. '!");
  });

  test('the space after a special token is its own', async () => {
    const tokenizer = await tokenizerOf({ 'tokenizer.model': bpe }, { model_type: 'llama' });
    const ids = tokenizer.encode('the cat').ids;
    assert.equal(tokenizer.decode(ids, { skipSpecialTokens: false }), '<s> the cat');
    assert.equal(
      tokenizer.decode([...ids, 2, ...ids.slice(1)], { skipSpecialTokens: false }),
      '<s> the cat</s> the cat',
    );
    assert.equal(tokenizer.decode(ids), 'the cat');
  });

  test('text after a special token begins with a space, but not in newer tokenizers', async () => {
    const text = '<s>the cat</s>dog';
    const old = await tokenizerOf({ 'tokenizer.model': bpe }, config);
    const found = (tokenizer) => tokenizer.encode(text, { addSpecialTokens: false }).tokens;
    assert.deepEqual(found(old).slice(0, 2), ['<s>', '▁the']);
    const settings = { legacy: false, add_bos_token: false, add_eos_token: true };
    const newer = await tokenizerOf({ 'tokenizer.model': bpe, 'tokenizer_config.json': settings }, config);
    assert.ok(!found(newer)[1].startsWith('▁'));
    assert.deepEqual(newer.encode('the').ids.slice(-1), [2]);
  });

  test('tokens that were added later', async () => {
    const added = { 32000: { content: '<|user|>', special: false, lstrip: true, rstrip: true } };
    const files = { 'tokenizer.model': bpe, 'tokenizer_config.json': { added_tokens_decoder: added } };
    const tokenizer = await tokenizerOf(files, config);
    const text = 'the <|user|>  cat';
    assert.deepEqual(placesOf(tokenizer, text).slice(0, 4), [
      ['<s>', null],
      ['▁the', 'the'],
      ['<|user|>', '<|user|>'],
      ['▁cat', 'cat'],
    ]);
    assert.equal(tokenizer.decode(tokenizer.encode(text).ids), 'the <|user|> cat');
  });
});

test("a tokenizer that splits words differently is not mistaken for BERT's", async () => {
  const bert = { 'vocab.txt': fixture('vocab.txt'), 'tokenizer_config.json': { do_basic_tokenize: false } };
  await assert.rejects(tokenizerOf(bert, { model_type: 'bert' }), { code: 'unsupported', message: /BERT/ });
  const clip = { 'vocab.json': fixtureJson('vocab.json'), 'merges.txt': fixture('merges.txt') };
  assert.equal(await tokenizerOf(clip, { model_type: 'clip' }), null);
});

test('a folder without usable files has no tokenizer', async () => {
  assert.equal(await tokenizerOf({}, { model_type: 't5' }), null);
  assert.equal(await tokenizerOf({ 'spiece.model': unigram }, { model_type: 'transformer' }), null);
  assert.equal(await tokenizerOf({ 'vocab.json': { a: 0 } }, {}), null);
});

test('a text of a million characters', async () => {
  const tokenizer = await tokenizerOf({ 'spiece.model': unigram }, { model_type: 't5' });
  const text = 'the cat '.repeat(125_000);
  assert.equal(tokenizer.encode(text).ids.length, 250_001);
});

test('unknown words are listed as written', async () => {
  const tokenizer = await tokenizerOf({ 'spiece.model': unigram }, { model_type: 't5' });
  assert.deepEqual(tokenizer.encode('the ꀀꀁ cat ܫ. ꀀꀁ').unknownWords, ['ꀀꀁ', 'ܫ.']);
});
