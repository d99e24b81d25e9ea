// What a tokenizer.json may cost: long texts are read, and steps without end are refused in time.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { LongestMatch } from '../../build/modules/tokenizers/longest_match.js';
import { randomNumbers } from '../lib/random.mjs';
import { tokenizerOf } from '../lib/tokenizer_folders.mjs';

const read = async (json) => tokenizerOf({ 'tokenizer.json': json });

describe('texts of more tokens than a call takes arguments', () => {
  test('the shipped tokenizer', async () => {
    const file = join(import.meta.dirname, '../../web/public/models/en-fr/tokenizer.json');
    const tokenizer = await read(JSON.parse(readFileSync(file, 'utf8')));
    assert.equal(tokenizer.encode('!'.repeat(200_000)).ids.length, 200_001);
  });

  test('one word, of a unigram model', async () => {
    const vocab = [
      ['u', -9],
      ['a', -1],
    ];
    const tokenizer = await read({ model: { type: 'Unigram', unk_id: 0, vocab } });
    assert.equal(tokenizer.encode('a'.repeat(200_000)).ids.length, 200_000);
  });
});

test('a run of unknown letters takes time in proportion to its length', async () => {
  const vocab = [
    ['u', -9],
    ['a', -1],
  ];
  const tokenizer = await read({ model: { type: 'Unigram', unk_id: 0, vocab } });
  const start = process.cpuUsage().user;
  const { tokens } = tokenizer.encode(`a${'b'.repeat(50_000)}a`);
  assert.ok((process.cpuUsage().user - start) / 1e6 < 4);
  assert.deepEqual(tokens, ['a', 'b'.repeat(50_000), 'a']);
});

describe('added tokens', () => {
  const words = { type: 'WordLevel', unk_token: 'u', vocab: { u: 0 } };

  test('100,000 of them that begin alike take no longer than few', { timeout: 60_000 }, async () => {
    const added = Array.from({ length: 100_000 }, (_, i) => ({
      id: i + 1,
      content: `${'a'.repeat(20)}${i}`,
    }));
    const tokenizer = await read({ added_tokens: added, model: words });
    const start = process.cpuUsage().user;
    const { ids } = tokenizer.encode(`${'a'.repeat(20_000)}77`);
    const took = (process.cpuUsage().user - start) / 1e6;
    assert.deepEqual(ids, [0, 78]);
    assert.ok(took < 4, `${took} s`);
  });

  test('the longest that begins at an offset', () => {
    const random = randomNumbers(5);
    const text = (most) =>
      Array.from({ length: random.below(most) }, () => 'ab\ud83d\ude00'[random.below(4)]).join('');
    let found = 0;
    for (let run = 0; run < 3000; run++) {
      const texts = Array.from({ length: random.below(12) }, () => text(6));
      const [given, begin] = [text(10), random.below(10)];
      const fitting = texts.filter((part) => part !== '' && given.startsWith(part, begin));
      const longest = fitting.sort((a, b) => b.length - a.length)[0] ?? null;
      assert.equal(LongestMatch.of(texts).in(given)(begin), longest);
      if (longest) found++;
    }
    assert.ok(found > 200, `${found}`);
  });
});

describe('tokens and pieces that begin alike at every letter', () => {
  const letters = 'a'.repeat(200_000);
  test('added tokens', async () => {
    const added = [40_000, 50_000].map((length, i) => ({ id: i + 1, content: `${'a'.repeat(length)}b` }));
    const model = { type: 'WordLevel', unk_token: 'u', vocab: { u: 0 } };
    const tokenizer = await read({ added_tokens: added, model });
    assert.deepEqual(tokenizer.encode(letters).ids, [0]);
    assert.deepEqual(tokenizer.encode(`${letters}b`).ids, [0, 2]);
  });

  test('of a unigram model', async () => {
    const vocab = [['u', -9], ...Array.from({ length: 256 }, (_, i) => ['a'.repeat(i + 1), -1])];
    const tokenizer = await read({ model: { type: 'Unigram', unk_id: 0, vocab } });
    const { ids } = tokenizer.encode('a'.repeat(3000));
    assert.equal(ids.length, Math.ceil(3000 / 256));
    const longer = [...vocab, ['a'.repeat(257), -1]];
    const message = /a token has 257 characters; at most 256 are supported/;
    await assert.rejects(read({ model: { type: 'Unigram', unk_id: 0, vocab: longer } }), {
      code: 'unsupported',
      message,
    });
  });

  test('of WordPiece', async () => {
    const vocab = { u: 0, a: 1, '##a': 2 };
    const model = { type: 'WordPiece', unk_token: 'u', vocab, max_input_chars_per_word: 1000 };
    const json = {
      model: { ...model, continuing_subword_prefix: '##' },
      pre_tokenizer: { type: 'Whitespace' },
    };
    const tokenizer = await read(json);
    const { ids } = tokenizer.encode(`${'a'.repeat(999)} ${'a'.repeat(999)}b `.repeat(50));
    assert.equal(ids.length, 50 * 1000);
  });
});

test('an added token that is a word of its own is not found inside of one', async () => {
  const added = [{ id: 2, content: 'ab', single_word: true }];
  const json = { added_tokens: added, model: { type: 'WordLevel', unk_token: 'u', vocab: { u: 0 } } };
  const { ids } = (await read(json)).encode('ab abc cab, ab');
  assert.deepEqual(ids, [2, 0, 2]);
});

test('a target text whose long words cannot be written', async () => {
  const vocab = { u: 0, a: 1, '##a': 2, aa: 3, '##aa': 4 };
  const json = {
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'WhitespaceSplit' },
    model: { type: 'WordPiece', unk_token: 'u', vocab, continuing_subword_prefix: '##' },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  };
  const tokenizer = await read(json);
  const { ids } = tokenizer.encode(`${'a'.repeat(998)}Z Aa aa `.repeat(20), { isTarget: true });
  assert.deepEqual(ids, Array(20).fill(3));
});

test('a letter with more marks than can be sorted in time', async () => {
  const model = { type: 'WordLevel', unk_token: 'u', vocab: { u: 0 } };
  const tokenizer = await read({ normalizer: { type: 'NFKD' }, model });
  const message = /20000 combining marks in a row; at most 10000/;
  assert.throws(() => tokenizer.encode(`a${'\u0301\u0323'.repeat(10_000)}`), {
    code: 'invalid_argument',
    message,
  });
  assert.deepEqual(tokenizer.encode(`a${'\u0301'.repeat(9_000)}`).ids, [0]);
});

test('steps of sequences within sequences count together', async () => {
  const inner = { type: 'Sequence', normalizers: Array(50).fill({ type: 'Lowercase' }) };
  const normalizer = { type: 'Sequence', normalizers: Array(50).fill(inner) };
  const model = { type: 'WordLevel', unk_token: 'u', vocab: { u: 0 } };
  const message = /the normalizer has 2551 steps; at most 100 are supported/;
  await assert.rejects(read({ normalizer, model }), { code: 'unsupported', message });
});

test('a single step that multiplies the text', async () => {
  const content = 'b'.repeat(1000);
  const replace = { type: 'Replace', pattern: { String: 'a' }, content };
  const model = { type: 'WordLevel', unk_token: 'u', vocab: { u: 0, a: 1 } };
  const refuses = (call, who) =>
    assert.throws(call, { code: 'unsupported', message: new RegExp(`${who} makes`) });
  const text = 'a'.repeat(10_000);
  refuses(
    await read({ normalizer: replace, model }).then((made) => () => made.encode(text)),
    'the normalizer',
  );
  const decodes = await read({ decoder: replace, model });
  refuses(() => decodes.decode(Array(10_000).fill(1)), 'the decoder');
});

describe('post-processors and replacements', () => {
  const model = { type: 'WordLevel', unk_token: 'u', vocab: { u: 0 } };
  const refuses = (json, message) =>
    assert.rejects(read({ model, ...json }), { name: 'TransformerError', code: 'unsupported', message });
  const [text, mark] = [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: 'u', type_id: 0 } }];
  const template = (single) => ({ type: 'TemplateProcessing', single, pair: [] });

  test('templates of 200,000 pieces, those that repeat a text, and long sequences', async () => {
    const long = template([text, ...Array(200_000).fill(mark)]);
    await refuses({ post_processor: long }, /TemplateProcessing has 200001 parts; at most 100/);
    await refuses({ post_processor: template([text, mark, text]) }, /repeats a text/);
    const processors = Array(200_000).fill(template([mark, text]));
    await refuses({ post_processor: { type: 'Sequence', processors } }, /Sequence has 200000 parts/);
    const inner = { type: 'Sequence', processors: [template([text, text])] };
    await refuses({ post_processor: inner }, /repeats a text/);
  });

  test('a replacement of a million letters', async () => {
    const content = 'b'.repeat(1e6);
    const normalizer = { type: 'Replace', pattern: { String: 'a' }, content };
    await refuses({ normalizer }, /Replace writes 1000000 characters; at most 1000/);
  });
});

test('normalizers that multiply the text', async () => {
  const twice = { type: 'Replace', pattern: { String: 'a' }, content: 'aa' };
  const normalizer = { type: 'Sequence', normalizers: Array(30).fill(twice) };
  const tokenizer = await read({
    normalizer,
    model: { type: 'WordLevel', unk_token: 'u', vocab: { u: 0 } },
  });
  const message = /the normalizer makes 16384 characters of 1; at most 100 for each/;
  assert.throws(() => tokenizer.encode('a'), { name: 'TransformerError', code: 'unsupported', message });
});

describe('sequences of steps that multiply the text', () => {
  const model = { type: 'WordLevel', unk_token: 'u', vocab: { u: 0, a: 1 } };
  const refuses = (call, message) =>
    assert.throws(call, { name: 'TransformerError', code: 'unsupported', message });

  test('decoders', async () => {
    const twice = { type: 'Replace', pattern: { String: 'a' }, content: 'aa' };
    const decoder = { type: 'Sequence', decoders: Array(40).fill(twice) };
    const tokenizer = await read({ decoder, model });
    refuses(() => tokenizer.decode([1]), /the decoder makes \d+ characters of 2; at most 100 for each/);
  });
});

test('words of any length for WordPiece', async () => {
  const json = (longest) => ({
    model: { type: 'WordPiece', unk_token: 'u', vocab: { u: 0, a: 1 }, max_input_chars_per_word: longest },
  });
  const message = /max_input_chars_per_word is 1001; at most 1000 is supported/;
  await assert.rejects(read(json(1001)), { name: 'TransformerError', code: 'unsupported', message });
  const tokenizer = await read(json(1000));
  const start = process.cpuUsage().user;
  tokenizer.encode('b'.repeat(100_000));
  assert.ok((process.cpuUsage().user - start) / 1e6 < 4);
});
