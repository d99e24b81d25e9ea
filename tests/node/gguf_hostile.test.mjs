// GGUF files that lie: every one ends in a typed error that names the byte, and leaves nothing behind.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { inspectCheckpoint } from '../../build/modules/checkpoint/inspect_checkpoint.js';
import { createEngine } from '../../dist/index.js';
import { join, text, u32, u64, writeGguf } from '../lib/gguf.mjs';
import { refusesToLoad } from '../lib/refuses.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const whole = new Uint8Array(readFileSync(new URL('../fixtures/gguf/llama/q4_0.gguf', import.meta.url)));
const refuses = (bytes, code, message) =>
  refusesToLoad(engine, new Map([['model.gguf', bytes]]), { code, message });

/** The place behind a text in the file. */
function behind(wanted, bytes = whole) {
  const place = Buffer.from(bytes).indexOf(wanted);
  assert.ok(place >= 0, wanted);
  return place + Buffer.byteLength(wanted);
}

/** The file with other bytes at a place. */
function changed(place, bytes) {
  const copy = Uint8Array.from(whole);
  copy.set(bytes, place);
  return copy;
}

const start = (tensors, keys, ...rest) => join([u32(0x46554747), u32(3), u64(tensors), u64(keys), ...rest]);

describe('the start of the file', () => {
  test('no bytes', () => refuses(new Uint8Array(), 'bad_checkpoint', /cut off: it ends after 0 bytes/));
  test('another magic number', () =>
    refuses(changed(0, [1]), 'bad_checkpoint', /byte 0: this is not a GGUF file/));
  test('version 1', () => refuses(changed(4, [1]), 'unsupported', /byte 4: version 1 of GGUF/));
  test('big-endian', () => refuses(changed(4, [0, 0, 0, 3]), 'unsupported', /byte 4: .*big-endian/));
  test('2^63 tensors', () =>
    refuses(changed(8, u64(2n ** 63n)), 'bad_checkpoint', /byte 8: the number of tensors/));
  test('2^40 keys', () =>
    refuses(changed(16, u64(2 ** 40)), 'bad_checkpoint', /byte 16: the number of keys/));
});

describe('keys', () => {
  const long = u64(2 ** 50);
  const cases = {
    'a name of 2^50 bytes': [start(0, 1, long), /byte 24: the length of the name of key 0/],
    'a name that is cut off': [start(0, 1, u64(9), new Uint8Array(4)), /byte 32: .*cut off.* after 36 bytes/],
    'a name that is not UTF-8': [start(0, 1, u64(1), new Uint8Array([0xff]), u32(4)), /byte 32: .*not UTF-8/],
    'an unknown type': [start(0, 1, text('a'), u32(13)), /byte 33: 'a' is of the unknown type 13/],
    'a list of lists': [start(0, 1, text('a'), u32(9), u32(9), u64(1)), /byte 37: .*lists/, 'unsupported'],
    'a list of 2^50 entries': [
      start(0, 1, text('a'), u32(9), u32(8), long),
      /byte 41: the number of entries/,
    ],
    'a list that is cut off': [start(0, 1, text('a'), u32(9), u32(4), u64(9), u32(1)), /cut off/],
    'a key that is there twice': [
      start(0, 2, text('a'), u32(4), u32(1), text('a'), u32(4), u32(1)),
      /byte 41: the key 'a' is there twice/,
    ],
    'none at all': [start(0, 0), /has no general\.architecture/],
  };
  for (const [name, [bytes, message, code = 'bad_checkpoint']] of Object.entries(cases))
    test(name, () => refuses(bytes, code, message));
});

describe('tensors', () => {
  const entry = (name, sizes, type, offset) =>
    join([text(name), u32(sizes.length), ...sizes.map(u64), u32(type), u64(offset)]);
  const file = (...entries) => join([start(entries.length, 0, ...entries), new Uint8Array(4096)]);
  const cases = {
    'five axes': [file(entry('a', [1, 1, 1, 1, 1], 0, 0)), /byte 33: .*5 axes/],
    'an axis of zero': [file(entry('a', [0, 4], 0, 0)), /byte 33: .*the shape \[4,0\]/],
    'axes whose product overflows': [file(entry('a', [2 ** 31, 2 ** 31], 0, 0)), /byte 33: .*the shape/],
    'an unknown type': [file(entry('a', [32], 99, 0)), /byte 45: .*unknown type 99/],
    'a type that is not read': [file(entry('a', [256], 16, 0)), /byte 45: .*IQ2_XXS/, 'unsupported'],
    'rows that are no whole blocks': [file(entry('a', [33, 2], 8, 0)), /rows of 33 numbers.*Q8_0/],
    'an offset that is not aligned': [file(entry('a', [32], 0, 4)), /byte 24: .*multiple of 32/],
    'an offset behind the end': [file(entry('a', [32], 0, 2 ** 40)), /byte 24: .*cut off at/],
    'two at one place': [file(entry('a', [32], 0, 0), entry('b', [32], 0, 0)), /'b' overlaps/],
    'two of one name': [file(entry('a', [32], 0, 0), entry('a', [32], 0, 128)), /'a' is there twice/],
  };
  for (const [name, [bytes, message, code = 'bad_checkpoint']] of Object.entries(cases))
    test(name, () => refuses(bytes, code, message));

  test('a file that is cut off in its numbers', () =>
    refuses(whole.subarray(0, whole.length - 100), 'bad_checkpoint', /cut off/));
  test('an alignment of 7', () =>
    refuses(
      writeGguf([['general.alignment', ['u32', 7]]], []),
      'bad_checkpoint',
      /general\.alignment is 7, not a multiple of 8/,
    ));
});

describe('contents', () => {
  test('another architecture', () => {
    const place = behind('general.architecture') + 12;
    const other = new TextEncoder().encode('mamba');
    return refuses(changed(place, other), 'unsupported', /'mamba' is not supported; supported are llama/);
  });
  test('another tokenizer', () => {
    const place = behind('tokenizer.ggml.model') + 12;
    return refuses(changed(place, new TextEncoder().encode('wwwww')), 'unsupported', /ggml\.model 'wwwww'/);
  });
  const keys = (more) => [['general.architecture', 'llama'], ...more];
  const embedding = [{ name: 'token_embd.weight', shape: [2, 8], type: 'F32', data: new Float32Array(16) }];
  test('a mixture of experts', () =>
    refuses(writeGguf(keys([['llama.expert_count', ['u32', 8]]]), []), 'unsupported', /mixture of experts/));
  test('a part of a model', () =>
    refuses(writeGguf(keys([['split.count', ['u32', 3]]]), []), 'unsupported', /one of 3 parts/));
  test('a field of another type', () =>
    refuses(
      writeGguf(keys([['llama.embedding_length', 'x']]), embedding),
      'bad_checkpoint',
      /embedding_length must be/,
    ));
  test('a token that is there twice', () => {
    const place = Buffer.from(whole).indexOf('<0x01>') + 4;
    return refuses(changed(place, [0x30]), 'bad_checkpoint', /"<0x00>" has the ids 3 and 4/);
  });
  test('an unknown rule for words', () => {
    const list = (values) => ({ of: 'i32', values });
    const vocabulary = [
      ['tokenizer.ggml.model', 'gpt2'],
      ['tokenizer.ggml.pre', 'other'],
      ['tokenizer.ggml.tokens', ['a', 'b']],
      ['tokenizer.ggml.token_type', list([1, 1])],
      ['tokenizer.ggml.merges', []],
    ];
    const sizes = [
      'context_length',
      'embedding_length',
      'block_count',
      'feed_forward_length',
      'attention.head_count',
    ];
    const numbers = sizes.map((name) => [`llama.${name}`, ['u32', 8]]);
    const eps = ['llama.attention.layer_norm_rms_epsilon', ['f32', 1e-5]];
    const vocab = ['llama.vocab_size', ['u32', 2]];
    return refuses(
      writeGguf(keys([...numbers, eps, vocab, ...vocabulary]), embedding),
      'unsupported',
      /tokenizer\.ggml\.pre 'other'.*known are llama-bpe/,
    );
  });
  test('inspect lists what is wrong', async () => {
    const { refusals } = await inspectCheckpoint(new Map([['a.gguf', changed(4, [1])]]));
    assert.ok(
      refusals.some((sentence) => /version 1 of GGUF/.test(sentence)),
      refusals.join('\n'),
    );
  });
});
