// tokenizer.json: positions through its steps, and streaming text.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSentencePiece } from '../../build/modules/tokenizers/sentencepiece_file.js';
import { randomNumbers } from '../lib/random.mjs';
import { tokenizerJson } from '../lib/tiny_model.mjs';
import { expectedOf, fixture, fixtureJson, lines, placesOf, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };

/** A unigram model as converters write it to tokenizer.json. */
function unigramJson() {
  const { pieces, normalizer } = parseSentencePiece(fixture('unigram.model'), 'unigram.model');
  return {
    added_tokens: ['<unk>', '<s>', '</s>'].map((content, id) => ({
      id,
      content,
      special: true,
      normalized: false,
    })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Precompiled', precompiled_charsmap: Buffer.from(normalizer.charsMap).toString('base64') },
        { type: 'Strip', strip_left: false, strip_right: true },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: '▁' },
      ],
    },
    pre_tokenizer: metaspace,
    post_processor: null,
    decoder: metaspace,
    model: { type: 'Unigram', unk_id: 0, vocab: pieces.map(({ text, score }) => [text, score]) },
  };
}

/** BPE with byte fallback, as converters write Llama's. */
function bytesJson() {
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  );
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, '▁', 'a', 'b', 'é', '▁a'];
  return {
    added_tokens: ['<unk>', '<s>', '</s>'].map((content, id) => ({
      id,
      content,
      special: true,
      normalized: false,
    })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      byte_fallback: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [['▁', 'a']],
    },
  };
}

describe('a unigram model with a character map', () => {
  const { cases } = expectedOf('unigram');
  // Python's two tokenizers differ here too: one maps grapheme clusters, the other the longest run.
  const departs = /\p{M}|\p{C}|[\u2028\u2029\u2581\ufffd\uff9e\uff9f\u1100-\u11ff]|<|^\s*$/u;

  test("SentencePiece's ids, except for combining marks and dropped characters", async () => {
    const tokenizer = await tokenizerOf({ 'tokenizer.json': unigramJson() });
    let compared = 0;
    for (const [i, line] of lines.entries()) {
      if (departs.test(line)) continue;
      assert.deepEqual(tokenizer.encode(line.trim()).ids, cases[i][0], JSON.stringify(line));
      compared++;
    }
    assert.ok(compared > 150, `${compared}`);
  });

  test('positions', async () => {
    const tokenizer = await tokenizerOf({ 'tokenizer.json': unigramJson() });
    assert.deepEqual(placesOf(tokenizer, ' the  ｃａｔ'), [
      ['▁the', 'the'],
      ['▁cat', 'ｃａｔ'],
    ]);
    let known = 0;
    for (const line of lines) {
      const { offsets } = tokenizer.encode(line);
      for (const place of offsets) {
        if (!place) continue;
        assert.ok(place[0] >= 0 && place[0] < place[1] && place[1] <= line.length, JSON.stringify(line));
        known++;
      }
    }
    assert.ok(known > 2000, `${known}`);
  });

  test('an inserted leading space is not decoded', async () => {
    const tokenizer = await tokenizerOf({ 'tokenizer.json': unigramJson() });
    const [space, the] = ['▁', '▁the'].map((token) => tokenizer.idOf(token));
    assert.equal(tokenizer.decode([the, the]), 'the the');
    assert.equal(tokenizer.decode([space, the]), ' the');
  });
});

describe('BPE with byte fallback', () => {
  test('a character in bytes and back, at the position of the whole character', async () => {
    const tokenizer = await tokenizerOf({ 'tokenizer.json': bytesJson() });
    const text = 'a ꀀb é';
    assert.deepEqual(placesOf(tokenizer, text), [
      ['▁a', 'a'],
      ['▁', ' '],
      ['<0xEA>', 'ꀀ'],
      ['<0x80>', 'ꀀ'],
      ['<0x80>', 'ꀀ'],
      ['b', 'b'],
      ['▁', ' '],
      ['é', 'é'],
    ]);
    assert.equal(tokenizer.decode(tokenizer.encode(text).ids), text);
  });

  test('bytes that are not UTF-8 together become U+FFFD, each of them', async () => {
    const tokenizer = await tokenizerOf({ 'tokenizer.json': bytesJson() });
    const ids = ['▁a', '<0xE2>', '<0x82>', 'b', '<0xC3>', '<0xA9>', '<0xFF>'].map((token) =>
      tokenizer.idOf(token),
    );
    assert.equal(tokenizer.decode(ids), 'a\ufffd\ufffdb\ufffd\ufffd\ufffd');
    assert.equal(tokenizer.decode(ids.slice(3, -1)), 'bé');
  });
});

test('a unigram model with byte fallback', async () => {
  const { added_tokens: _, normalizer: _n, ...json } = unigramJson();
  const bytes = [0xe2, 0x98, 0x83].map((byte) => [`<0x${byte.toString(16).toUpperCase()}>`, -20]);
  const vocab = [...json.model.vocab, ...bytes];
  const model = { ...json.model, vocab, byte_fallback: true };
  const tokenizer = await tokenizerOf({ 'tokenizer.json': { ...json, model } });
  assert.deepEqual(placesOf(tokenizer, 'the☃'), [['▁the', 'the'], ...bytes.map(([token]) => [token, '☃'])]);
  assert.deepEqual(tokenizer.encode('\u2603\u9f98').ids.at(-1), 0, 'one of its bytes is missing');
});

test('languages of a folder with tokenizer.json', async () => {
  const json = unigramJson();
  const size = json.model.vocab.length;
  const codes = ['eng_Latn', 'fra_Latn'];
  const languages = codes.map((content, i) => ({ id: size + i, content, special: true, normalized: false }));
  const files = { 'tokenizer.json': { ...json, added_tokens: [...json.added_tokens, ...languages] } };
  const tokenizer = await tokenizerOf(files, { model_type: 'm2m_100' });
  const bare = tokenizer.encode('the cat', { addSpecialTokens: false }).ids;
  assert.deepEqual(tokenizer.encode('the cat').ids, [size, ...bare, 2]);
  assert.deepEqual(tokenizer.encode('the cat', { srcLang: 'fra_Latn' }).ids, [size + 1, ...bare, 2]);
  assert.equal(tokenizer.languages.forcedBosTokenId('fra_Latn'), size + 1);
});

/** The same tokenizer with a decoder that joins separate tokens. */
function withRules(json) {
  const replace = (from, content) => ({ type: 'Replace', pattern: { String: from }, content });
  const replaces = [replace(' the cat', ' THE CAT'), replace(' .', '.'), replace(" ' ", "'")];
  return {
    ...json,
    decoder: {
      type: 'Sequence',
      decoders: [{ type: 'WordPiece', prefix: '##' }, { type: 'Fuse' }, ...replaces],
    },
  };
}

describe('text that grows token by token', () => {
  const symbols = fixture('unigram_symbols.model');
  const kinds = {
    'a unigram model': [{ 'tokenizer.json': unigramJson() }, {}],
    'words with rules of their own': [{ 'tokenizer.json': withRules(tokenizerJson) }, {}],
    'BPE with bytes': [{ 'tokenizer.json': bytesJson() }, {}],
    T5: [{ 'spiece.model': fixture('unigram.model') }, { model_type: 't5' }],
    'SentencePiece with bytes': [{ 'spiece.model': symbols }, { model_type: 't5' }],
    Llama: [{ 'tokenizer.model': fixture('bpe_bytes.model') }, { model_type: 'llama' }],
    WordPiece: [{ 'vocab.txt': fixture('vocab.txt') }, { model_type: 'bert' }],
    'GPT-2': [
      { 'vocab.json': fixtureJson('vocab.json'), 'merges.txt': fixture('merges.txt') },
      { model_type: 'gpt2' },
    ],
  };
  for (const [name, [files, config]] of Object.entries(kinds)) {
    test(`${name}: text that was shown does not change`, async () => {
      const tokenizer = await tokenizerOf(files, config);
      const random = randomNumbers(11);
      // Punctuation, bytes and spaces are what changes the text before them.
      const odd = ["▁'", "'", '▁', 'Ġ', "Ġ'", 's', 'n', 't', 'm', '.', 've', 'the', 'cat', '▁n', 'Ġn', '##s'];
      const oddIds = odd.map((token) => tokenizer.idOf(token)).filter((id) => id !== null);
      for (let run = 0; run < 300; run++) {
        const length = 1 + random.below(12);
        const ids = Array.from({ length }, () =>
          random.uniform() < 0.5 && oddIds.length > 0
            ? oddIds[random.below(oddIds.length)]
            : random.below(Math.min(tokenizer.size, random.uniform() < 0.5 ? 300 : tokenizer.size)),
        );
        const whole = tokenizer.decode(ids);
        for (let end = 1; end <= length; end++) {
          const shown = tokenizer.decodeSettled(ids.slice(0, end));
          assert.ok(whole.startsWith(shown), `${JSON.stringify(shown)} of ${JSON.stringify(whole)}`);
          assert.ok(!/[\ud800-\udbff]$/.test(shown));
        }
      }
    });
  }
});
