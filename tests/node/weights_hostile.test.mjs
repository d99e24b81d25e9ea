// Archives, pickles and headers that are truncated, inconsistent or malicious: always a typed error that names the file,
// quickly and without much memory, and the engine keeps working.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { TransformerError } from '../../build/modules/values/errors.js';
import { startComputing } from '../lib/cpu_time.mjs';
import { readWeights } from '../lib/stored_weights.mjs';
import { concat, op, stateDict, writeZip } from '../lib/torch_save.mjs';

const binName = 'pytorch_model.bin';
const fixture = (path) => readFileSync(new URL(`../fixtures/reference/${path}`, import.meta.url));
const numbers = (count) => concat([Float32Array.from({ length: count }, (_, i) => i)]);

/** Reading the file must fail like this, within a moment. */
async function refuses(file, code, message, name = binName) {
  const computed = startComputing();
  await assert.rejects(readWeights(new Map([[name, file]])), (error) => {
    assert.ok(error instanceof TransformerError, `${error.stack}`);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.ok(error.message.includes(name) && error.message.length < 1000, error.message.slice(0, 1000));
    return true;
  });
  const took = computed();
  assert.ok(took < 2000, `it took ${took} ms`);
}

const bad = (file, message) => refuses(file, 'bad_checkpoint', message);

/** An archive as torch.save writes it, of one tensor 'w' [2, 3] by default. */
const archive = ({ pickle, tensor, data = numbers(6), extra = [], ...lies } = {}) =>
  writeZip(
    [
      {
        name: 'm/data.pkl',
        data: pickle ?? stateDict([['w', { count: 6, shape: [2, 3], ...tensor }]]),
      },
      { name: 'm/data/0', data },
      ...extra,
    ],
    lies,
  );

test('the files that the other tests modify are valid, with 64-bit records too', async () => {
  for (const is64 of [false, true]) {
    const { bytes } = (await readWeights(new Map([[binName, archive({ is64 })]]))).get('w');
    assert.deepEqual(Uint8Array.from(bytes), numbers(6));
  }
});

describe('archives', () => {
  const entry = (change) => {
    const entries = [
      { name: 'm/data.pkl', data: stateDict([['w', { count: 6, shape: [2, 3] }]]) },
      { name: 'm/data/0', data: numbers(6), ...change },
    ];
    return writeZip(entries);
  };

  test('compressed, encrypted, multi-part', async () => {
    await refuses(entry({ method: 8 }), 'unsupported', /'?m\/data\/0'?.* is compressed/);
    await refuses(entry({ flags: 1 }), 'unsupported', /is encrypted/);
    const parts = archive();
    parts[parts.length - 18] = 1;
    await refuses(parts, 'unsupported', /multi-part/);
  });

  test('from a machine with another byte order', async () => {
    const order = (text) =>
      archive({ extra: [{ name: 'm/byteorder', data: new TextEncoder().encode(text) }] });
    assert.equal((await readWeights(new Map([[binName, order('little')]]))).size, 1);
    await refuses(order('big'), 'unsupported', /byte order \('big'\)/);
    await bad(order('x'.repeat(1000)), /'m\/byteorder'.* 1000 bytes/);
  });

  test('with an inconsistent central directory', async () => {
    for (const is64 of [false, true]) {
      await bad(archive({ is64, count: 1 }), /longer than declared/);
      await bad(archive({ is64, count: 3 }), /position of its central directory is impossible|damaged/);
      await bad(archive({ is64, count: 65534 }), /position of its central directory is impossible/);
      await bad(archive({ is64, listBegin: 3 }), /damaged/);
      await bad(archive({ is64, listBegin: 0xfffffff0 }), /position of its central directory is impossible/);
      await bad(archive({ is64, listBytes: 0x7fffffff }), /position of its central directory is impossible/);
    }
    await bad(
      archive({ is64: true, listBytes: 2n ** 63n, count: 2n ** 60n }),
      /position of its central directory is impossible/,
    );
    await bad(
      archive({ is64: true, listBegin: 2n ** 64n - 1n }),
      /position of its central directory is impossible/,
    );
    await bad(archive().subarray(0, -1), /is cut off/);
    await bad(concat([archive(), numbers(20000)]), /is cut off/);
  });

  test('with entries that overlap, are duplicated or are elsewhere', async () => {
    await bad(entry({ begin: 0 }), /overlaps/);
    await bad(entry({ size: 5000 }), /overlaps/);
    await bad(entry({ size: 2 ** 31 }), /overlaps/);
    await bad(entry({ name: 'm/data.pkl', localName: 'm/data.pkl' }), /occurs twice/);
    await bad(entry({ localName: 'm/data/1' }), /is called "m\/data\/1"/);
    await bad(entry({ begin: 20 }), /overlaps|not where the directory says/);
    const longer = archive();
    longer[longer.indexOf(3, 30 + 10)] = 250;
    await assert.rejects(readWeights(new Map([[binName, longer]])), { code: 'bad_checkpoint' });
  });

  test('without a required entry', async () => {
    await bad(writeZip([]), /without a data\.pkl/);
    await bad(writeZip([{ name: 'data.pkl', data: numbers(1) }]), /without a data\.pkl/);
    await bad(archive({ tensor: { key: '7' } }), /the storage of the tensor 'w' is not in the archive/);
    await bad(archive({ tensor: { key: '../data.pkl' } }), /is not in the archive/);
    await bad(archive({ data: numbers(5) }), /'w' has 20 bytes, but the pickle says 24/);
    await bad(archive({ tensor: { type: 'HalfStorage' } }), /'w' has 24 bytes, but the pickle says 12/);
    await bad(archive({ pickle: new Uint8Array(17 << 20) }), /data\.pkl.* more than 16777216/);
  });
});

describe('tensors', () => {
  const beyond = /'?"?w"?'? of shape .* reaches beyond its storage of 6 elements/;
  const of = (tensor) => archive({ tensor });

  test('beyond their storage', async () => {
    await bad(of({ shape: [2, 4] }), beyond);
    await bad(of({ offset: 1 }), beyond);
    await bad(of({ strides: [4, 1] }), beyond);
    await bad(of({ shape: [7] }), beyond);
    await bad(of({ shape: Array(40).fill(2 ** 30) }), beyond);
    await bad(of({ shape: [2 ** 30, 2 ** 30], strides: [0, 0] }), beyond);
    await bad(of({ shape: [0, 3], offset: 7 }), beyond);
  });

  test('that use elements several times', async () => {
    await bad(of({ shape: [1000, 1000], strides: [0, 0] }), /uses elements several times/);
    await bad(of({ shape: [3, 3], strides: [1, 1] }), /uses elements several times/);
  });

  test('with invalid offsets, sizes and strides', async () => {
    await bad(of({ shape: [-1, 3] }), /not integers/);
    await bad(of({ offset: -1 }), /not integers/);
    await bad(of({ strides: [-3, 1] }), /not integers/);
    await bad(of({ count: -6 }), /not a tensor storage/);
    await bad(of({ strides: [1] }), /2 sizes, but 1 strides/);
    await bad(of({ type: 'QUInt8Storage' }), /torch\.QUInt8Storage/);
  });

  test('with too many axes: many tensors could share them, and each would have to be checked', async () => {
    for (const axes of [65, 20_000]) await bad(of({ shape: Array(axes).fill(1) }), /more than 64 axes/);
  });

  test('so many on the same bytes that the file would be read many times', async () => {
    const many = Array.from({ length: 4000 }, (_, i) => [`w${i}`, { count: 6000, shape: [6000] }]);
    await bad(
      archive({ pickle: stateDict(many), data: numbers(6000) }),
      /too many of its tensors share the same bytes/,
    );
  });
});

describe('pickles', () => {
  const pickle = (...ops) => archive({ pickle: concat([op.proto(), ...ops.flat(), op.stop()]) });
  const nothing = /no dictionary of tensors|holds no tensors/;

  test('that would run code', async () => {
    const run = [op.global('os', 'system'), op.mark(), op.unicode('true'), op.tuple(), op.reduce()];
    await bad(pickle(run), /uses os\.system/);
    await bad(pickle(op.global('torch._utils', '_rebuild_sparse_tensor')), /_rebuild_sparse_tensor/);
    await bad(pickle(op.global('__torch__', 'Model')), /__torch__\.Model/);
    await bad(pickle(op.global('x'.repeat(300), 'y')), /name without an end/);
    await bad(pickle(op.unicode('f'), op.emptyTuple(), op.reduce()), /calls something/);
    await bad(pickle(op.global('torch', 'FloatStorage'), op.emptyTuple(), op.reduce()), /calls something/);
    await bad(pickle(op.global('collections', 'OrderedDict'), op.none(), op.reduce()), /tuple of arguments/);
  });

  test('with unsupported opcodes and protocols', async () => {
    const known = '(.NJKMXU)tR]ae}subcQqrhj\x80\x85\x86\x87\x88\x89\x8aG';
    for (let code = 0; code < 256; code++) {
      if (known.includes(String.fromCharCode(code))) continue;
      const hex = code.toString(16).padStart(2, '0');
      await bad(pickle(Uint8Array.of(code)), new RegExp(`opcode 0x${hex}`));
    }
    for (const version of [0, 1, 3, 4, 5, 255]) await bad(pickle(op.proto(version)), /has protocol/);
  });

  test('without tensors', async () => {
    await bad(pickle(op.none()), nothing);
    await bad(pickle(op.emptyList()), nothing);
    await bad(pickle(op.emptyDict()), nothing);
    await bad(pickle(op.emptyDict(), op.unicode('model'), op.emptyDict(), op.setItem()), /top level/);
    await bad(pickle(op.global('torch', 'FloatStorage')), nothing);
  });

  test('with an inconsistent stack, memo or marks', async () => {
    await bad(pickle(), /empty stack/);
    await bad(pickle(op.tuple()), /lacks a mark/);
    await bad(pickle(op.none(), op.mark(), op.put(0)), /empty stack/);
    await bad(pickle(op.get(9)), /recalls number 9/);
    await bad(pickle(op.emptyDict(), op.mark(), op.none(), op.setItems()), /key without a value/);
    await bad(pickle(op.emptyDict(), op.none(), op.none(), op.setItem()), /key that is neither/);
    await bad(pickle(op.none(), op.none(), op.append()), /not a list/);
    await bad(pickle(op.none(), op.none(), op.none(), op.setItem()), /not a dictionary/);
    await bad(pickle(op.none(), op.none(), op.build()), /not a dictionary/);
    await bad(pickle(op.none(), op.persid()), /not a tensor storage/);
    await bad(
      pickle(concat([op.unicode('abc').subarray(0, 5), Uint8Array.of(0xff, 0xfe, 0xff)])),
      /not UTF-8/,
    );
    await bad(pickle(op.long(new Uint8Array(200))), /number of 200 bytes/);
  });

  test('that contain something twice, or themselves', async () => {
    const twice = [op.emptyDict(), ...[1, 2].flatMap(() => [op.unicode('w'), op.none(), op.setItem()])];
    await bad(pickle(twice), /holds "w" twice/);
    const two = stateDict([1, 2].map(() => ['w', { count: 6, shape: [6] }]));
    await bad(archive({ pickle: two }), /holds "w" twice/);
    const itself = /contains itself/;
    await bad(pickle(op.emptyList(), op.put(0), op.get(0), op.append()), itself);
    await bad(pickle(op.emptyList(), op.put(0), op.mark(), op.get(0), op.appends()), itself);
    await bad(pickle(op.emptyDict(), op.put(0), op.unicode('w'), op.get(0), op.setItem()), itself);
    // a list within a list, to which the outer list is then appended
    const lists = [op.emptyList(), op.put(0), op.emptyList(), op.put(1), op.append()];
    await bad(pickle(lists, op.get(1), op.get(0), op.append()), itself);
    await bad(pickle(op.emptyDict(), op.put(0), op.get(0), op.mark(), op.get(0), op.tuple()), nothing);
  });

  test('of great depth, height or length', async () => {
    const repeat = (...ops) =>
      Buffer.alloc(ops.reduce((sum, { length }) => sum + length, 0) * 1e6, concat(ops));
    await bad(pickle(repeat(op.emptyList())), /stack of more than/);
    await bad(pickle(repeat(op.mark())), /nested too deeply/);
    await bad(pickle(op.none(), repeat(Uint8Array.of(0x85))), nothing); // a tuple in a tuple in a tuple ...
    await bad(pickle(op.emptyList(), repeat(op.emptyList(), op.append())), nothing);
    await bad(
      pickle(op.emptyList(), repeat(op.none(), op.append()), repeat(op.none(), op.append())),
      /steps/,
    );
    // each list contains the previous one ten times: 10^100000 values, if they were counted
    const ten = [op.put(0), op.emptyList(), op.mark(), ...Array(10).fill(op.get(0)), op.appends()];
    await bad(pickle(op.emptyList(), Buffer.alloc(concat(ten).length * 1e5, concat(ten))), nothing);
  });

  test('truncated anywhere', async () => {
    const whole = stateDict([['w', { count: 6, shape: [2, 3] }]]);
    for (let length = 0; length < whole.length; length++)
      await bad(archive({ pickle: whole.subarray(0, length) }), /cut off/);
  });
});

describe('the older format', () => {
  const file = fixture('torch_views/model_legacy_format.pt');
  const changed = (place, ...bytes) => {
    const copy = Uint8Array.from(file);
    copy.set(bytes, place);
    return copy;
  };

  test('from another machine, with another version or none', async () => {
    await refuses(changed(17, 0x4d, 1, 1), 'unsupported', /unknown format version/);
    const flag = file.indexOf('little_endian') + 'little_endian'.length + 2;
    assert.equal(file[flag], 0x88);
    await refuses(changed(flag, 0x89), 'unsupported', /byte order/);
    await bad(changed(5, 1), /not written by torch\.save/);
    await bad(new Uint8Array(0), /neither an archive nor/);
    await bad(new TextEncoder().encode('{"a": 1}'), /neither an archive nor/);
    await bad(
      new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\n'),
      /is a pointer of Git LFS/,
    );
  });

  test('truncated anywhere, or too long', async () => {
    for (let length = 0; length < file.length; length++)
      await bad(file.subarray(0, length), /cut off|not written by/);
    await bad(concat([file, numbers(1)]), /continues after its last storage/);
  });

  test('a storage whose size contradicts the pickle', async () => {
    const places = [];
    for (let place = file.length - 8; place > 1000; place--)
      if (file.readBigInt64LE(place) === 60n) places.push(place);
    assert.ok(places.length > 0);
    await bad(changed(places[0], 61), /has 61 elements, but the pickle says 60/);
  });
});

describe('safetensors', () => {
  const withHeader = (header) => {
    const text = new TextEncoder().encode(header);
    return concat([new Uint8Array(new BigUint64Array([BigInt(text.length)]).buffer), text, numbers(1)]);
  };
  const name = 'model.safetensors';

  test('a header that is nested too deeply, or too long', async () => {
    const deep = `${'['.repeat(1e6)}${']'.repeat(1e6)}`;
    const deeper = /nested too deeply/;
    await refuses(withHeader(deep), 'bad_checkpoint', deeper, name);
    for (const field of ['dtype', 'shape', 'data_offsets'])
      await refuses(withHeader(`{"w":{"${field}":${deep}}}`), 'bad_checkpoint', deeper, name);
    await refuses(
      withHeader(`{"w":[${'[],'.repeat(6e6)}[]]}`),
      'bad_checkpoint',
      /18000010 bytes long, more than/,
      name,
    );
    // brackets within names are not nesting
    const brackets = `{"[[[[\\"[[[{{{":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`;
    assert.equal((await readWeights(new Map([[name, withHeader(brackets)]]))).size, 1);
  });
});
