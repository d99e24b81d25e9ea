// Models by their ids on a hub: redirects, ranges, refusals, retries, and the cache on disk.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { startHub, watchReads } from '../lib/hub_server.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const text = 'The cat sat on the mat.';
const weights = 'model.safetensors';
const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4665\nsize 296000000\n';

let engine;
let home;
let hub;
let models;
let expected;
const files = tinyModel();

before(async () => {
  engine = await createEngine({ threads: 1 });
  const model = await loadModel(files, { engine });
  expected = (await model.translate(text)).text;
  await model.dispose();
});
after(() => engine.dispose());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  process.env.XDG_CACHE_HOME = home;
  models = new Map([
    ['owner/tiny', { files: new Map(files), revisions: ['main', 'refs/pr/1'] }],
    ['owner/gated', { files, isGated: true }],
    ['owner/private', { files, isPrivate: true }],
    ['classic', { files }],
  ]);
  hub = await startHub(models);
});
afterEach(async () => {
  hub.close();
  delete process.env.XDG_CACHE_HOME;
  await rm(home, { recursive: true });
});

/** Loads, translates, and tells what was requested. */
async function load(id, options = {}) {
  hub.log.length = 0;
  const { hub: asked, ...others } = options;
  const model = await loadModel(id, { engine, hub: { host: hub.host, ...asked }, ...others });
  const { text: translation } = await model.translate(text);
  const { notes } = model.info;
  await model.dispose();
  assert.equal(translation, expected);
  return { notes, requests: hub.log.map(({ url, range }) => ({ name: url.split('/').at(-1), range })) };
}

const refuses = (id, message, { code = 'missing_file', ...options } = {}) =>
  assert.rejects(
    loadModel(id, { engine, retries: 0, ...options, hub: { host: hub.host, ...options.hub } }),
    (error) => {
      assert.ok(error instanceof TransformerError);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    },
  );

describe('a hub', () => {
  test('large files come from another origin, which does not get the token', async () => {
    await load('owner/private', { hub: { token: 'hf_secret' } });
    const store = hub.log.filter(({ host }) => hub.storeHost.endsWith(host));
    assert.ok(store.length > 0);
    assert.deepEqual(
      store.map(({ authorization }) => authorization),
      store.map(() => undefined),
    );
    assert.ok(
      hub.log.some(
        ({ host, authorization }) => hub.host.endsWith(host) && authorization === 'Bearer hf_secret',
      ),
    );
  });

  test('ids without an owner, revisions with a slash, addresses that end in one', async () => {
    await load('classic');
    await load('owner/tiny', { hub: { revision: 'refs/pr/1' } });
    assert.ok(hub.log.every(({ url }) => url.includes('/resolve/refs%2Fpr%2F1/')));
    await load('owner/tiny', { hub: { host: `${hub.host}/` } });
  });

  test('host and token of the environment; the token goes to nobody else, and not in the clear', async () => {
    Object.assign(process.env, { HF_ENDPOINT: hub.host, HF_TOKEN: 'hf_secret' });
    const realFetch = globalThis.fetch;
    try {
      await load('owner/tiny', { hub: { host: undefined } });
      await assert.rejects(
        loadModel('owner/private', { engine }),
        /there is no folder owner\/private in .*; on the hub: .*private.*HF_TOKEN goes only to/,
      );
      await load('owner/private', { hub: { token: 'hf_secret' } });
      const sent = new Set();
      globalThis.fetch = async (url, { headers }) => {
        sent.add(`${new URL(url).origin} ${headers.Authorization}`);
        return new Response(null, { status: 404 });
      };
      process.env.HF_ENDPOINT = 'https://mirror.example/';
      for (const host of [
        undefined,
        'https://huggingface.co',
        'https://other.example',
        'http://mirror.example',
      ])
        await refuses('owner/tiny', /404/, { cache: false, hub: { host } });
      assert.deepEqual(
        [...sent],
        [
          'https://mirror.example Bearer hf_secret',
          'https://huggingface.co Bearer hf_secret',
          'https://other.example undefined',
          'http://mirror.example undefined',
        ],
      );
    } finally {
      globalThis.fetch = realFetch;
      delete process.env.HF_ENDPOINT;
      delete process.env.HF_TOKEN;
    }
  });

  test('all files are of the commit of the first one', async () => {
    const model = models.get('owner/tiny');
    model.commit = 'a'.repeat(40);
    await load('owner/tiny');
    const urls = hub.log.map(({ url }) => url);
    assert.ok(urls[0].includes('/resolve/main/config.json'));
    assert.ok(urls.length > 5 && urls.slice(1).every((url) => url.includes(`/resolve/${model.commit}/`)));
    // The branch moves: what has not changed is not downloaded again.
    model.commit = 'b'.repeat(40);
    const { requests } = await load('owner/tiny');
    assert.ok(requests.filter(({ name }) => files.has(name)).every(({ range }) => range !== undefined));
    assert.ok(hub.log.slice(1).every(({ url }) => url.includes(`/resolve/${model.commit}/`)));
    // Another commit's config.json, and then no network: the weights that are kept are of the one before.
    model.commit = 'c'.repeat(40);
    model.versions = new Map([['config.json', 'new']]);
    hub.faults.onlyFirst = true;
    await refuses('owner/tiny', /what is kept of it is of another commit/);
    hub.faults.isDown = true;
    await refuses('owner/tiny', /what is kept of it is of another commit/);
    Object.assign(hub.faults, { onlyFirst: false, isDown: false });
    await load('owner/tiny');
  });

  test('ids and revisions whose dots lead elsewhere', async () => {
    const code = 'invalid_argument';
    for (const id of ['owner/.', './tiny', 'owner/a..b', '.hidden/tiny', 'owner/tiny.'])
      await refuses(id, /not the id of a model/, { code });
    for (const revision of ['..', '.', 'a/../b'])
      await refuses('owner/tiny', /hub\.revision/, { code, hub: { revision } });
  });

  test('a folder of the same name wins, unless the hub is asked for', async () => {
    await mkdir(join(home, 'owner/tiny'), { recursive: true });
    const before = process.cwd();
    process.chdir(home);
    try {
      await assert.rejects(loadModel('owner/tiny', { engine }), /there is no file owner\/tiny\/config\.json/);
      await load('owner/tiny');
    } finally {
      process.chdir(before);
    }
  });

  test('says why it refuses', async () => {
    const missing =
      /there is no model 'owner\/none' at .*or it is private: check the id; if it is private, pass hub/;
    await refuses('owner/none', missing);
    await refuses('owner/none', /the token given has no access/, { hub: { token: 'hf_secret' } });
    await refuses(
      'owner/gated',
      /'owner\/gated' is gated: ask for access at .*\/owner\/gated; then pass hub/,
    );
    await refuses('owner/gated', /gated.*the token given has no access/, { hub: { token: 'hf_other' } });
    await refuses('owner/tiny', /has no revision 'dev'/, { hub: { revision: 'dev' } });
    models.get('owner/tiny').files.delete(weights);
    await refuses('owner/tiny', /model\.safetensors: the server answered 404/);
  });

  test('ids and options that cannot be right', async () => {
    const code = 'invalid_argument';
    await refuses('../../etc', /not the id of a model/, { code });
    await refuses('a/b/c', /not the id of a model/, { code });
    await refuses('owner/..', /not the id of a model/, { code });
    await refuses('owner/tiny', /hub has no 'revison'; did you mean 'revision'/, {
      code,
      hub: { revison: 'x' },
    });
    await refuses('owner/tiny', /hub\.host is not valid/, { code, hub: { host: 'file:///etc' } });
    await assert.rejects(
      loadModel('owner/tiny', { engine, hub: { host: hub.host, token: 'hf_a\nb' } }),
      ({ message }) => /hub\.token is not valid/.test(message) && !message.includes('hf_a'),
    );
    await refuses('owner/tiny', /retries must be an integer/, { code, retries: -1 });
  });

  test('a pointer in place of a large file is called so', async () => {
    const bytes = new TextEncoder().encode(pointer);
    models.get('owner/tiny').files.set(weights, bytes);
    await refuses('owner/tiny', /model\.safetensors is a pointer of Git LFS/, { code: 'bad_checkpoint' });
    const folder = new Map(files);
    folder.delete(weights);
    await refuses('owner/tiny', /./, { code: 'bad_checkpoint' });
    for (const name of [weights, 'pytorch_model.bin', 'tokenizer.json']) {
      const withPointer = new Map([...folder, ...(name === 'tokenizer.json' ? files : []), [name, bytes]]);
      await assert.rejects(loadModel(withPointer, { engine }), ({ code, message }) => {
        assert.equal(code, 'bad_checkpoint');
        assert.ok(message.startsWith(`${name} is a pointer of Git LFS`), message);
        return true;
      });
    }
  });
});

describe('retries', () => {
  test('a busy server is asked again, after the pause that it wants', async () => {
    Object.assign(hub.faults, { busy: 2, retryAfter: '1' });
    const begin = performance.now();
    await load('owner/tiny');
    assert.ok(performance.now() - begin >= 1990);
    hub.faults.busy = 1;
    await refuses('owner/tiny', /503/, { cache: false });
  });

  test('a download that breaks off goes on where it ended', async ({ mock }) => {
    const size = files.get(weights).length;
    hub.faults.arrived = watchReads(mock);
    hub.faults.cuts = [1000, 2000, 3000];
    const { requests } = await load('owner/tiny');
    const ranges = requests.filter(({ name, range }) => name === weights && range).map(({ range }) => range);
    assert.deepEqual([...new Set(ranges)], ['bytes=1000-', 'bytes=3000-', 'bytes=6000-']);
    assert.ok(size > 6000);
    // Without a cache too.
    hub.faults.cuts = [500];
    await load('owner/tiny', { cache: false });
  });

  test('a server that brings nothing any more is given up', async () => {
    hub.faults.cuts = [1000, 0, 0];
    await refuses('owner/tiny', /model\.safetensors: the connection broke off/, { retries: 1, cache: false });
  });

  test('an abort ends the pause', async () => {
    Object.assign(hub.faults, { busy: 9, retryAfter: '20' });
    const signal = AbortSignal.timeout(100);
    await assert.rejects(loadModel('owner/tiny', { engine, signal, hub: { host: hub.host } }), /timeout/i);
  });
});

describe('the cache on disk', () => {
  test('is on for a hub: the next load asks only for versions', async () => {
    assert.deepEqual((await load('owner/tiny')).notes, []);
    assert.ok((await readdir(join(home, 'transformer-wasm'))).length > 0);
    const { requests } = await load('owner/tiny');
    const found = requests.filter(({ name }) => files.has(name));
    assert.ok(found.length > 0 && found.every(({ range }) => range !== undefined));
  });

  test('works offline after the first load, without a pause', async (t) => {
    await load('owner/tiny');
    hub.faults.isDown = true;
    assert.deepEqual((await load('owner/tiny')).requests, []);
    const timers = t.mock.method(globalThis, 'setTimeout');
    await load('owner/tiny');
    // Pauses before repetitions take from 0.15 s to 4 s; longer ones are limits of answers.
    const delays = timers.mock.calls.map(({ arguments: [, delay] }) => delay);
    assert.deepEqual(
      delays.filter((delay) => delay >= 150 && delay < 5000),
      [],
    );
  });

  test('a file that is refused is not absent: what is kept is used with a note, else the status is named', async () => {
    models
      .get('owner/tiny')
      .files.set('generation_config.json', new TextEncoder().encode('{"do_sample":false}'));
    for (const status of [401, 403, 408, 429, 451, 418, 204, 301]) {
      hub.faults.refuse = new Map([['generation_config.json', status]]);
      await refuses('owner/tiny', /generation_config|gated|no model/, { cache: false });
    }
    hub.faults.refuse.clear();
    await load('owner/tiny');
    for (const status of [401, 403, 408, 429, 451]) {
      hub.faults.refuse = new Map([['generation_config.json', status]]);
      const { notes } = await load('owner/tiny', { retries: 0 });
      assert.match(notes.join(), /what was kept of it is used/);
    }
    hub.faults.refuse = new Map([['generation_config.json', 410]]);
    assert.deepEqual((await load('owner/tiny')).notes, []);
  });

  test('a piece whose content or header was changed is downloaded again', async () => {
    await load('owner/tiny');
    const folder = join(home, 'transformer-wasm');
    for (const where of [(bytes) => bytes.length - 5, (bytes) => bytes.indexOf('x-piece') + 20]) {
      for (const name of await readdir(folder)) {
        const bytes = await readFile(join(folder, name));
        bytes[where(bytes)] = '%'.charCodeAt(0);
        await writeFile(join(folder, name), bytes);
      }
      await load('owner/tiny');
    }
  });

  test('works while the hub fails', async () => {
    await load('owner/tiny');
    hub.faults.busy = 1000;
    await load('owner/tiny');
  });

  test('a changed file is downloaded again', async () => {
    await load('owner/tiny');
    models.get('owner/tiny').version = 'two';
    const { requests } = await load('owner/tiny');
    assert.ok(requests.some(({ name, range }) => name === weights && range === undefined));
  });

  test('an aborted download resumes', async () => {
    const controller = new AbortController();
    const onProgress = ({ loaded }) => loaded > 0 && controller.abort(new Error('enough'));
    const options = { engine, hub: { host: hub.host }, onProgress, signal: controller.signal };
    hub.faults.cuts = [4000];
    await assert.rejects(loadModel('owner/tiny', options), /enough/);
    const { requests } = await load('owner/tiny');
    const [first] = requests.filter(({ name }) => name === weights);
    assert.match(first.range, /^bytes=[1-9]\d*-$/);
  });

  test('a damaged or truncated piece is downloaded again', async () => {
    await load('owner/tiny');
    const folder = join(home, 'transformer-wasm');
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name));
      if (bytes.length > 5000) await writeFile(join(folder, name), bytes.subarray(0, 3000));
      else if (bytes.length > 2500) await writeFile(join(folder, name), 'no headers');
    }
    await load('owner/tiny');
    await load('owner/tiny');
  });

  test('off where it is not wanted, and noted where nothing can be kept', async () => {
    await load('owner/tiny', { cache: false });
    assert.deepEqual(await readdir(home), []);
    await writeFile(join(home, 'transformer-wasm'), 'a file in the way');
    assert.match((await load('owner/tiny')).notes.join(), /Downloads are not cached: .*EEXIST/);
  });
});
