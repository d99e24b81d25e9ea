// WordPiece from vocab.txt against a naive twin (Devlin et al. 2019, appendix A; Wu et al. 2016).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixture, lines, placesOf, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const vocabTxt = fixture('vocab.txt');
const vocabulary = vocabTxt.toString().trimEnd().split('\n');
const ids = new Map(vocabulary.map((token, id) => [token, id]));
const config = { model_type: 'bert' };

const isSpace = (character) => /[\t\n\r\p{Z}]/u.test(character);
const isControl = (character) => /\p{C}/u.test(character) && !isSpace(character);
const isPunctuation = (character) => /[!-/:-@[-`{-~\p{P}]/u.test(character);
const isIdeograph = (character) => {
  const code = character.codePointAt(0);
  const blocks = [
    [0x4e00, 0x9fff],
    [0x3400, 0x4dbf],
    [0x20000, 0x2a6df],
    [0x2a700, 0x2ceaf],
    [0xf900, 0xfaff],
    [0x2f800, 0x2fa1f],
  ];
  return blocks.some(([first, last]) => code >= first && code <= last);
};

/** Words: runs of letters; each punctuation mark and each ideograph is a word of its own. */
function wordsOf(text, { lower = true, accents = !lower }) {
  const words = [''];
  for (const character of text) {
    if (character === '\0' || character === '\ufffd' || isControl(character)) continue;
    if (isSpace(character)) {
      words.push('');
      continue;
    }
    let parts = accents
      ? [character]
      : [...character.normalize('NFD')].filter((part) => !/\p{Mn}/u.test(part));
    if (lower) parts = parts.flatMap((part) => [...part.toLowerCase()]);
    for (const part of parts) {
      const isAlone = isPunctuation(part) || isIdeograph(character);
      if (isAlone) words.push(part, '');
      else words[words.length - 1] += part;
    }
  }
  return words.filter((word) => word !== '');
}

/** Takes the longest matching piece, from left to right. */
function cut(word) {
  const pieces = [];
  const characters = [...word];
  if (characters.length > 100) return ['[UNK]'];
  for (let begin = 0; begin < characters.length; ) {
    let end = characters.length;
    const piece = () => (begin > 0 ? '##' : '') + characters.slice(begin, end).join('');
    while (end > begin && !ids.has(piece())) end--;
    if (end === begin) return ['[UNK]'];
    pieces.push(piece());
    begin = end;
  }
  return pieces;
}

const twin = (text, options = {}) => ['[CLS]', ...wordsOf(text, options).flatMap(cut), '[SEP]'];
const isPlain = (line) => !/\[[A-Z]+\]/.test(line);

describe('against a twin', () => {
  const settings = {
    'as the files alone say': [{}, {}],
    'capitals kept': [{ do_lower_case: false }, { lower: false }],
    'accents kept': [{ strip_accents: false }, { accents: true }],
    'accents away, capitals kept': [
      { do_lower_case: false, strip_accents: true },
      { lower: false, accents: false },
    ],
  };
  for (const [name, [tokenizerConfig, options]] of Object.entries(settings)) {
    test(name, async () => {
      const tokenizer = await tokenizerOf(
        { 'vocab.txt': vocabTxt, 'tokenizer_config.json': tokenizerConfig },
        config,
      );
      for (const line of lines.filter(isPlain)) {
        const expected = twin(line, options);
        const { tokens, ids: found } = tokenizer.encode(line);
        assert.deepEqual(tokens, expected, JSON.stringify(line));
        assert.deepEqual(
          found,
          expected.map((token) => ids.get(token)),
        );
      }
    });
  }

  test('ideographs stay within words if configured', async () => {
    const files = { 'vocab.txt': vocabTxt, 'tokenizer_config.json': { tokenize_chinese_chars: false } };
    const tokenizer = await tokenizerOf(files, config);
    assert.deepEqual(tokenizer.encode('猫犬').tokens, ['[CLS]', '[UNK]', '[SEP]']);
  });
});

test('two texts, and the segment of each token', async () => {
  const tokenizer = await tokenizerOf({ 'vocab.txt': vocabTxt }, config);
  const { tokens, typeIds, offsets } = tokenizer.encode('the cat', { pair: 'a dog!' });
  assert.deepEqual(tokens, ['[CLS]', 'the', 'cat', '[SEP]', 'a', 'dog', '!', '[SEP]']);
  assert.deepEqual(typeIds, [0, 0, 0, 0, 1, 1, 1, 1]);
  assert.deepEqual(offsets, [null, [0, 3], [4, 7], null, [0, 1], [2, 5], [5, 6], null]);
});

test('special tokens in a text are not split', async () => {
  const tokenizer = await tokenizerOf({ 'vocab.txt': vocabTxt }, config);
  assert.deepEqual(placesOf(tokenizer, 'the [MASK]  sees').slice(1, -1), [
    ['the', 'the'],
    ['[MASK]', '[MASK]'],
    ['sees', 'sees'],
  ]);
});

test('every position contains the letters of its token', async () => {
  const tokenizer = await tokenizerOf({ 'vocab.txt': vocabTxt }, config);
  let compared = 0;
  for (const line of lines.filter(isPlain)) {
    for (const [token, place] of placesOf(tokenizer, line).slice(1, -1)) {
      assert.notEqual(place, null, JSON.stringify(line));
      if (token === '[UNK]') continue;
      assert.equal(wordsOf(place, {}).join(''), token.replace('##', ''), JSON.stringify(line));
      compared++;
    }
  }
  assert.ok(compared > 1000);
});

test('decoding joins the pieces and removes the space before punctuation', async () => {
  const tokenizer = await tokenizerOf({ 'vocab.txt': vocabTxt }, config);
  const text = 'the cat walked, slowly. never!';
  assert.equal(tokenizer.decode(tokenizer.encode(text).ids), text);
  assert.equal(
    tokenizer.decode(tokenizer.encode('the').ids, { skipSpecialTokens: false }),
    '[CLS] the [SEP]',
  );
});
