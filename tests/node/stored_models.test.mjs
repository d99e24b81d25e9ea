// What an application asks before it loads a model, and about the models that it has kept.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { cardOf } from '../../build/modules/checkpoint/model_card.js';
import { createEngine, describe, forget, loadModel, stored } from '../../dist/index.js';
import { startHub } from '../lib/hub_server.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const weights = 'model.safetensors';
const card = new TextEncoder().encode('---\nlicense: apache-2.0\nlanguage:\n- en\n- fr\n---\n# A model\n');
const files = new Map([...tinyModel(), ['README.md', card]]);

let engine;
let home;
let hub;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  process.env.XDG_CACHE_HOME = home;
  hub = await startHub(
    new Map([
      ['owner/tiny', { files, commit: 'c'.repeat(40) }],
      ['owner/other', { files }],
    ]),
  );
});
afterEach(async () => {
  hub.close();
  delete process.env.XDG_CACHE_HOME;
  await rm(home, { recursive: true });
});

const options = () => ({ hub: { host: hub.host } });
const load = async (id, more) => (await loadModel(id, { engine, ...options(), ...more })).dispose();
const bytesOf = (described, name) => described.files.find((file) => file.name === name);

test('describes a model of a hub without its weights, before and after it is kept', async () => {
  const first = await describe('owner/tiny', options());
  assert.equal(first.family, 'transformer');
  assert.deepEqual([first.license, first.languages], ['apache-2.0', ['en', 'fr']]);
  assert.equal(first.commit, 'c'.repeat(40));
  assert.deepEqual(first.refusals, []);
  assert.equal(first.cached, false);
  assert.deepEqual(bytesOf(first, weights), { name: weights, bytes: files.get(weights).length, cached: 0 });
  assert.ok(!first.files.some(({ name }) => name === 'README.md'));
  assert.deepEqual(await stored(), []);

  await load('owner/tiny');
  const then = await describe('owner/tiny', options());
  assert.equal(then.cached, true);
  for (const { bytes, cached } of then.files) assert.equal(cached, bytes);
});

test('tells what the engine would take', async () => {
  const { bytes, memory, parameters } = await describe(files);
  const model = await loadModel(files, { engine, dtype: 'f32' });
  const { weightBytes } = model.info;
  await model.dispose();
  assert.ok(Math.abs(bytes.f32 / weightBytes - 1) < 0.02, `${bytes.f32} for ${weightBytes}`);
  assert.ok(bytes.int4 < bytes.int8 && bytes.int8 < bytes.f32);
  assert.ok(bytes.f32 <= 4 * parameters);
  assert.ok(memory.f32 > bytes.f32);
});

test('lists what is kept, and forgets one model without the others', async () => {
  const begin = Date.now();
  await load('owner/tiny');
  await load('owner/other', { cache: { as: 'int8' } });
  const kept = await stored();
  assert.deepEqual(kept.map(({ source }) => source).sort(), ['owner/other', 'owner/tiny']);
  for (const { hub: at, bytes, since } of kept) {
    assert.deepEqual(at, { host: hub.host, revision: 'main' });
    assert.ok(bytes > 1000);
    assert.ok(since >= begin && since <= Date.now());
  }
  const { bytes } = kept.find(({ source }) => source === 'owner/tiny');
  assert.equal(await forget('owner/tiny', options()), bytes);
  assert.deepEqual(
    (await stored()).map(({ source }) => source),
    ['owner/other'],
  );
  assert.equal(await forget('owner/tiny', options()), 0);
  assert.equal((await describe('owner/tiny', options())).cached, false);
  // What was made of downloads goes with them.
  assert.ok((await forget('owner/other', options())) > 0);
  assert.deepEqual(await stored(), []);
});

test('a model at an address is listed by it', async () => {
  const address = `${hub.host}/owner/tiny/resolve/main/`;
  await load(address, { hub: undefined, cache: true });
  assert.deepEqual(
    (await stored()).map(({ source }) => source),
    ['owner/tiny'],
  );
  assert.ok((await forget(address)) > 0);
});

test('a model that cannot be loaded is described with the reason', async () => {
  const config = new TextEncoder().encode(JSON.stringify({ model_type: 'nobody_knows' }));
  const { refusals, family } = await describe(new Map(files).set('config.json', config));
  assert.equal(family, 'nobody_knows');
  assert.match(refusals[0], /nobody_knows/);
});

test('refuses options that it does not know, and hears an abort', async () => {
  await assert.rejects(describe(files, { dtype: 'int8' }), { code: 'invalid_argument' });
  await assert.rejects(forget('', {}), { code: 'invalid_argument' });
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(describe('owner/tiny', { ...options(), signal }), { message: 'enough' });
});

test('reads what hubs read of a card, and nothing else', () => {
  const head = (text) => cardOf(`---\n${text}\n---\n# license: mit`);
  assert.deepEqual(head('language: no\nlicense: mit'), { license: 'mit', languages: ['no'] });
  assert.deepEqual(
    head('model-index:\n- name: x\n  results:\n  - task: {a: b}\nlanguage:\n  - de\n  - "zh"\n'),
    {
      license: null,
      languages: ['de', 'zh'],
    },
  );
  assert.deepEqual(head('language: [en, es]\nlicense: other # ask'), {
    license: 'other',
    languages: ['en', 'es'],
  });
  assert.deepEqual(cardOf('# license: mit\nlanguage: en'), { license: null, languages: [] });
  assert.deepEqual(cardOf(`---\n${'language:\n'.repeat(20_000)}`), { license: null, languages: [] });
});
