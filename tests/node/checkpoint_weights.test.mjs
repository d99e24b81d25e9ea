// Weight files that are truncated, inconsistent or incomplete. Each is rejected with a typed error that states the problem,
// and the engine's memory use does not change.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ByteReader } from '../../build/modules/files/byte_reader.js';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { refusesToLoad } from '../lib/refuses.mjs';
import { joinFile } from '../lib/safetensors.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';

const text = 'The cat sat on the mat.';
const weightsName = 'model.safetensors';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const refuses = (files, expected, options) => refusesToLoad(engine, files, expected, options);

test('a stream in chunks of any size, even empty ones, can be read in pieces of any other size', async () => {
  const random = randomNumbers(3);
  const bytes = Uint8Array.from({ length: 5000 }, () => random.below(256));
  async function* pieces() {
    for (let begin = 0; begin < bytes.length; ) {
      const end = begin + random.below(40);
      yield bytes.subarray(begin, end);
      begin = end;
    }
  }
  for (let round = 0; round < 20; round++) {
    const reader = new ByteReader(pieces(), 'the file');
    while (reader.position < bytes.length) {
      const begin = reader.position;
      const end = Math.min(bytes.length, begin + random.below(100));
      if (random.below(4) === 0) await reader.skipTo(end, 'some bytes');
      else assert.deepEqual(await reader.read(end - begin, 'some bytes'), bytes.slice(begin, end));
    }
    assert.equal(await reader.atEnd(), true);
    await assert.rejects(reader.read(1, 'more'), {
      code: 'bad_checkpoint',
      message: /after 5000 bytes, inside more/,
    });
  }
});

describe('weights', () => {
  const tensors = () => tinyTensors(tinyConfig);
  const withTensors = (changed) => tinyModel({ tensors: changed });
  const withFile = (bytes) => tinyModel().set(weightsName, bytes);
  const whole = tinyModel().get(weightsName);
  const bad = (message) => ({ code: 'bad_checkpoint', message });

  test('a missing tensor', async () => {
    for (const name of [
      'embedding.weight',
      'decoder.layers.1.multihead_attn.in_proj_bias',
      'encoder.norm.bias',
    ]) {
      const without = tensors();
      without.delete(name);
      await refuses(withTensors(without), bad(/model\.safetensors: the tensor '.*' of shape .* is missing/));
    }
  });

  test('a tensor with the wrong shape, integers, NaN or infinity', async () => {
    const name = 'decoder.layers.0.linear2.weight';
    const { data, shape } = tensors().get(name);
    await refuses(
      withTensors(tensors().set(name, { data, shape: [...shape].reverse() })),
      bad(/linear2\.weight.*\[24, 16\].*\[16, 24\]/),
    );
    const whole = { data: new BigInt64Array(data.length), shape, dtype: 'I64' };
    await refuses(withTensors(tensors().set(name, whole)), bad(/linear2\.weight' is stored as I64/));
    for (const [value, word] of [
      [Number.NaN, 'NaN'],
      [Number.POSITIVE_INFINITY, 'infinite'],
    ]) {
      const broken = { data: data.slice().fill(value, 7, 8), shape };
      await refuses(withTensors(tensors().set(name, broken)), bad(new RegExp(`linear2\\.weight'.*${word}`)));
    }
    const projection = 'encoder.layers.0.self_attn.in_proj_weight';
    const uneven = { data: new Float32Array(47 * 16), shape: [47, 16] };
    await refuses(
      withTensors(tensors().set(projection, uneven)),
      bad(/in_proj_weight.*queries, keys and values/),
    );
  });

  test('two tensors for the same place', async () => {
    const twice = tensors().set('model.embedding.weight', tensors().get('embedding.weight'));
    await refuses(withTensors(twice), bad(/'embedding\.weight' and 'model\.embedding\.weight'/));
  });

  test('an unused tensor is skipped and listed', async () => {
    const more = new Map([['a.first.one', { data: new Float32Array(5), shape: [5] }], ...tensors()]);
    more.set('z.last.one', { data: new Uint8Array(3), shape: [3], dtype: 'U8' });
    more.set('pos_encoder.pe', { data: new Float32Array(8), shape: [8] });
    const model = await loadModel(withTensors(more), { engine });
    assert.deepEqual(model.info.unusedTensors, ['a.first.one', 'z.last.one']);
    await model.dispose();
  });

  test('a file truncated anywhere', async () => {
    const random = randomNumbers(5);
    const lengths = [
      0,
      1,
      7,
      8,
      9,
      100,
      whole.length - 1,
      ...Array.from({ length: 30 }, () => random.below(whole.length)),
    ];
    for (const length of lengths) await refuses(withFile(whole.slice(0, length)), bad(/model\.safetensors/));
    await refuses(withFile(new Uint8Array([...whole, 0])), bad(/after the last tensor/));
  });

  test('an inconsistent header', async () => {
    const entry = { dtype: 'F32', shape: [2], data_offsets: [0, 8] };
    const data = new Float32Array(2);
    const header = (tensors, parts = [data]) => withFile(joinFile(JSON.stringify(tensors), parts));
    const cases = [
      [withFile(joinFile('{"a": ')), /header cannot be read/],
      [withFile(joinFile('[]')), /not a JSON object/],
      [withFile(joinFile('"\ud800"')), /header|object/],
      [withFile(new Uint8Array(8).fill(255)), /header would be/],
      [withFile(joinFile('{}').fill(200, 0, 1)), /cut off/],
      [
        withFile(joinFile(`{"a":${JSON.stringify(entry)},"\\u0061":${JSON.stringify(entry)}}`, [data])),
        /'a' twice/,
      ],
      [header({ a: 5 }), /'a' has no description/],
      [header({ a: null }), /'a' has no description/],
      [header({ a: { ...entry, dtype: 'F33' } }), /'a' has an unknown dtype, "F33"/],
      [header({ a: { ...entry, dtype: ['F32'] } }), /unknown dtype/],
      [header({ a: { ...entry, shape: [-2, -1] } }), /no valid shape/],
      [header({ a: { ...entry, shape: [0.5, 4] } }), /no valid shape/],
      [header({ a: { ...entry, shape: 2 } }), /no valid shape/],
      [header({ a: { ...entry, shape: [1e15, 1e15] } }), /'a'.*bytes/],
      [header({ a: { ...entry, data_offsets: [8, 0] } }), /'a'.*bytes/],
      [header({ a: { ...entry, data_offsets: [-8, 0] } }), /no valid data_offsets/],
      [header({ a: { ...entry, data_offsets: [0] } }), /no valid data_offsets/],
      [header({ a: { ...entry, data_offsets: ['0', '8'] } }), /no valid data_offsets/],
      [header({ a: { ...entry, shape: [3] } }), /needs 12 bytes, but its data_offsets span 8/],
      [header({ a: entry, b: entry }), /'b' overlaps/],
      [
        header({ a: entry, b: { ...entry, data_offsets: [16, 24] } }, [data, data, data]),
        /the 8 bytes before the tensor 'b'/,
      ],
      [header({ a: { ...entry, data_offsets: [8, 16] } }), /8 bytes before|cut off/],
      [header({ a: entry }, [data, data]), /8 bytes after the last tensor/],
      [header({ a: { ...entry, shape: [1000], data_offsets: [0, 4000] } }), /cut off/],
    ];
    for (const [files, message] of cases) await refuses(files, bad(message));
  });

  test('a header with random changes never causes a crash', async () => {
    const random = randomNumbers(11);
    const headerLength = Number(new DataView(whole.buffer).getBigUint64(0, true));
    const codes = new Map();
    for (let round = 0; round < 300; round++) {
      const bytes = whole.slice();
      for (let change = random.below(4); change >= 0; change--) {
        const place = random.below(8 + headerLength);
        bytes[place] =
          random.below(2) === 0 ? random.below(256) : '0123456789[]{},:"'.charCodeAt(random.below(17));
      }
      const heap = engine.info.heapBytes;
      try {
        // A change in an unused name or in the metadata may go unnoticed.
        await (await loadModel(withFile(bytes), { engine })).dispose();
        codes.set('loaded', (codes.get('loaded') ?? 0) + 1);
      } catch (error) {
        assert.ok(error instanceof TransformerError, `${error}`);
        assert.equal(error.code, 'bad_checkpoint', error.message);
        codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
      }
      assertHeap(engine, heap);
    }
    assert.ok(codes.get('bad_checkpoint') > 200);
    const model = await loadModel(tinyModel(), { engine });
    assert.ok((await model.translate(text)).text.length > 0);
    await model.dispose();
  });

  test('the weights never exist twice', async () => {
    const layers = { num_encoder_layers: 3, num_decoder_layers: 3 };
    const config = { ...tinyConfig, ...layers, d_model: 256, d_ff: 1024 };
    const fresh = await createEngine({ threads: 1 });
    const model = await loadModel(tinyModel({ config }), { engine: fresh });
    assert.ok(model.info.bytes > 20e6);
    assert.ok(fresh.info.heapBytes < 1.1 * model.info.bytes, `${fresh.info.heapBytes} bytes in use`);
    // A wasm memory never shrinks, so this is its maximum.
    assert.ok(fresh.info.memoryBytes < 1.5 * model.info.bytes, `${fresh.info.memoryBytes} bytes of memory`);
    await fresh.dispose();
  });

  test('a tensor larger than a piece is read completely, also in slices', async () => {
    const config = {
      ...tinyConfig,
      d_model: 768,
      num_heads: 8,
      d_ff: 8,
      num_encoder_layers: 1,
      num_decoder_layers: 1,
      tie_embeddings: true,
    };
    const large = tinyTensors(config);
    const model = await loadModel(tinyModel({ config, tensors: large }), { engine });
    const { model_type: _, scale_embedding: scaleEmbedding, ...rest } = config;
    const layer = await engine.transformer(
      {
        ...{ dModel: rest.d_model, numHeads: rest.num_heads, dFf: rest.d_ff, vocabSize: rest.vocab_size },
        ...{ positions: 'sinusoidal', maxLength: rest.max_length, tieEmbeddings: true, scaleEmbedding },
      },
      Object.fromEntries(large),
    );
    assert.ok(large.get('encoder.layers.0.self_attn.in_proj_weight').data.byteLength > 4 << 20);
    const ids = { src: [[5, 6, 7, 3]], tgt: [[2, 20, 21]] };
    const loaded = await model.forward({ inputIds: ids.src, decoderInputIds: ids.tgt });
    const given = await layer.forward(ids.src, ids.tgt);
    assert.deepEqual(loaded.logits, given.logits);
    await layer.dispose();
    await model.dispose();
  });
});
