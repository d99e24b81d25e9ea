// torch.save files: bitwise the same as the safetensors file next to each, for every format, data type and memory layout.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { readWeights } from '../lib/stored_weights.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { writeTorch } from '../lib/torch_save.mjs';

const fixture = (path) => readFileSync(new URL(`../fixtures/reference/${path}`, import.meta.url));
const asBin = (path) => new Map([['pytorch_model.bin', fixture(path)]]);

async function sameBits(path, reference) {
  const expected = await readWeights(new Map([['model.safetensors', fixture(reference)]]));
  const actual = await readWeights(asBin(path));
  assert.ok(expected.size > 0);
  // safetensors stores equal tensors under one name, torch.save under all.
  assert.ok(actual.size >= expected.size);
  for (const [name, { dtype, shape, bytes }] of expected) {
    const { file, ...found } = actual.get(name) ?? {};
    assert.equal(file, 'pytorch_model.bin');
    assert.deepEqual(found, { dtype, shape, bytes }, name);
  }
}

describe('the same bits as in safetensors', () => {
  const files = [
    ['a whole model', 'marian/pytorch_model.bin', 'marian'],
    ['a module', 'torch_mha_bias_kv_zero/model.pt', 'torch_mha_bias_kv_zero'],
    ['an archive', 'torch_transformer_post_relu/model.pt', 'torch_transformer_post_relu'],
    ['the older format', 'torch_transformer_post_relu/model_legacy_format.pt', 'torch_transformer_post_relu'],
    ['views, shared storages and every kind of number', 'torch_views/pytorch_model.bin', 'torch_views'],
    ['the same in the older format', 'torch_views/model_legacy_format.pt', 'torch_views'],
  ];
  for (const [what, path, folder] of files) {
    test(`${what}: ${path}`, () => sameBits(path, `${folder}/model.safetensors`));
  }

  test('a selection of tensors, also where others share their storage', async () => {
    const names = ['columns', 'tied', 'int64'];
    const some = await readWeights(asBin('torch_views/pytorch_model.bin'), ({ name }) =>
      names.includes(name),
    );
    const all = await readWeights(asBin('torch_views/pytorch_model.bin'));
    assert.deepEqual([...some.keys()].sort(), names.sort());
    for (const name of names) assert.deepEqual(some.get(name), all.get(name));
  });
});

describe('from a server', () => {
  const name = 'pytorch_model.bin';
  const marian = fixture('marian/pytorch_model.bin');
  const model = writeTorch(tinyTensors(tinyConfig));
  let server;
  let address;
  let requests = [];
  before(async () => {
    server = createServer(answer).listen(0);
    await new Promise((resolve) => server.once('listening', resolve));
    address = `http://localhost:${server.address().port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  /** /ranges/, /plain/ (ignores ranges), /none/ (says so), /chunked/ (ranges, but no Content-Length), /plain-chunked/, /changing/ (new version) */
  function answer({ url, headers }, response) {
    const [, kind, asked] = new URL(url, 'http://localhost').pathname.split('/');
    if (asked === 'config.json') return response.end(tinyModel().get(asked));
    if (asked !== name) return response.writeHead(404).end();
    const file = kind.endsWith('model') ? model : marian;
    requests.push(headers.range ?? 'all');
    if (kind === 'changing') response.setHeader('etag', `"${requests.length}"`);
    if (kind === 'none') response.setHeader('accept-ranges', 'none');
    const [, begin, end] = /^bytes=(\d+)-(\d*)$/.exec(headers.range) ?? [];
    if (begin !== undefined && !/^(plain|none)/.test(kind)) {
      const last = end === '' ? file.length - 1 : Number(end);
      response.writeHead(206, { 'content-range': `bytes ${begin}-${last}/${file.length}` });
      return response.end(file.subarray(Number(begin), last + 1));
    }
    if (!kind.includes('chunked')) response.setHeader('content-length', file.length);
    response.write(file.subarray(0, 1000));
    response.end(file.subarray(1000));
  }

  for (const [kind, check] of [
    ['ranges', (ranges) => assert.ok(ranges.length <= 8, ranges.join(' '))],
    ['plain', (ranges) => assert.equal(ranges.filter((range) => range !== 'all').length, 1)],
    ['none', (ranges) => assert.deepEqual(ranges, ['all'])],
    ['chunked', (ranges) => assert.ok(ranges.length <= 9 && ranges[1] === 'bytes=0-', ranges.join(' '))],
    // One request for the length, which is not told, and one for the first range.
    ['plain-chunked', (ranges) => assert.equal(ranges.filter((range) => range !== 'all').length, 2)],
  ]) {
    test(`one that supports ${/^(ranges|chunked)$/.test(kind) ? 'ranges' : 'no ranges'} (${kind})`, async () => {
      requests = [];
      const names = await readWeights(new Map([['model.safetensors', fixture('marian/model.safetensors')]]));
      const isWanted = (tensor) => names.has(tensor.name);
      const found = await readWeights(`${address}/${kind}/`, isWanted);
      assert.deepEqual(found, await readWeights(asBin('marian/pytorch_model.bin'), isWanted));
      check(requests);
    });
  }

  test('a model, with increasing progress, and a note about caching', async () => {
    const home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
    process.env.XDG_CACHE_HOME = home;
    const engine = await createEngine({ threads: 1 });
    const inputs = { inputIds: [[4, 5, 6, 3]], decoderInputIds: [[2, 4, 5]] };
    const reference = await loadModel(tinyModel(), { engine });
    const expected = await reference.forward(inputs);
    for (const kind of ['model', 'plain-model', 'chunked-model']) {
      const events = [];
      const onProgress = (event) => events.push(event);
      const loaded = await loadModel(`${address}/${kind}/`, { engine, onProgress, cache: true });
      assert.deepEqual((await loaded.forward(inputs)).logits, expected.logits);
      assert.equal(loaded.info.bytes, model.length);
      assert.match(
        loaded.info.notes.join(),
        /pytorch_model\.bin is not cached: its server sends neither an ETag nor a date/,
      );
      const bytes = events.filter(({ phase }) => phase === 'weights').map((event) => event.loaded);
      assert.ok(bytes.length > 10 && bytes.every((count, i) => i === 0 || count >= bytes[i - 1]), `${bytes}`);
      assert.equal(bytes.at(-1), model.length);
      // Without a Content-Length the size is in the answers to ranges.
      const [{ phase, total }] = events;
      assert.deepEqual([phase, total], ['config', model.length]);
    }
    const files = await loadModel(tinyModel(), { engine, cache: true });
    assert.match(files.info.notes.join(), /nothing to cache/);
    await engine.dispose();
    delete process.env.XDG_CACHE_HOME;
    await rm(home, { recursive: true });
  });

  test('one whose file changes in the meantime', async () => {
    await assert.rejects(readWeights(`${address}/changing/`), {
      code: 'missing_file',
      message: /changed on the server/,
    });
  });
});
