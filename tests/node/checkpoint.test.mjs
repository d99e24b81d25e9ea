// Loading: from every kind of folder, and from files that are cut off, lie or lack something. Whatever they hold, the
// answer is a typed error that says what is wrong, and the engine has no byte more in use than before.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { randomNumbers } from '../lib/random.mjs';
import { joinFile } from '../lib/safetensors.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';

const text = 'The cat sat on the mat.';
const json = (value) => new TextEncoder().encode(JSON.stringify(value));
const weightsName = 'model.safetensors';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

/** Loading must fail so, and leave nothing behind. */
async function refuses(files, expected, options = {}) {
  const heap = engine.info.heapBytes;
  await assert.rejects(loadModel(files, { engine, ...options }), expected);
  assert.equal(engine.info.heapBytes, heap, 'the heap is not what it was');
}

describe('folders', () => {
  const files = tinyModel();
  let folder;
  let server;
  let address;
  let expected;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
    for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
    server = createServer(answer).listen(0);
    await new Promise((resolve) => server.once('listening', resolve));
    address = `http://localhost:${server.address().port}`;
    const model = await loadModel(files, { engine });
    expected = await model.translate(text);
    await model.dispose();
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  /** /plain/, /gzip/, /page/ (answers everything), /cut/ (ends early), /broken/ (ends the connection), /sick/ (500) */
  function answer(request, response) {
    const [, kind, name] = new URL(request.url, 'http://localhost').pathname.split('/');
    const bytes = files.get(name);
    if (kind === 'sick') return response.writeHead(500).end();
    if (kind === 'page' && (!bytes || name !== 'config.json')) {
      return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html>');
    }
    if (!bytes || kind === 'none') return response.writeHead(404).end();
    if (kind === 'gzip') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes));
    if (name !== weightsName || kind === 'plain' || kind === 'page') return response.end(bytes);
    if (kind === 'cut') return response.end(bytes.subarray(0, bytes.length - 100));
    response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, bytes.length >> 1));
    setTimeout(() => response.destroy(), 20);
  }

  async function translates(source) {
    const model = await loadModel(source, { engine });
    assert.deepEqual(await model.translate(text), expected);
    await model.dispose();
  }

  test('a path and a file: URL', async () => {
    await translates(folder);
    await translates(new URL(`file://${folder}/`));
    await translates(`file://${folder}`);
  });

  test('an address, with and without a slash, compressed', async () => {
    await translates(`${address}/plain`);
    await translates(new URL(`${address}/plain/?key=1`));
    await translates(`${address}/gzip/`);
  });

  test('File objects, from an input of folders too', async () => {
    const list = [...files].map(([name, bytes]) => new File([bytes], name));
    await translates(list);
    const inFolder = list.map((file) =>
      Object.defineProperty(file, 'webkitRelativePath', { value: `en-fr/${file.name}` }),
    );
    const deeper = Object.defineProperty(new File(['{}'], 'config.json'), 'webkitRelativePath', {
      value: 'en-fr/old/config.json',
    });
    await translates([deeper, ...inFolder]);
  });

  test('a Map of Blobs, and a folder handle', async () => {
    await translates(new Map([...files].map(([name, bytes]) => [name, new Blob([bytes])])));
    const handle = {
      name: 'en-fr',
      async getFileHandle(name) {
        if (!files.has(name)) throw new DOMException('not there', 'NotFoundError');
        return { getFile: async () => new File([files.get(name)], name) };
      },
    };
    await translates(handle);
  });

  test('what is not there is named', async () => {
    await refuses(join(folder, 'nowhere'), { code: 'missing_file', message: /nowhere.*config\.json/ });
    await refuses(join(folder, 'config.json'), { code: 'missing_file', message: /not inside of a folder/ });
    await refuses(`${address}/none/`, { code: 'missing_file', message: /none\/config\.json.*404/ });
    await refuses(`${address}/sick/`, { code: 'missing_file', message: /500/ });
    await refuses(`${address}/page/`, { code: 'missing_file', message: /model\.safetensors.*HTML/ });
    await refuses('http://localhost:1/', { code: 'missing_file', message: /cannot be fetched/ });
    await refuses(new Map(), { code: 'missing_file', message: /config\.json/ });
    await refuses([new File(['{}'], 'readme.txt')], {
      code: 'missing_file',
      message: /config\.json.*readme\.txt/,
    });
    const noWeights = tinyModel();
    noWeights.delete(weightsName);
    await refuses(noWeights, { code: 'missing_file', message: /model\.safetensors/ });
    await refuses(noWeights.set('pytorch_model.bin', json({})), {
      code: 'unsupported',
      message: /pytorch_model\.bin/,
    });
  });

  test('a download that ends early', async () => {
    await refuses(`${address}/cut/`, { code: 'bad_checkpoint', message: /model\.safetensors is cut off/ });
    await refuses(`${address}/broken/`, { code: 'missing_file', message: /model\.safetensors.*broke off/ });
  });

  test('what is no folder at all', async () => {
    for (const source of [undefined, null, 5, {}, '', [1, 2]])
      await refuses(source, { code: 'invalid_argument' });
    await refuses(new Map([['config.json', 'text']]), { code: 'invalid_argument', message: /config\.json/ });
  });
});

describe('options', () => {
  test('are checked by name and type', async () => {
    const files = tinyModel();
    await refuses(files, { code: 'unsupported', message: /int8/ }, { dtype: 'int8' });
    await refuses(files, { code: 'unsupported', message: /cache/ }, { cache: true });
    await refuses(files, { code: 'invalid_argument', message: /onProgress/ }, { onprogress: () => {} });
    await refuses(files, { code: 'invalid_argument', message: /engine/ }, { engine: {} });
    await refuses(files, { code: 'invalid_argument', message: /onProgress/ }, { onProgress: 5 });
    const model = await loadModel(files, { engine, dtype: 'f32', cache: false });
    await model.dispose();
  });
});

describe('progress and abort', () => {
  test('progress counts bytes up to all of them', async () => {
    const files = tinyModel();
    const events = [];
    const model = await loadModel(files, { engine, onProgress: (event) => events.push(event) });
    await model.dispose();
    const total = files.get(weightsName).length;
    assert.equal(events[0].phase, 'config');
    assert.deepEqual(events.at(-1), { phase: 'ready', file: weightsName, loaded: total, total });
    const weights = events.filter(({ phase }) => phase === 'weights');
    assert.ok(weights.length > 10);
    for (const [i, event] of weights.entries()) {
      assert.equal(event.total, total);
      if (i > 0) assert.ok(event.loaded >= weights[i - 1].loaded);
    }
    assert.equal(weights.at(-1).loaded, total);
  });

  test('an abort at each stage of loading rejects with its reason and gives everything back', async () => {
    const files = tinyModel();
    let count = 0;
    const model = await loadModel(files, { engine, onProgress: () => count++ });
    await model.dispose();
    for (let stage = 0; stage < count; stage++) {
      const controller = new AbortController();
      const reason = new Error(`at stage ${stage}`);
      let at = 0;
      const onProgress = () => {
        if (at++ === stage) controller.abort(reason);
      };
      await refuses(files, (error) => error === reason, { onProgress, signal: controller.signal });
    }
    const before = AbortSignal.abort();
    await refuses(files, (error) => error === before.reason, { signal: before });
  });

  test('what onProgress throws ends the loading', async () => {
    const thrown = new Error('no more');
    const onProgress = ({ phase }) => {
      if (phase === 'weights') throw thrown;
    };
    await refuses(tinyModel(), (error) => error === thrown, { onProgress });
  });

  test('a download that hangs can be aborted', async () => {
    const server = createServer((_, response) => response.writeHead(200).write('{')).listen(0);
    await new Promise((resolve) => server.once('listening', resolve));
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await refuses(
      `http://localhost:${server.address().port}/`,
      { message: 'enough' },
      { signal: controller.signal },
    );
    server.closeAllConnections();
    server.close();
  });
});

describe('config.json', () => {
  const withConfig = (config) =>
    tinyModel({ tensors: tinyTensors(tinyConfig) }).set('config.json', json(config));
  const bad = (message) => ({ code: 'bad_checkpoint', message });

  test('an unknown family is named', async () => {
    await refuses(withConfig({ model_type: 'mamba' }), { code: 'unsupported', message: /'mamba'/ });
    await refuses(withConfig({ d_model: 16 }), bad(/model_type/));
  });

  test('a field that is wrong or missing is named', async () => {
    const { d_model: _, ...without } = tinyConfig;
    await refuses(withConfig(without), bad(/config\.json has no d_model/));
    for (const [name, value] of [
      ['d_model', 'wide'],
      ['num_heads', 0],
      ['d_ff', 2.5],
      ['norm', 'around'],
      ['activation', 'swoosh'],
      ['tie_embeddings', 'yes'],
      ['layer_norm_eps', {}],
      ['eos_token_id', [3, -1]],
      ['num_encoder_layers', -1],
    ]) {
      await refuses(
        withConfig({ ...tinyConfig, [name]: value }),
        bad(new RegExp(`config\\.json: ${name} must be`)),
      );
    }
  });

  test('one that is no JSON object', async () => {
    const files = tinyModel();
    await refuses(
      files.set('config.json', new TextEncoder().encode('{ "model_type": ')),
      bad(/config\.json is not JSON/),
    );
    await refuses(files.set('config.json', json([1])), bad(/config\.json must hold a JSON object/));
  });

  test('one that lies about the tensors is refused with shapes, in the names of the file', async () => {
    const shapes =
      /model\.safetensors: the tensor 'embedding\.weight' has the shape \[30, 16\], expected \[30, 24\]/;
    await refuses(withConfig({ ...tinyConfig, d_model: 24 }), bad(shapes));
    await refuses(
      withConfig({ ...tinyConfig, num_decoder_layers: 3 }),
      bad(/'decoder\.layers\.2\.self_attn\.in_proj_weight'.*missing/),
    );
    await refuses(withConfig({ ...tinyConfig, d_ff: 32 }), bad(/'encoder\.layers\.0\.linear1\.weight'/));
  });

  test('one with fewer layers than there are: the rest is named as not used', async () => {
    const model = await loadModel(withConfig({ ...tinyConfig, num_encoder_layers: 1 }), { engine });
    const { unusedTensors } = model.info;
    assert.equal(unusedTensors.length, 12);
    assert.ok(unusedTensors.every((name) => name.startsWith('encoder.layers.1.')));
    assert.equal((await model.forward({ inputIds: [5], decoderInputIds: [2] })).logits.shape.length, 3);
    await model.dispose();
  });
});

describe('weights', () => {
  const tensors = () => tinyTensors(tinyConfig);
  const withTensors = (changed) => tinyModel({ tensors: changed });
  const withFile = (bytes) => tinyModel().set(weightsName, bytes);
  const whole = tinyModel().get(weightsName);
  const bad = (message) => ({ code: 'bad_checkpoint', message });

  test('a tensor that is missing', async () => {
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

  test('a tensor of another shape, of whole numbers, not a number, infinite', async () => {
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
      await refuses(
        withTensors(tensors().set(name, broken)),
        bad(new RegExp(`linear2\\.weight'.*${word}.*element 7`)),
      );
    }
    const projection = 'encoder.layers.0.self_attn.in_proj_weight';
    const uneven = { data: new Float32Array(47 * 16), shape: [47, 16] };
    await refuses(
      withTensors(tensors().set(projection, uneven)),
      bad(/in_proj_weight.*queries, keys and values/),
    );
  });

  test('two tensors for one place', async () => {
    const twice = tensors().set('model.embedding.weight', tensors().get('embedding.weight'));
    await refuses(withTensors(twice), bad(/'embedding\.weight' and 'model\.embedding\.weight'/));
  });

  test('a tensor of no use is read over and named', async () => {
    const more = new Map([['a.first.one', { data: new Float32Array(5), shape: [5] }], ...tensors()]);
    more.set('z.last.one', { data: new Uint8Array(3), shape: [3], dtype: 'U8' });
    more.set('pos_encoder.pe', { data: new Float32Array(8), shape: [8] });
    const model = await loadModel(withTensors(more), { engine });
    assert.deepEqual(model.info.unusedTensors, ['a.first.one', 'z.last.one']);
    await model.dispose();
  });

  test('a file that is cut off anywhere', async () => {
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

  test('a header that lies', async () => {
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
      [header({ a: { ...entry, data_offsets: [-8, 0] } }), /no valid place/],
      [header({ a: { ...entry, data_offsets: [0] } }), /no valid place/],
      [header({ a: { ...entry, data_offsets: ['0', '8'] } }), /no valid place/],
      [header({ a: { ...entry, shape: [3] } }), /needs 12 bytes, but 8/],
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

  test('a header with random bytes changed never gets past with a crash', async () => {
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
        // A change in a name that nobody needs, or in the metadata, may go through.
        await (await loadModel(withFile(bytes), { engine })).dispose();
        codes.set('loaded', (codes.get('loaded') ?? 0) + 1);
      } catch (error) {
        assert.ok(error instanceof TransformerError, `${error}`);
        assert.equal(error.code, 'bad_checkpoint', error.message);
        codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
      }
      assert.equal(engine.info.heapBytes, heap);
    }
    assert.ok(codes.get('bad_checkpoint') > 200);
    const model = await loadModel(tinyModel(), { engine });
    assert.ok((await model.translate(text)).text.length > 0);
    await model.dispose();
  });

  test('a tensor larger than a piece of reading arrives whole, also cut into parts', async () => {
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

describe('tokenizer.json', () => {
  test('one that cannot be read', async () => {
    const broken = { code: 'bad_checkpoint', message: /tokenizer\.json/ };
    const unknown = { code: 'unsupported', message: /tokenizer\.json.*'Nonsense'/ };
    const nonsense = json({ model: { type: 'Nonsense', vocab: {} } });
    await refuses(tinyModel().set('tokenizer.json', nonsense), unknown);
    await refuses(tinyModel().set('tokenizer.json', json({})), broken);
    await refuses(tinyModel().set('tokenizer.json', new TextEncoder().encode('{')), broken);
  });
});

describe('generation_config.json', () => {
  const lengthOf = async (files, options) => {
    const model = await loadModel(files, { engine });
    const { sequences } = await model.generate(text, { minNewTokens: 0, ...options });
    await model.dispose();
    return sequences;
  };
  const neverEnds = { eos_token_id: [] };

  test('decides where no option does; config.json where it is missing', async () => {
    const all = await lengthOf(tinyModel({ config: neverEnds }));
    assert.equal(all[0].ids.length, tinyConfig.max_length);
    const short = { max_length: 5, num_beams: 3, num_return_sequences: 2 };
    const [first, second] = await lengthOf(tinyModel({ config: neverEnds, generation: short }));
    assert.equal(first.ids.length, 5);
    assert.ok(first.score >= second.score);
    const [given] = await lengthOf(tinyModel({ config: neverEnds, generation: short }), {
      maxNewTokens: 2,
      numBeams: 2,
    });
    assert.equal(given.ids.length, 3);
    const [tokens] = await lengthOf(
      tinyModel({ config: neverEnds, generation: { max_new_tokens: 3, max_length: 9 } }),
    );
    assert.equal(tokens.ids.length, 4);
    const [twenty] = await lengthOf(tinyModel({ config: neverEnds, generation: {} }));
    assert.equal(twenty.ids.length, 20);
  });

  test('a field of the wrong type is named', async () => {
    for (const [name, value] of [
      ['num_beams', 'many'],
      ['early_stopping', 'often'],
      ['bad_words_ids', [1]],
      ['do_sample', 1],
    ]) {
      const files = tinyModel({ generation: { [name]: value } });
      await refuses(files, {
        code: 'bad_checkpoint',
        message: new RegExp(`generation_config\\.json: ${name} must be`),
      });
    }
  });
});

describe('bad input to a model that is loaded', () => {
  let model;
  let heap;
  before(async () => {
    model = await loadModel(tinyModel(), { engine });
    // The model keeps what a pass works in for the next one.
    const longest = [Array(24).fill(5)];
    await model.forward({ inputIds: longest, decoderInputIds: longest });
    heap = engine.info.heapBytes;
  });
  const invalid = (message) => ({ code: 'invalid_argument', message });

  test('texts that are empty, too long or no texts', async () => {
    for (const empty of ['', '  ', '\n']) await assert.rejects(model.translate(empty), invalid(/empty text/));
    await assert.rejects(model.translate(['the cat', '']), invalid(/input 2 of 2/));
    await assert.rejects(model.translate('cat '.repeat(40)), invalid(/41 tokens long.*24/));
    await assert.rejects(model.translate(5), invalid(/text/));
    await assert.rejects(model.translate([5]), invalid(/text/));
    await assert.rejects(model.generate({}), invalid(/text or a list of token ids/));
    await assert.rejects(model.generate([]), invalid(/no tokens/));
  });

  test('token ids that there are not', async () => {
    for (const id of [30, -1, 1.5, Number.NaN, 2 ** 40]) {
      await assert.rejects(model.generate([5, id]), invalid(/token id .* at place 1; .*0 to 29/));
    }
    await assert.rejects(model.generate([5], { prefix: [99] }), invalid(/prefix.*99/));
    await assert.rejects(
      model.forward({ inputIds: [[5, 99]], decoderInputIds: [[2]] }),
      invalid(/inputIds.*99/),
    );
    await assert.rejects(
      model.forward({ inputIds: [[5]], decoderInputIds: [[2, -3]] }),
      invalid(/decoderInputIds.*-3/),
    );
    await assert.rejects(model.generate([5], { forcedBosTokenId: 99 }), invalid(/forcedBosTokenId 99/));
    await assert.rejects(model.generate([5], { badWordsIds: [[99]] }), invalid(/99/));
  });

  test('options that there are not, or of the wrong kind', async () => {
    await assert.rejects(model.translate(text, { max_new_tokens: 5 }), invalid(/maxNewTokens/));
    await assert.rejects(model.translate(text, { numBeam: 5 }), invalid(/numBeams/));
    for (const [name, value] of [
      ['maxNewTokens', 0],
      ['maxNewTokens', 1.5],
      ['minNewTokens', -1],
      ['numBeams', 0],
      ['numBeams', '4'],
      ['numReturnSequences', 5],
      ['lengthPenalty', Number.NaN],
      ['earlyStopping', 'maybe'],
      ['doSample', 1],
      ['temperature', 0],
      ['topK', -1],
      ['topP', 0],
      ['topP', 1.1],
      ['seed', -1],
      ['seed', 0.5],
      ['repetitionPenalty', 0],
      ['noRepeatNgramSize', -1],
      ['badWordsIds', [3]],
      ['badWordsIds', [[]]],
      ['stop', ['']],
      ['stop', 5],
      ['prefix', [0.5]],
      ['prefix', {}],
      ['outputAttentions', 'yes'],
      ['signal', {}],
    ]) {
      await assert.rejects(
        model.generate(text, { [name]: value }),
        { code: 'invalid_argument' },
        `${name}: ${value}`,
      );
    }
    await assert.rejects(model.translate(text, null), { code: 'invalid_argument' });
    await assert.rejects(model.translate(text, { doSample: true, numBeams: 2 }), invalid(/doSample/));
  });

  test('inputs of forward that do not go together', async () => {
    const forward = (inputs, options) => model.forward(inputs, options);
    await assert.rejects(forward({ inputIds: [[5]] }), invalid(/decoderInputIds is missing/));
    await assert.rejects(forward({}), invalid(/inputIds is missing/));
    await assert.rejects(forward(undefined), invalid(/input of forward must be an object/));
    await assert.rejects(forward({ inputIds: [[5], [5, 6]], decoderInputIds: [[2]] }), invalid(/ragged/));
    await assert.rejects(forward({ inputIds: [[5], [6]], decoderInputIds: [[2]] }), invalid(/batch/));
    await assert.rejects(forward({ inputIds: [[[5]]], decoderInputIds: [[2]] }), invalid(/\[batch, time\]/));
    await assert.rejects(forward({ inputIds: [], decoderInputIds: [[2]] }), invalid(/\[batch, time\]/));
    await assert.rejects(
      forward({ inputIds: [[5]], attentionMask: [[1, 1]], decoderInputIds: [[2]] }),
      invalid(/\[1, 2\].*\[1, 1\]/),
    );
    await assert.rejects(
      forward({ inputIds: [[5]], attentionMask: [[0.5]], decoderInputIds: [[2]] }),
      invalid(/attentionMask/),
    );
    await assert.rejects(forward({ inputIds: [[5]], decoderInputIDs: [[2]] }), invalid(/decoderInputIds/));
    await assert.rejects(forward({ inputIds: [[5]], decoderInputIds: [[2]], pixelValues: [] }), {
      code: 'unsupported',
    });
    const outputs = { outputAttention: true };
    await assert.rejects(
      forward({ inputIds: [[5]], decoderInputIds: [[2]] }, outputs),
      invalid(/outputAttentions/),
    );
  });

  test('an abort while it generates', async () => {
    const reason = new Error('enough');
    const aborted = (error) => error === reason;
    await assert.rejects(model.translate(text, { signal: AbortSignal.abort(reason) }), aborted);
    const texts = Array(2000).fill(text);
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 30);
    await assert.rejects(model.translate(texts, { numBeams: 4, signal: controller.signal }), aborted);
    const second = new AbortController();
    const tokens = [];
    const reading = (async () => {
      for await (const { token } of model.stream(text, { minNewTokens: 20, signal: second.signal })) {
        tokens.push(token);
        second.abort(reason);
      }
    })();
    await assert.rejects(reading, aborted);
    assert.ok(tokens.length > 0);
  });

  test('after all that nothing is lost, and the model goes on', async () => {
    assert.ok((await model.translate(text)).text.length > 0);
    await assert.rejects(model.translate(''), { code: 'invalid_argument' });
    assert.ok(engine.info.heapBytes <= heap, `${engine.info.heapBytes} bytes, ${heap} before`);
  });

  test('dispose: twice is once, and afterwards everything says so', async () => {
    const other = await loadModel(tinyModel(), { engine });
    const withTwo = engine.info.heapBytes;
    await other.dispose();
    await other.dispose();
    assert.ok(engine.info.heapBytes < withTwo);
    for (const use of [
      () => other.translate(text),
      () => other.generate(text),
      () => other.forward({ inputIds: [[5]], decoderInputIds: [[2]] }),
      () => other.stream(text).next(),
    ]) {
      await assert.rejects(use(), { code: 'disposed' });
    }
    assert.ok((await model.translate(text)).text.length > 0);
  });

  test('dispose while it generates', async () => {
    const other = await loadModel(tinyModel(), { engine });
    const waiting = other.translate(Array(500).fill(text), { numBeams: 4 });
    setTimeout(() => other.dispose(), 20);
    await assert.rejects(waiting, { code: 'disposed' });
  });

  test('a model with an engine of its own takes it along', async () => {
    const own = await loadModel(tinyModel());
    await own.dispose();
    await assert.rejects(own.engine.softmax([1, 2]), { code: 'disposed' });
    await assert.rejects(loadModel(tinyModel(), { engine: own.engine }), { code: 'disposed' });
  });
});
