// What was loaded, by its SHA-256 and its commit, and files that the caller knows by their SHA-256.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { inspectCheckpoint } from '../../build/modules/checkpoint/inspect_checkpoint.js';
import { folderOfMap } from '../../build/modules/files/folder_files.js';
import { openChecked, toHashes, withIntegrity } from '../../build/modules/files/integrity.js';
import { Sha256 } from '../../build/modules/files/sha256_stream.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { refusesToLoad } from '../lib/refuses.mjs';
import { commitOf, modelId, ScriptedServer, site } from '../lib/scripted_server.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { writeTorch } from '../lib/torch_save.mjs';

const digest = (bytes, form) => createHash('sha256').update(bytes).digest(form);
const sri = (bytes) => `sha256-${digest(bytes, 'base64')}`;

const files = tinyModel();
const weights = 'model.safetensors';
const integrity = Object.fromEntries([...files].map(([name, bytes]) => [name, sri(bytes)]));
const digits = Object.fromEntries([...files].map(([name, bytes]) => [name, digest(bytes, 'hex')]));

/** The files, one of which has a space more at its end, or another last byte. */
const changed = (name) => {
  const bytes = Buffer.concat([files.get(name), name.endsWith('.json') ? Buffer.from(' ') : Buffer.alloc(0)]);
  if (!name.endsWith('.json')) bytes[bytes.length - 1] ^= 1;
  return new Map(files).set(name, new Uint8Array(bytes));
};

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

async function infoOf(source, options) {
  const model = await loadModel(source, { engine, ...options });
  await model.dispose();
  return model.info;
}

test('SHA-256 of bytes in pieces of any length', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * i) >> 3);
  for (let length = 0; length < 200; length++) {
    const hash = new Sha256();
    for (let begin = 0; begin < length; begin += (length % 7) + 1)
      hash.add(bytes.subarray(begin, Math.min(length, begin + (length % 7) + 1)));
    assert.equal(hash.end(), digest(bytes.subarray(0, length), 'hex'), `${length} bytes`);
  }
});

describe('integrity', () => {
  test('that holds', async () => {
    const { sha256, commit } = await infoOf(files, { integrity });
    assert.deepEqual(sha256, digits);
    assert.equal(commit, null);
    assert.deepEqual((await infoOf(files)).sha256, {});
  });

  for (const name of files.keys())
    test(`of another ${name}`, () =>
      refusesToLoad(
        engine,
        changed(name),
        {
          code: 'bad_checkpoint',
          message: new RegExp(`${name} is not the file .* its SHA-256 is [\\da-f]{64}`),
        },
        { integrity },
      ));

  test('of a file that the model does not read, and of one that is not there', async () => {
    const more = new Map(files).set('README.md', new Uint8Array([1, 2]));
    await infoOf(more, { integrity: { 'README.md': sri(new Uint8Array([1, 2])) } });
    const wrong = { integrity: { 'README.md': sri(new Uint8Array([1, 3])) } };
    await refusesToLoad(
      engine,
      more,
      { code: 'bad_checkpoint', message: /README\.md is not the file/ },
      wrong,
    );
    await refusesToLoad(
      engine,
      files,
      { code: 'missing_file', message: /integrity names README\.md, but/ },
      wrong,
    );
  });

  test('of weights that are read from the middle', async () => {
    const torch = new Map(files);
    torch.delete(weights);
    const bytes = writeTorch(tinyTensors(tinyConfig));
    torch.set('pytorch_model.bin', bytes);
    const asked = { integrity: { 'pytorch_model.bin': sri(bytes) } };
    await infoOf(torch, asked);
    const other = Uint8Array.from(bytes);
    other[other.length - 1] ^= 1;
    const expected = { code: 'bad_checkpoint', message: /pytorch_model\.bin is not the file/ };
    await refusesToLoad(engine, torch.set('pytorch_model.bin', other), expected, asked);
  });

  test('of bytes that a reader leaves unread', async () => {
    const bytes = new Uint8Array(9 << 20);
    const read = async (wanted) => {
      const folder = withIntegrity(folderOfMap(new Map([['a', new Blob([bytes])]])), toHashes({ a: wanted }));
      for await (const _ of (await folder.open('a')).bytes()) break;
      return folder.hashes();
    };
    assert.deepEqual(await read(sri(bytes)), { a: digest(bytes, 'hex') });
    await assert.rejects(read(sri(bytes.subarray(1))), { code: 'bad_checkpoint' });
  });

  test('that is no hash', async () => {
    const refused = (wrong, message) =>
      refusesToLoad(engine, files, { code: 'invalid_argument', message }, { integrity: wrong });
    await refused('sha256-', /must be an object from file names to hashes/);
    for (const hash of [digits[weights], 'sha256-AAAA', 7, `sha384-${'A'.repeat(44)}`])
      await refused({ [weights]: hash }, /hash of 'model\.safetensors' must be 'sha256-'/);
    const both = { integrity, cache: { as: 'int8' } };
    await refusesToLoad(engine, files, { code: 'invalid_argument', message: /pass one of them/ }, both);
  });
});

describe('integrity behind redirects', () => {
  let home;
  let servers;
  let address;
  /** What the second server sends now. */
  let sent;
  /** How it names a version: as a server may that does not look at the content. */
  let tag;

  /** Answers with a file, or with a range of it. */
  function send({ url, headers }, response) {
    const bytes = sent(url.split('/').at(-1));
    if (bytes === undefined) return response.writeHead(404).end();
    if (typeof bytes === 'string') return response.writeHead(200, { 'content-type': 'text/html' }).end(bytes);
    const [, from] = /^bytes=(\d+)-/.exec(headers.range ?? '') ?? [];
    const begin = Number(from ?? 0);
    const range = { 'content-range': `bytes ${begin}-${bytes.length - 1}/${bytes.length}` };
    const own = { 'content-length': bytes.length - begin, ...(tag && { etag: tag(bytes) }) };
    return response.writeHead(from ? 206 : 200, { ...own, ...(from && range) }).end(bytes.subarray(begin));
  }

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
    process.env.XDG_CACHE_HOME = home;
    const store = createServer(send);
    const front = createServer(({ url }, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${store.address().port}/store${url}` }).end(),
    );
    servers = [store, front];
    for (const server of servers) await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${front.address().port}`;
  });
  after(async () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    delete process.env.XDG_CACHE_HOME;
    await rm(home, { recursive: true });
  });

  const tags = {
    'no versions': null,
    'versions of the content': (bytes) => `"${digest(bytes, 'hex')}"`,
    'the same version for all contents': () => '"1"',
  };
  for (const [what, named] of Object.entries(tags))
    for (const cache of [true, false])
      test(`with ${what}, ${cache ? 'cached' : 'not cached'}`, async () => {
        tag = named;
        const source = `${address}/${encodeURIComponent(what)}-${cache}`;
        const options = { integrity, cache, retries: 0 };
        for (const name of [weights, 'config.json', 'tokenizer.json'].filter((one) => files.has(one))) {
          const other = changed(name);
          sent = (file) => other.get(file);
          const refused = { code: 'bad_checkpoint', message: new RegExp(`${name} is not the file`) };
          await assert.rejects(loadModel(source, { engine, ...options }), refused);
          // What was not meant is not kept: the next load from a sound server is right.
          sent = (file) => files.get(file);
          for (let i = 0; i < 2; i++) assert.deepEqual((await infoOf(source, options)).sha256, digits);
        }
      });

  test('to a page to log in', async () => {
    sent = () => '<html>';
    const refused = { code: 'missing_file', message: /an HTML page in place of the file/ };
    await assert.rejects(loadModel(`${address}/page`, { engine, integrity, retries: 0 }), refused);
  });
});

describe('a model of a hub', () => {
  let home;
  let stop;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
    process.env.XDG_CACHE_HOME = home;
    const server = new ScriptedServer([new Map(), files], { isHub: true });
    server.current = 1;
    stop = server.start();
  });
  after(async () => {
    stop();
    delete process.env.XDG_CACHE_HOME;
    await rm(home, { recursive: true });
  });

  test('says its commit, and the SHA-256 that the hub tells; cached, too', async () => {
    const hub = { host: site };
    for (let i = 0; i < 2; i++) {
      const { commit, sha256 } = await infoOf(modelId, { hub });
      assert.equal(commit, commitOf(1));
      assert.deepEqual(sha256, digits);
    }
    await infoOf(modelId, { hub, integrity });
  });

  test('is inspected', async () => {
    process.env.HF_ENDPOINT = site;
    try {
      const { commit, sha256 } = await inspectCheckpoint(modelId);
      assert.equal(commit, commitOf(1));
      assert.equal(sha256[weights], digits[weights]);
    } finally {
      delete process.env.HF_ENDPOINT;
    }
  });
});

test('a config.json without an end', async () => {
  const spaces = new Uint8Array(5 << 20).fill(0x20);
  const message = /config\.json is too large: more than 4194304 bytes/;
  await refusesToLoad(engine, new Map(files).set('config.json', spaces), { code: 'bad_checkpoint', message });
});

describe('a storage that sites share, by the interface that is proposed', () => {
  /** Keeps what is whole and has its hash, as a browser does. */
  class SharedStorage {
    kept = new Map();
    refuses = false;

    scopes = new Map();

    async requestFileHandle({ algorithm, value }, { create = false, origins } = {}) {
      assert.equal(algorithm, 'SHA-256');
      if (this.refuses) throw new DOMException('people said no', 'NotAllowedError');
      const { kept, scopes } = this;
      if (!create && !kept.has(value)) throw new DOMException('no such file', 'NotFoundError');
      const parts = [];
      return {
        getFile: async () => new Blob([kept.get(value)]),
        createWritable: async () => ({
          write: async (piece) => void parts.push(Uint8Array.from(piece)),
          abort: async () => {},
          async close() {
            const bytes = Buffer.concat(parts);
            if (digest(bytes, 'hex') !== value) throw new DOMException('another content', 'DataError');
            kept.set(value, bytes);
            scopes.set(value, origins);
          },
        }),
      };
    }
  }

  const known = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  let storage;
  beforeEach(() => {
    storage = new SharedStorage();
    const value = { crossOriginStorage: storage };
    Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
  });
  after(() => {
    if (known) Object.defineProperty(globalThis, 'navigator', known);
    else delete globalThis.navigator;
  });

  /** A folder as on a server, whose downloads are kept; counts what is asked of it. */
  function folderOf(content, derived = async () => ({})) {
    const asked = [];
    const folder = folderOfMap(content);
    const open = (name) => {
      asked.push(name);
      return folder.open(name);
    };
    return { asked, folder: { ...folder, derived, open } };
  }

  async function readAll({ folder }, hasToken = false) {
    const checked = await openChecked(folder, integrity, hasToken);
    const found = new Map();
    for (const name of files.keys()) {
      const pieces = [];
      for await (const piece of (await checked.open(name)).bytes()) pieces.push(Uint8Array.from(piece));
      found.set(name, new Uint8Array(Buffer.concat(pieces)));
    }
    return found;
  }

  test('the first site stores what it downloads, the second one downloads nothing', async () => {
    const [first, second] = [folderOf(files), folderOf(new Map())];
    assert.deepEqual(await readAll(first), new Map(files));
    assert.deepEqual([...storage.kept.keys()].sort(), Object.values(digits).sort());
    assert.deepEqual(first.asked, [...files.keys()]);
    assert.deepEqual(await readAll(second), new Map(files));
    assert.deepEqual(second.asked, []);
  });

  test('for every site: what anybody gets from a hub; else for the own site', async () => {
    const { folder } = folderOf(files);
    const ofHub = { folder: { ...folder, commit: () => commitOf } };
    for (const [source, hasToken, origins] of [
      [ofHub, false, '*'],
      [ofHub, true, undefined],
      [{ folder }, false, undefined],
    ]) {
      storage.kept.clear();
      await readAll(source, hasToken);
      assert.deepEqual(new Set(storage.scopes.values()), new Set([origins]));
    }
  });

  test('what is not the file is neither stored nor taken', async () => {
    await assert.rejects(readAll(folderOf(changed(weights))), { code: 'bad_checkpoint' });
    assert.ok(!storage.kept.has(digits[weights]));
    storage.kept.set(digits[weights], changed(weights).get(weights));
    await assert.rejects(readAll(folderOf(files)), { code: 'bad_checkpoint' });
  });

  test('who refuses, or keeps nothing, loads as before', async () => {
    storage.refuses = true;
    assert.deepEqual(await readAll(folderOf(files)), new Map(files));
    storage.refuses = false;
    assert.deepEqual(await readAll(folderOf(files, async () => undefined)), new Map(files));
    assert.equal(storage.kept.size, 0);
  });
});
