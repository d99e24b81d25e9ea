// Tokenizer files from untrusted sources: damaged ones are rejected by name, and none does any other harm.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomNumbers } from '../lib/random.mjs';
import { tokenizerJson } from '../lib/tiny_model.mjs';
import { fixture, fixtureJson, lines, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const unigram = fixture('unigram.model');
const small = fixture('bpe_bytes.model');
const marian = { model_type: 'marian' };
const t5 = { model_type: 't5' };
const gpt2 = { model_type: 'gpt2' };
const vocabulary = { '</s>': 0, '<unk>': 1, a: 2 };

const refuses = (files, config, message, code = 'bad_checkpoint') =>
  assert.rejects(tokenizerOf(files, config), { name: 'TransformerError', code, message });

/** A varint, and a field of protobuf's wire format. */
const varint = (value) => {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
};
const bytesField = (number, content) => [...varint(number * 8 + 2), ...varint(content.length), ...content];
const numberField = (number, value) => [...varint(number * 8), ...varint(value)];
const floatField = (number, value) => [
  ...varint(number * 8 + 5),
  ...new Uint8Array(Float32Array.of(value).buffer),
];
const textField = (number, text) => bytesField(number, [...new TextEncoder().encode(text)]);
const piece = (text, score, kind) =>
  bytesField(1, [...textField(1, text), ...floatField(2, score), ...numberField(3, kind)]);
const modelOf = (...fields) => ({ 'spiece.model': Uint8Array.from(fields.flat()) });
const good = [piece('<unk>', 0, 2), piece('</s>', 0, 3), piece('a', -1, 1)];

describe('SentencePiece models', () => {
  test('a small valid one', async () => {
    const tokenizer = await tokenizerOf(modelOf(...good), t5);
    assert.deepEqual(tokenizer.encode('aba').ids, [0, 2, 0, 2, 1]);
    assert.equal(tokenizer.decode([2, 2, 1]), 'aa');
  });

  const cases = {
    'an empty file': [modelOf(), /spiece\.model.*no unknown token/],
    'text instead of a model': [
      { 'spiece.model': new TextEncoder().encode('{"model": "unigram"}') },
      /spiece\.model/,
    ],
    'a length beyond the end': [
      modelOf(...good, [10, ...varint(2 ** 40)]),
      /spiece\.model.*1099511627776 bytes/,
    ],
    'an unterminated number': [modelOf(...good, Array(20).fill(255)), /spiece\.model.*ten bytes/],
    'an unknown kind of field': [modelOf(...good, [0x0b]), /unknown kind 3/],
    'a field 0': [modelOf(...good, [0x02, 0]), /number 0/],
    'a duplicate piece': [modelOf(...good, piece('a', -2, 1)), /"a" twice/],
    'an empty piece': [modelOf(...good, piece('', -2, 1)), /piece 3 is empty/],
    'a piece with invalid UTF-8': [modelOf(...good, bytesField(1, bytesField(1, [0xff, 0xfe]))), /UTF-8/],
    'an unknown kind of piece': [modelOf(...good, piece('b', -2, 9)), /unknown kind 9/],
    'a NaN score': [modelOf(...good, piece('b', Number.NaN, 1)), /score of piece 3 is not a number/],
    'a piece of a million letters': [modelOf(...good, piece('b'.repeat(1e6), -2, 1)), /1000000 characters/],
    'no end token': [modelOf(good[0], good[2]), /"<\/s>"/],
    'a truncated character map': [
      modelOf(...good, bytesField(3, bytesField(2, [255, 255, 255, 0, 1]))),
      /character map/,
    ],
    'a character map of size 0': [
      modelOf(...good, bytesField(3, bytesField(2, [0, 0, 0, 0, 1]))),
      /character map/,
    ],
    'an unknown model type': [modelOf(...good, bytesField(2, numberField(3, 77))), /model type 77/],
  };
  for (const [name, [files, message]] of Object.entries(cases)) test(name, () => refuses(files, t5, message));

  test('word and character models, and text changed after decoding, are not supported', async () => {
    await refuses(modelOf(...good, bytesField(2, numberField(3, 3))), t5, /words/, 'unsupported');
    await refuses(modelOf(...good, bytesField(2, numberField(3, 4))), t5, /characters/, 'unsupported');
    const denormalizer = bytesField(5, bytesField(2, [4, 0, 0, 0, 0, 0, 0, 0]));
    await refuses(modelOf(...good, denormalizer), t5, /denormalizer/, 'unsupported');
  });

  test('truncated anywhere', async () => {
    const random = randomNumbers(3);
    for (let run = 0; run < 60; run++) {
      const files = { 'spiece.model': small.subarray(0, random.below(small.length)) };
      await settles(tokenizerOf(files, { model_type: 'llama' }), /tokenizer\.model|spiece\.model/);
    }
  });

  test('a file that is far too large', async () => {
    const mostly = new Uint8Array(129 << 20);
    await refuses({ 'spiece.model': mostly }, t5, /spiece\.model.*MB/);
  });
});

describe('vocabularies', () => {
  const files = { 'source.spm': unigram, 'target.spm': unigram };
  const cases = {
    'two tokens with one id': [{ ...vocabulary, b: 2 }, /vocab\.json: "a" and "b".*2/],
    'a missing id': [{ ...vocabulary, b: 4 }, /vocab\.json.*id 3/],
    'a huge id': [{ ...vocabulary, b: 2 ** 52 }, /vocab\.json.*id 3/],
    'a negative id': [{ ...vocabulary, b: -1 }, /vocab\.json.*"b"/],
    'an id that is not a number': [{ ...vocabulary, b: '3' }, /vocab\.json.*"b"/],
    'an id that is not an integer': [{ ...vocabulary, b: 2.5 }, /vocab\.json.*"b"/],
    'no tokens': [{}, /vocab\.json holds no tokens/],
    'no end token': [{ '<unk>': 0 }, /vocab\.json.*"<\/s>"/],
    'a list': [['a'], /vocab\.json/],
  };
  for (const [name, [vocab, message]] of Object.entries(cases)) {
    test(name, () => refuses({ ...files, 'vocab.json': vocab }, marian, message));
  }

  test('names of Object.prototype are ordinary tokens', async () => {
    const vocab = JSON.parse(
      '{"</s>": 0, "<unk>": 1, "__proto__": 2, "constructor": 3, "hasOwnProperty": 4}',
    );
    const tokenizer = await tokenizerOf({ ...files, 'vocab.json': vocab }, marian);
    assert.equal(tokenizer.idOf('__proto__'), 2);
    assert.equal(tokenizer.idOf('toString'), null);
    assert.equal(tokenizer.encode('constructor').ids.at(-1), 0);
  });

  test('missing files of Marian', async () => {
    await refuses({ 'source.spm': unigram, 'target.spm': unigram }, marian, /vocab\.json/, 'missing_file');
    await refuses({ 'source.spm': unigram, 'vocab.json': vocabulary }, marian, /target\.spm/, 'missing_file');
  });

  test('vocab.txt: a repeated line, an empty line, no unknown token', async () => {
    const bert = { model_type: 'bert' };
    const text = (...tokens) => ({ 'vocab.txt': new TextEncoder().encode(tokens.join('\n')) });
    await refuses(text('[UNK]', '[CLS]', '[SEP]', 'a', 'a'), bert, /vocab\.txt.*"a" on line 4 and on line 5/);
    await refuses(text('[UNK]', '', '[CLS]', '[SEP]'), bert, /vocab\.txt: line 2 is empty/);
    await refuses(text('a', 'b'), bert, /vocab\.txt.*"\[UNK\]"/);
    await refuses(text(''), bert, /vocab\.txt/);
    const windows = { 'vocab.txt': new TextEncoder().encode('[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n') };
    assert.deepEqual((await tokenizerOf(windows, bert)).encode('a').ids, [1, 3, 2]);
  });

  test('merges.txt: parts that are not tokens, lines that are not pairs', async () => {
    const vocab = { a: 0, b: 1, ab: 2 };
    const merges = (...lines) => ({
      'vocab.json': vocab,
      'merges.txt': new TextEncoder().encode(`#version: 0.2\n${lines.join('\n')}`),
    });
    assert.deepEqual((await tokenizerOf(merges('a b'), gpt2)).encode('ab').ids, [2]);
    await refuses(merges('a c'), gpt2, /merges\.txt: line 2.*"c"/);
    await refuses(merges('a b', 'b a'), gpt2, /merges\.txt: line 3.*"ba"/);
    await refuses(merges('a'), gpt2, /merges\.txt: line 2 does not hold two/);
    await refuses(merges('a b c'), gpt2, /merges\.txt: line 2 does not hold two/);
  });
});

test('added tokens with impossible ids', async () => {
  const files = { 'vocab.json': fixtureJson('vocab.json'), 'merges.txt': fixture('merges.txt') };
  for (const id of [-1, 1.5, 2 ** 40, '7', null]) {
    await refuses({ ...files, 'added_tokens.json': { '<x>': id } }, gpt2, /added_tokens\.json.*"<x>"/);
  }
  for (const [key, content] of [
    ['x', { content: '<x>' }],
    ['-1', { content: '<x>' }],
    ['1', {}],
    ['1', null],
    ['1', { content: '' }],
  ]) {
    const settings = { added_tokens_decoder: { [key]: content } };
    await refuses({ ...files, 'tokenizer_config.json': settings }, gpt2, /tokenizer_config\.json/);
  }
});

/** A promise must resolve, or reject with a typed error. */
async function settles(promise, names) {
  try {
    return await promise;
  } catch (error) {
    assert.equal(error.name, 'TransformerError', error.stack);
    assert.match(error.code, /^(bad_checkpoint|unsupported)$/);
    assert.match(error.message, names);
    return null;
  }
}

/** One of several kinds of damage to a file. */
function damage(bytes, random) {
  const harmed = Uint8Array.from(bytes);
  const kind = random.below(4);
  if (kind === 0) return harmed.subarray(0, random.below(harmed.length));
  for (let times = 1 + random.below(8); times > 0; times--) {
    const place = random.below(harmed.length);
    if (kind === 1) harmed[place] = random.below(256);
    else if (kind === 2) harmed[place] ^= 1 << random.below(8);
    else harmed.copyWithin(place, random.below(harmed.length), random.below(harmed.length));
  }
  return harmed;
}

describe('damaged at random, by a seed: rejected, or a working tokenizer', () => {
  const unigramSmall = fixture('unigram_symbols.model');
  const kinds = {
    'a unigram model': ['spiece.model', unigramSmall, {}, t5],
    'a BPE model': ['tokenizer.model', small, {}, { model_type: 'llama' }],
    'a model with NFKC': ['spiece.model', unigram, {}, t5, 40],
    "Marian's vocabulary": [
      'vocab.json',
      new TextEncoder().encode(JSON.stringify({ ...vocabulary, b: 3 })),
      { 'source.spm': small, 'target.spm': small },
      marian,
    ],
    'vocab.txt': ['vocab.txt', fixture('vocab.txt'), {}, { model_type: 'bert' }],
    'merges.txt': ['merges.txt', fixture('merges.txt'), { 'vocab.json': fixtureJson('vocab.json') }, gpt2],
  };
  for (const [name, [file, bytes, others, config, runs = 200]] of Object.entries(kinds)) {
    test(name, async () => {
      const random = randomNumbers(17);
      let working = 0;
      for (let run = 0; run < runs; run++) {
        const files = { ...others, [file]: damage(bytes, random) };
        const tokenizer = await settles(tokenizerOf(files, config), new RegExp(file.replace('.', '\\.')));
        if (!tokenizer) continue;
        working++;
        for (let i = 0; i < 5; i++) {
          const line = lines[random.below(lines.length)];
          const { ids, offsets } = tokenizer.encode(line);
          assert.ok(ids.every((id) => Number.isInteger(id) && id >= 0));
          for (const place of offsets) assert.ok(!place || (place[0] >= 0 && place[1] <= line.length));
          assert.equal(typeof tokenizer.decode(ids), 'string');
        }
      }
      assert.ok(working < runs);
    });
  }
});

/** Replaces one value anywhere in a JSON value. */
function damageJson(value, random) {
  const strange = [
    null,
    -1,
    1e12,
    0.5,
    '',
    'Nonsense',
    [],
    {},
    true,
    [null],
    { type: 'Sequence' },
    { type: 'Nonsense' },
  ];
  const isInner = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isInner || random.uniform() < 0.15) return strange[random.below(strange.length)];
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const keys = Object.keys(copy);
  const key = keys[random.below(keys.length)];
  if (random.uniform() < 0.1) delete copy[key];
  else copy[key] = damageJson(copy[key], random);
  return copy;
}

test('tokenizer.json and related files, damaged: rejected, or a working tokenizer', async () => {
  const random = randomNumbers(23);
  const settings = {
    clean_up_tokenization_spaces: true,
    eos_token: '</s>',
    added_tokens_decoder: { 3: { content: '<x>' } },
  };
  const byteLevel = {
    added_tokens: [{ id: 9, content: '<x>', special: true }],
    normalizer: {
      type: 'Sequence',
      normalizers: [{ type: 'NFKC' }, { type: 'Replace', pattern: { String: 'a' }, content: 'b' }],
    },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: '[ab]' }, behavior: 'Isolated' },
        { type: 'ByteLevel' },
      ],
    },
    post_processor: { type: 'RobertaProcessing', cls: ['<x>', 9], sep: ['<x>', 9] },
    decoder: {
      type: 'Sequence',
      decoders: [{ type: 'ByteLevel' }, { type: 'Strip', content: ' ', start: 1 }],
    },
    model: { type: 'BPE', unk_token: 'a', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'] },
  };
  let working = 0;
  for (let run = 0; run < 1500; run++) {
    const json = random.uniform() < 0.5 ? byteLevel : tokenizerJson;
    const inConfig = random.uniform() < 0.2;
    const files = {
      'tokenizer.json': inConfig ? json : damageJson(json, random),
      'tokenizer_config.json': inConfig ? damageJson(settings, random) : settings,
    };
    const names = /tokenizer\.json|tokenizer_config\.json/;
    const used = await settles(
      (async () => {
        const tokenizer = await tokenizerOf(files, { model_type: 'marian' });
        const { ids } = tokenizer.encode('ab the cats. <x>', { pair: 'b' });
        assert.ok(ids.every((id) => Number.isInteger(id) && id >= 0));
        return [tokenizer.decode(ids), tokenizer.decode([0, 1, 2], { skipSpecialTokens: false })];
      })(),
      names,
    );
    if (used) working++;
  }
  assert.ok(working > 300 && working < 1500, `${working}`);
});
