// Byte-level BPE from vocab.json and merges.txt against a naive twin (Sennrich et al. 2016; Radford et al. 2019).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixture, fixtureJson, lines, placesOf, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const vocabulary = fixtureJson('vocab.json');
const mergesTxt = fixture('merges.txt');
const ranks = new Map(
  mergesTxt
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line, rank) => [line, rank]),
);
const files = { 'vocab.json': vocabulary, 'merges.txt': mergesTxt };

/** The characters for the 256 bytes: printable ones stand for themselves, the others follow in order. */
const letters = (() => {
  const printable = (byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  const others = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !printable(byte));
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(printable(byte) ? byte : 256 + others.indexOf(byte)),
  );
})();

/** Words with the space before them, as in GPT-2. */
const word =
  /'(?:[stmd]|re|ve|ll)| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/** Repeatedly merges the pair that was merged first in training. */
function merge(text) {
  let parts = Array.from(new TextEncoder().encode(text), (byte) => letters[byte]);
  for (;;) {
    const pairs = parts.slice(1).map((part, i) => `${parts[i]} ${part}`);
    const best = Math.min(...pairs.map((pair) => ranks.get(pair) ?? Number.POSITIVE_INFINITY));
    if (!Number.isFinite(best)) return parts;
    const joined = [];
    for (let i = 0; i < parts.length; i++) {
      const isPair = i + 1 < parts.length && ranks.get(`${parts[i]} ${parts[i + 1]}`) === best;
      joined.push(isPair ? parts[i] + parts[++i] : parts[i]);
    }
    parts = joined;
  }
}

const twin = (text) => (text.match(word) ?? []).flatMap(merge);
/** The tokens of each word. */
function wordsOf({ tokens, wordIds }) {
  const words = [];
  for (const [i, token] of tokens.entries()) {
    if (wordIds[i] === null) words.push(null);
    else if (wordIds[i] === wordIds[i - 1]) words.at(-1).push(token);
    else words.push([token]);
  }
  return words;
}

const isPlain = (line) => !/<s>|<\/s>|<unk>|<pad>/.test(line);

describe('GPT-2', () => {
  const config = { model_type: 'gpt2' };

  test('the tokens of the twin, without additions, and back to the same text', async () => {
    const tokenizer = await tokenizerOf(
      { ...files, 'tokenizer_config.json': { clean_up_tokenization_spaces: false } },
      config,
    );
    for (const line of lines) {
      const encoding = tokenizer.encode(line);
      const { tokens, ids } = encoding;
      assert.deepEqual(tokens, twin(line), JSON.stringify(line));
      assert.deepEqual(
        ids,
        tokens.map((token) => vocabulary[token]),
      );
      assert.equal(tokenizer.decode(ids), line);
      if (isPlain(line)) assert.deepEqual(wordsOf(encoding), (line.match(word) ?? []).map(merge));
    }
  });

  test('positions: all tokens of a character have its position', async () => {
    const tokenizer = await tokenizerOf(files, config);
    for (const line of lines) {
      const bytesOf = (text) => new TextEncoder().encode(text).length;
      for (const [token, place] of placesOf(tokenizer, line)) {
        assert.notEqual(place, null, JSON.stringify(line));
        assert.ok([...token].length <= bytesOf(place) + 1, `${token} of ${place}`);
      }
    }
    // Three bytes, no two of which form a token.
    const found = placesOf(tokenizer, 'the ꀀ cat').map(([, place]) => place);
    assert.equal(found.filter((place) => place === 'ꀀ').length, 3);
    assert.equal(found.at(-1), 'cat');
  });

  test('the end of a text is one token, and so is the beginning if requested', async () => {
    const tokenizer = await tokenizerOf(
      { ...files, 'tokenizer_config.json': { add_bos_token: true } },
      config,
    );
    const end = vocabulary['<|endoftext|>'];
    assert.deepEqual(tokenizer.encode('a<|endoftext|>').ids, [end, vocabulary.a, end]);
    assert.equal(tokenizer.decode([end, vocabulary.a, end]), 'a');
    assert.deepEqual(tokenizer.encode('a', { pair: 'a' }).ids, [end, vocabulary.a, end, vocabulary.a]);
  });

  test('invalid UTF-8 becomes U+FFFD', async () => {
    const tokenizer = await tokenizerOf(files, config);
    assert.equal(tokenizer.decode([vocabulary.a, vocabulary[letters[0xe2]], vocabulary.a]), 'a\ufffda');
    assert.equal(tokenizer.decodeSettled([vocabulary.a, vocabulary[letters[0xe2]]]), 'a');
  });
});

describe('RoBERTa and BART', () => {
  for (const model_type of ['roberta', 'bart']) {
    test(`${model_type}: <s> ... </s>, and two texts`, async () => {
      const tokenizer = await tokenizerOf(files, { model_type });
      for (const line of lines.filter(isPlain)) {
        assert.deepEqual(tokenizer.encode(line).tokens, ['<s>', ...twin(line), '</s>'], JSON.stringify(line));
      }
      const { tokens } = tokenizer.encode('the', { pair: 'cat' });
      assert.deepEqual(tokens, ['<s>', ...twin('the'), '</s>', '</s>', ...twin('cat'), '</s>']);
    });
  }

  test('a space before the first word if configured', async () => {
    const tokenizer = await tokenizerOf(
      { ...files, 'tokenizer_config.json': { add_prefix_space: true } },
      { model_type: 'roberta' },
    );
    assert.deepEqual(tokenizer.encode('the cat').tokens, ['<s>', ...twin(' the cat'), '</s>']);
    assert.deepEqual(
      placesOf(tokenizer, 'the cat').map(([, place]) => place),
      [null, ...twin(' the').map(() => 'the'), ...twin(' cat').map(() => 'cat'), null],
    );
  });

  test('the mask absorbs the space before it', async () => {
    const tokenizer = await tokenizerOf(files, { model_type: 'roberta' });
    assert.deepEqual(tokenizer.encode('the <mask> cat').tokens, [
      '<s>',
      ...twin('the'),
      ' <mask>',
      ...twin(' cat'),
      '</s>',
    ]);
  });
});

describe('Whisper', () => {
  const size = Object.keys(vocabulary).length;
  const prompts = [
    '<|startoftranscript|>',
    '<|en|>',
    '<|fr|>',
    '<|transcribe|>',
    '<|notimestamps|>',
    '<|0.00|>',
    '<|0.02|>',
  ];
  const added = Object.fromEntries(prompts.map((token, i) => [token, size + i]));
  const whisper = { ...files, 'added_tokens.json': added };
  const config = { model_type: 'whisper' };

  test('a prompt before the text, and its end', async () => {
    const tokenizer = await tokenizerOf({ ...whisper, 'vocab.json': { ...vocabulary } }, config);
    const end = vocabulary['<|endoftext|>'];
    assert.deepEqual(tokenizer.encode('a').ids, [
      added['<|startoftranscript|>'],
      added['<|notimestamps|>'],
      vocabulary.a,
      end,
    ]);
    const settings = { language: 'fr', task: 'transcribe' };
    const french = await tokenizerOf({ ...whisper, 'tokenizer_config.json': settings }, config);
    assert.deepEqual(french.encode('a').tokens.slice(0, 4), [
      '<|startoftranscript|>',
      '<|fr|>',
      '<|transcribe|>',
      '<|notimestamps|>',
    ]);
    const unknown = { ...whisper, 'tokenizer_config.json': { language: 'xx' } };
    await assert.rejects(tokenizerOf(unknown, config), { code: 'unsupported', message: /<\|xx\|>/ });
  });

  test('prompt and timestamps are not part of the text', async () => {
    const tokenizer = await tokenizerOf(whisper, config);
    const ids = [...prompts.map((token) => added[token]), vocabulary.a];
    assert.equal(tokenizer.decode(ids), 'a');
    assert.equal(tokenizer.decode(ids, { skipSpecialTokens: false }), `${prompts.join('')}a`);
  });
});
