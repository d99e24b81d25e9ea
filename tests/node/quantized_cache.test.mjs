// cache: { as: 'int8' }: of a download, the form with matrices in 8 bits is kept, and loaded ever after.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { readFamilyCase } from '../lib/families.mjs';
import { startHub } from '../lib/hub_server.mjs';
import { filesOf8Bits, tensorsOf8Bits } from '../lib/quantized.mjs';
import { assertSameBits } from '../lib/reference.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { writeTorch } from '../lib/torch_save.mjs';

const weights = 'model.safetensors';
const inputs = { inputIds: [[4, 5, 6, 7]], decoderInputIds: [[2, 8, 9]] };
const cache = { as: 'int8' };

let engine;
let files;
let expected;
let home;
let hub;
let models;
before(async () => {
  engine = await createEngine({ threads: 1 });
  files = tinyModel();
  expected = await logitsOf(await loadModel(files, { engine, dtype: 'int8' }));
});
after(() => engine.dispose());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  process.env.XDG_CACHE_HOME = home;
  models = new Map([['owner/name', { files: new Map(files) }]]);
  hub = await startHub(models);
});
afterEach(async () => {
  hub.close();
  delete process.env.XDG_CACHE_HOME;
  await rm(home, { recursive: true });
});

async function logitsOf(model) {
  const { logits } = await model.forward(inputs);
  await model.dispose();
  return logits;
}

const kept = () => join(home, 'transformer-wasm');

async function bytesOnDisk() {
  const sizes = (await readdir(kept())).map(async (name) => (await stat(join(kept(), name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Loads, compares the results, and tells what was asked of the hub. */
async function load(options = {}, wanted = expected) {
  hub.log.length = 0;
  const model = await loadModel('owner/name', { engine, hub: { host: hub.host }, cache, ...options });
  const { dtype, notes, bytes } = model.info;
  assertSameBits(await logitsOf(model), wanted, 'logits');
  assert.equal(dtype, 'int8');
  const requests = hub.log.map(({ url, range }) => ({ name: url.split('/').at(-1), range }));
  return { notes: notes.filter((note) => !note.startsWith('Weights of 8 bits')), bytes, requests };
}

/** Files that were downloaded from the beginning; what does not exist is asked for again. */
const wholes = ({ requests }) =>
  requests
    .filter(({ name, range }) => range === undefined && models.get('owner/name').files.has(name))
    .map(({ name }) => name);

test('keeps a quarter, and loads it ever after', async () => {
  // Several pieces of the cache, of four megabytes each, also in 8 bits.
  const large = tinyModel({ config: { ...tinyConfig, d_model: 256, d_ff: 1500 } });
  models.get('owner/name').files = large;
  const wanted = await logitsOf(await loadModel(large, { engine, dtype: 'int8' }));
  const progress = [];
  const first = await load({ onProgress: (one) => progress.push(one) }, wanted);
  assert.deepEqual(first.notes, []);
  const done = progress.filter(({ phase }) => phase === 'weights');
  assert.ok(done.every(({ loaded, total }, i) => loaded <= total && loaded >= (done[i - 1]?.loaded ?? 0)));
  const size = large.get(weights).length;
  assert.ok(size > 16e6);
  assert.equal(done.at(-1).loaded, size);
  const used = await bytesOnDisk();
  assert.ok(used < 0.27 * size, `${used} of ${size} bytes`);
  const second = await load({}, wanted);
  assert.deepEqual(wholes(second), []);
  assert.ok(second.bytes < 0.27 * size && second.bytes > 0.24 * size);
  assert.equal(await bytesOnDisk(), used);
});

test('works offline, and while the hub fails', async () => {
  await load();
  hub.faults.busy = 1000;
  await load();
  hub.faults.busy = 0;
  hub.faults.isDown = true;
  assert.deepEqual((await load()).requests, []);
});

test('a model that has changed is downloaded and quantised again', async () => {
  await load();
  const model = models.get('owner/name');
  model.version = 'two';
  model.files = tinyModel({ tensors: tinyTensors(tinyConfig, 7) });
  const other = await logitsOf(await loadModel(model.files, { engine, dtype: 'int8' }));
  assert.notDeepEqual(other, expected);
  assert.ok(wholes(await load({}, other)).includes(weights));
  assert.deepEqual(wholes(await load({}, other)), []);
});

test('a damaged record counts as none', async () => {
  await load();
  for (const name of await readdir(kept())) {
    const path = join(kept(), name);
    const text = await readFile(path, 'latin1');
    if (text.includes('"sources"')) await writeFile(path, text.replace('"sources"', '"sour'), 'latin1');
  }
  assert.ok(wholes(await load()).includes(weights));
  assert.deepEqual(wholes(await load()), []);
});

test('a model that changes while it is quantised is made again', async () => {
  const folder = `${hub.host}/owner/name/resolve/main`;
  const loaded = async (options) => logitsOf(await loadModel(folder, { engine, ...options }));
  await loaded({ cache: true });
  const model = models.get('owner/name');
  const next = tinyModel({ tensors: tinyTensors(tinyConfig, 7) });
  // They are all in the cache, and asked for by a request with a redirect; the next one finds the next version.
  let asked = 0;
  hub.log.push = ({ url }) => {
    if (url.endsWith(weights) && ++asked === 2)
      setImmediate(() => Object.assign(model, { version: 'two', files: next }));
  };
  assertSameBits(await loaded({ cache }), expected, 'while it changes');
  const other = await logitsOf(await loadModel(next, { engine, dtype: 'int8' }));
  assert.notDeepEqual(other, expected);
  assertSameBits(await loaded({ cache }), other, 'then');
});

test('a config.json of another version decides nothing for the next load', async () => {
  const model = models.get('owner/name');
  const config = 'config.json';
  // Between two versions, a plain folder may have the config of one with the weights of the other.
  const fewer = tinyModel({ config: { ...tinyConfig, num_encoder_layers: 1 } }).get(config);
  model.versions = new Map([[config, 'other']]);
  model.files.set(config, fewer);
  const folder = `${hub.host}/owner/name/resolve/main`;
  await loadModel(folder, { engine, cache }).then((loaded) => loaded.dispose());
  model.versions = new Map();
  model.files.set(config, files.get(config));
  assertSameBits(await logitsOf(await loadModel(folder, { engine, cache })), expected, 'logits');
});

test('an aborted download resumes', async () => {
  const abort = new AbortController();
  const onProgress = ({ loaded }) => loaded > 0 && abort.abort(new Error('enough'));
  hub.faults.cuts = [4000];
  await assert.rejects(load({ onProgress, signal: abort.signal }), /enough/);
  const { requests } = await load();
  assert.match(requests.find(({ name }) => name === weights).range, /^bytes=[1-9]\d*-$/);
});

test('shards, files of PyTorch, and transposed matrices', async () => {
  const tensors = tinyTensors(tinyConfig);
  const model = models.get('owner/name');
  model.files.delete(weights);
  model.files.set('pytorch_model.bin', writeTorch(tensors));
  await load();
  assert.deepEqual(wholes(await load()), []);
  const gpt2 = readFamilyCase('gpt2');
  model.files = gpt2.files();
  model.version = 'gpt2';
  const ids = { inputIds: [[1, 2, 3]] };
  const results = [];
  for (const source of ['owner/name', 'owner/name', gpt2.files()]) {
    const loaded = await loadModel(source, {
      engine,
      ...(typeof source === 'string' ? { hub: { host: hub.host }, cache } : { dtype: 'int8' }),
    });
    results.push((await loaded.forward(ids)).logits);
    await loaded.dispose();
  }
  assertSameBits(results[0], results[2], 'first load');
  assertSameBits(results[1], results[2], 'second load');
});

test('what is in 8 bits already is kept as it is', async () => {
  const tensors = tensorsOf8Bits();
  models.get('owner/name').files = filesOf8Bits(tensors);
  const wanted = await logitsOf(await loadModel(filesOf8Bits(tensors), { engine }));
  await load({}, wanted);
  assert.deepEqual(wholes(await load({}, wanted)), []);
});

test('where nothing can be kept, the model is quantised while it is loaded', async () => {
  await writeFile(kept(), 'a file in the way');
  assert.match((await load()).notes.join(), /Downloads are not cached: .*EEXIST/);
});

test('a piece that was lost is an error once, and then made again', async () => {
  await load();
  for (const name of await readdir(kept())) {
    const path = join(kept(), name);
    const bytes = await readFile(path);
    if (bytes.length > 5000) await writeFile(path, bytes.subarray(0, 5000));
  }
  await assert.rejects(load(), { code: 'missing_file', message: /cached content was deleted/ });
  await load();
});

describe('what is refused', () => {
  const refused = (options, message) =>
    assert.rejects(loadModel(files, { engine, ...options }), { code: 'invalid_argument', message });

  test('options that make no sense', async () => {
    await refused({ cache: { as: 'int4' } }, /cache\.as must be one of .*int8/);
    await refused({ cache: { at: 'int8' } }, /cache has no 'at'; did you mean 'as'/);
    await refused({ cache: { as: 'int8' }, dtype: 'f32' }, /dtype cannot be 'f32'/);
    await refused({ cache: 'yes' }, /cache must be/);
    await refused({ cache: null }, /cache/);
  });

  test('files that are at hand have nothing to keep', async () => {
    const model = await loadModel(files, { engine, cache });
    assert.match(model.info.notes.join(), /nothing to cache/);
    assertSameBits(await logitsOf(model), expected, 'logits');
  });
});
