// tokenizer.json from a grammar of its steps, and real ones with other values in their places: loading, encoding and decoding
// end soon, in a result or in an error about the file, and take no more memory than a multiple of the text.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TransformerError } from '../../../build/modules/values/errors.js';
import { placesIn, withAt } from '../../lib/hostile_values.mjs';
import { tokenizerJson } from '../../lib/tiny_model.mjs';
import { tokenizerOf } from '../../lib/tokenizer_folders.mjs';
import { settings } from './settings.mjs';

const codes = new Set(['bad_checkpoint', 'unsupported', 'invalid_argument']);
const fixtures = join(import.meta.dirname, '../../fixtures/reference');
const sentence = JSON.parse(readFileSync(join(fixtures, 'sentence_transformer/tokenizer.json'), 'utf8'));

const letter = fc.constantFrom(
  'a',
  'b',
  ' ',
  '\u2581',
  '##',
  'é',
  'e\u0301',
  '\ud83d\ude00',
  '\ud800',
  '\n',
  '<s>',
  'ﷺ',
  '',
);
const piece = fc.array(letter, { maxLength: 4 }).map((list) => list.join(''));
const source = fc.oneof(
  fc.constantFrom(
    'a',
    '\\s+',
    '(a|b)+',
    'a*a*b',
    '(?:x|x)*y',
    '[^a]',
    '\\p{L}+',
    '(?i:s)',
    '^a',
    'a$',
    '(',
    '[[a]',
    'a{0,9}b?',
    '',
    '.',
    '(?=a)b',
    '\\b',
    '()',
    'a|',
  ),
  piece,
);
const pattern = fc.oneof(
  fc.record({ String: piece }),
  fc.record({ Regex: source }),
  fc.constantFrom(null, 'a', {}, { String: 1 }),
);
const flag = fc.option(fc.boolean(), { nil: undefined });
const content = fc.oneof(
  piece,
  piece.map((text) => text.repeat(40)),
  fc.constant('aa'),
  fc.constantFrom(null, 7),
);
const behavior = fc.constantFrom(
  'Removed',
  'Isolated',
  'MergedWithPrevious',
  'MergedWithNext',
  'Contiguous',
  'Other',
);

const step = (type, fields = {}) => fc.record({ type: fc.constant(type), ...fields });
const oneOf =
  (...steps) =>
  (list) =>
    fc.letrec((tie) => ({
      step: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        ...steps,
        fc.record({ type: fc.constant('Sequence'), [list]: fc.array(tie('step'), { maxLength: 12 }) }),
      ),
    })).step;
const replace = step('Replace', { pattern, content });

const normalizer = oneOf(
  ...['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'Precompiled', 'Nonsense'].map((type) =>
    step(type),
  ),
  step('BertNormalizer', {
    clean_text: flag,
    handle_chinese_chars: flag,
    strip_accents: flag,
    lowercase: flag,
  }),
  step('Prepend', { prepend: content }),
  step('Strip', { strip_left: flag, strip_right: flag }),
  replace,
)('normalizers');
const preTokenizer = oneOf(
  ...['BertPreTokenizer', 'Whitespace', 'WhitespaceSplit', 'Nonsense'].map((type) => step(type)),
  step('ByteLevel', { add_prefix_space: flag, use_regex: flag }),
  step('Digits', { individual_digits: flag }),
  step('Metaspace', {
    replacement: content,
    prepend_scheme: fc.constantFrom('always', 'first', 'never', 1),
    split: flag,
  }),
  step('Punctuation', { behavior }),
  step('Split', { pattern, behavior, invert: flag }),
  step('FixedLength', { length: fc.constantFrom(0, 1, 3, -1, 1.5, null) }),
  replace,
)('pretokenizers');
const decoder = oneOf(
  ...['ByteFallback', 'ByteLevel', 'Fuse', 'Nonsense'].map((type) => step(type)),
  step('Metaspace', { replacement: content, prepend_scheme: fc.constantFrom('always', 'never') }),
  step('WordPiece', { prefix: content, cleanup: flag }),
  step('BPEDecoder', { suffix: content }),
  step('CTC', { pad_token: content, word_delimiter_token: content, cleanup: flag }),
  step('Strip', { content: piece, start: fc.nat(3), stop: fc.nat(3) }),
  replace,
)('decoders');
const special = fc.record({ id: fc.constantFrom('<s>', 'a', 'none'), type_id: fc.nat(2) });
const template = fc.array(
  fc.oneof(
    fc.record({ SpecialToken: special }),
    fc.record({ Sequence: fc.record({ id: fc.constantFrom('A', 'B'), type_id: fc.nat(2) }) }),
  ),
  { maxLength: 5 },
);
const processor = oneOf(
  step('TemplateProcessing', { single: template, pair: template, special_tokens: fc.constant({}) }),
  step('BertProcessing', { sep: fc.constant(['a', 1]), cls: fc.constantFrom(['a', 1], null) }),
  step('RobertaProcessing', { sep: fc.constant(['a', 1]), cls: fc.constant(['a', 1]), trim_offsets: flag }),
  step('ByteLevel', { trim_offsets: flag }),
)('processors');

const id = fc.oneof({ weight: 9, arbitrary: fc.nat(9) }, fc.constantFrom(-1, 1.5, 2 ** 31, null));
const vocab = fc.dictionary(piece, id, { maxKeys: 9 }).map((words) => ({ u: 0, a: 1, b: 2, ...words }));
const model = fc.oneof(
  fc.record({ type: fc.constant('WordLevel'), vocab, unk_token: fc.constantFrom('u', 'none', null) }),
  fc.record({
    ...{ type: fc.constant('WordPiece'), vocab, unk_token: fc.constantFrom('u', 'none') },
    max_input_chars_per_word: fc.constantFrom(100, 1000, 0, -1, null),
    continuing_subword_prefix: fc.constantFrom('##', '', null),
  }),
  fc.record({
    ...{ type: fc.constant('BPE'), vocab, unk_token: fc.constantFrom('u', null) },
    merges: fc.array(fc.oneof(fc.tuple(piece, piece), fc.constant('a b'), piece), { maxLength: 5 }),
    byte_fallback: flag,
    end_of_word_suffix: fc.constantFrom('</w>', '', null),
    fuse_unk: flag,
  }),
  fc.record({
    type: fc.constant('Unigram'),
    vocab: fc
      .array(fc.tuple(piece, fc.double({ min: -9, max: 0, noNaN: true })), { maxLength: 9 })
      .map((list) => [['u', -9], ...list]),
    unk_id: fc.constantFrom(0, 1, 99, null),
  }),
);
const added = fc.array(
  fc.record({
    id,
    content: piece,
    special: flag,
    lstrip: flag,
    rstrip: flag,
    single_word: flag,
    normalized: flag,
  }),
  { maxLength: 4 },
);
const orNone = (arbitrary) => fc.option(arbitrary, { nil: null });
const written = fc.record({
  ...{ model, normalizer: orNone(normalizer), pre_tokenizer: orNone(preTokenizer) },
  ...{ decoder: orNone(decoder), post_processor: orNone(processor), added_tokens: added },
});
const text = fc.oneof(
  fc.array(letter, { maxLength: 30 }).map((list) => list.join('')),
  fc.tuple(piece, fc.constantFrom(1, 300, 3000)).map(([part, times]) => part.repeat(times)),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** Reads a tokenizer, encodes a text and writes it again. */
async function used(json, given) {
  const begin = process.cpuUsage().user;
  const memory = process.memoryUsage().rss;
  try {
    const tokenizer = await tokenizerOf({ 'tokenizer.json': json });
    for (const options of [{}, { pair: given }, { isTarget: true }]) {
      const { ids, tokens, offsets } = tokenizer.encode(given, options);
      assert.equal(tokens.length, ids.length);
      assert.ok(ids.every((one) => Number.isInteger(one) && one >= 0));
      for (const span of offsets)
        if (span) assert.ok(0 <= span[0] && span[0] <= span[1] && span[1] <= given.length);
    }
    tokenizer.decode(tokenizer.encode(given).ids);
    tokenizer.decodeSettled([0, 1, 2]);
  } catch (error) {
    assert.ok(error instanceof TransformerError, String(error?.stack ?? error));
    assert.ok(codes.has(error.code), `${error.code}: ${error.message}`);
  }
  const took = (process.cpuUsage().user - begin) / 1000;
  assert.ok(took < 3000, `took ${took} ms`);
  const grown = process.memoryUsage().rss - memory;
  assert.ok(grown < 500e6, `took ${grown} bytes`);
}

describe('tokenizer.json', () => {
  test('of any steps', () =>
    fc.assert(
      fc.asyncProperty(written, text, (json, given) => used(json, given)),
      settings(1500),
    ));

  for (const [name, json] of Object.entries({
    'a small one': tokenizerJson,
    'that of a sentence encoder': sentence,
  }))
    test(`${name} with other values in its places`, () => {
      const places = placesIn({ ...json, model: { ...json.model, vocab: undefined } }).slice(1);
      const values = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        normalizer,
        preTokenizer,
        decoder,
        processor,
        model,
      );
      const change = fc.tuple(fc.constantFrom(...places), values);
      return fc.assert(
        fc.asyncProperty(change, text, ([place, value], given) => used(withAt(json, place, value), given)),
        settings(400),
      );
    });
});
