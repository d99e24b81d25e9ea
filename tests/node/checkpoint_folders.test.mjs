// The sources that models can be loaded from, progress, and aborts.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createEngine, loadModel } from '../../dist/index.js';
import { refusesToLoad } from '../lib/refuses.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const text = 'The cat sat on the mat.';
const json = (value) => new TextEncoder().encode(JSON.stringify(value));
const weightsName = 'model.safetensors';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const refuses = (files, expected, options) => refusesToLoad(engine, files, expected, options);

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

  /** /plain/, /gzip/, /page/ (answers every request), /cut/ (truncated), /broken/ (connection reset), /sick/ (500) */
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

  test('a URL, with and without a trailing slash, compressed', async () => {
    await translates(`${address}/plain`);
    await translates(new URL(`${address}/plain/?key=1`));
    await translates(`${address}/gzip/`);
  });

  test('progress knows the total of a compressed download, which no header of HTTP states', async () => {
    const totals = new Set();
    const onProgress = ({ total }) => totals.add(total);
    const model = await loadModel(`${address}/gzip/`, { engine, onProgress });
    await model.dispose();
    assert.deepEqual([...totals], [files.get(weightsName).length]);
  });

  test('File objects, also from a folder input', async () => {
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

  test('a Map of URLs, as a bundler gives them: of files, of a server, and of bytes in the address', async () => {
    const names = [...files.keys()];
    const onDisk = new Map(names.map((name) => [name, pathToFileURL(join(folder, name))]));
    const onServer = new Map(names.map((name) => [name, new URL(`${address}/plain/${name}?hash=1`)]));
    const data = (bytes) => new URL(`data:application/json;base64,${Buffer.from(bytes).toString('base64')}`);
    const config = data(files.get('config.json'));
    const mixed = new Map([...onServer, ['config.json', config], [weightsName, files.get(weightsName)]]);
    for (const source of [onDisk, onServer, mixed]) {
      const model = await loadModel(source, { engine });
      assert.deepEqual(await model.translate(text), expected);
      await model.dispose();
    }
    const gone = new Map([...onServer, [weightsName, new URL(`${address}/none/weights-4f2a.bin`)]]);
    await refuses(gone, {
      code: 'missing_file',
      message: /weights-4f2a\.bin.*If a bundler left the file behind/,
    });
  });

  test('a Map of URLs as bundles of webpack make them: a path of the server that the page came from', async () => {
    // https://github.com/webpack/webpack: "RelativeUrlRuntimeModule"; Next.js has the same for its client components.
    const relative = (path) =>
      Object.create(URL.prototype, {
        href: { value: path },
        pathname: { value: path.replace(/[?#].*/, '') },
        protocol: { value: '' },
        origin: { value: '' },
      });
    const media = new Map([...files.keys()].map((name) => [name, relative(`/plain/${name}?dpl=1`)]));
    const onServer = {
      code: 'missing_file',
      message: /\/plain\/.* serves a file to pages.*path of the folder/,
    };
    await refuses(media, onServer);
    await refuses(relative('/plain/config.json'), onServer);
    globalThis.location = new URL(`${address}/somewhere/`);
    try {
      const model = await loadModel(media, { engine });
      assert.deepEqual(await model.translate(text), expected);
      await model.dispose();
    } finally {
      delete globalThis.location;
    }
  });

  test('a Map of URLs of which the bundler made scripts', async () => {
    const scripts = new Map(
      [...files.keys()].map((name) => [name, new URL(`${address}/plain/${name}.4f2a.js`)]),
    );
    await refuses(scripts, { code: 'missing_file', message: /made a script of .*config\.json\.4f2a\.js/ });
  });

  test('the models that come with the package', async () => {
    const { default: enFr } = await import('../../dist/en_fr.js');
    const model = await loadModel(enFr, { engine });
    assert.equal((await model.translate('I am hungry.')).text, "J'ai faim.");
    await model.dispose();
    const { default: digits } = await import('../../dist/digits.js');
    const reader = await loadModel(digits, { engine });
    const image = { data: new Uint8Array(28 * 28 * 4), width: 28, height: 28 };
    assert.equal((await reader.classifyImage(image, { topK: 10 })).length, 10);
    await reader.dispose();
  });

  test('a missing file is named in the error', async () => {
    await refuses(join(folder, 'nowhere'), { code: 'missing_file', message: /nowhere.*config\.json/ });
    await refuses(join(folder, 'config.json'), { code: 'missing_file', message: /not inside a folder/ });
    await refuses(`${address}/none/`, { code: 'missing_file', message: /none\/config\.json.*404/ });
    await refuses(`${address}/sick/`, { code: 'missing_file', message: /500/ });
    await refuses(`${address}/page/`, { code: 'missing_file', message: /model\.safetensors.*HTML/ });
    await refuses('http://localhost:1/', { code: 'missing_file', message: /could not be fetched/ });
    await refuses(new Map(), { code: 'missing_file', message: /config\.json/ });
    await refuses([new File(['{}'], 'readme.txt')], {
      code: 'missing_file',
      message: /config\.json.*readme\.txt/,
    });
    const noWeights = tinyModel();
    noWeights.delete(weightsName);
    await refuses(noWeights, { code: 'missing_file', message: /model\.safetensors/ });
    await refuses(noWeights.set('pytorch_model.bin', json({})), {
      code: 'bad_checkpoint',
      message: /pytorch_model\.bin/,
    });
  });

  test('a truncated download', async () => {
    await refuses(`${address}/cut/`, { code: 'bad_checkpoint', message: /model\.safetensors is cut off/ });
    await refuses(`${address}/broken/`, { code: 'missing_file', message: /model\.safetensors.*broke off/ });
  });

  test('sources that are not folders', async () => {
    for (const source of [undefined, null, 5, {}, '', [1, 2]])
      await refuses(source, { code: 'invalid_argument' });
    await refuses(new Map([['config.json', 'text']]), { code: 'invalid_argument', message: /config\.json/ });
  });
});

describe('options', () => {
  test('are checked by name and type', async () => {
    const files = tinyModel();
    await refuses(files, { code: 'invalid_argument', message: /dtype/ }, { dtype: 'f16' });
    await refuses(files, { code: 'invalid_argument', message: /cache/ }, { cache: 'yes' });
    await refuses(new Map([[1, files.get('config.json')]]), {
      code: 'invalid_argument',
      message: /has the name 1, which is not a string/,
    });
    await refuses(files, { code: 'invalid_argument', message: /onProgress/ }, { onprogress: () => {} });
    await refuses(files, { code: 'invalid_argument', message: /engine/ }, { engine: {} });
    await refuses(files, { code: 'invalid_argument', message: /onProgress/ }, { onProgress: 5 });
    const model = await loadModel(files, { engine, dtype: 'f32', cache: false });
    await model.dispose();
  });
});

describe('progress and abort', () => {
  test('progress counts up to the total number of bytes', async () => {
    const files = tinyModel();
    const events = [];
    const model = await loadModel(files, { engine, onProgress: (event) => events.push(event) });
    await model.dispose();
    const total = files.get(weightsName).length;
    assert.deepEqual(events[0], { phase: 'config', file: 'config.json', loaded: 0, total });
    assert.deepEqual(events.at(-1), { phase: 'ready', file: weightsName, loaded: total, total });
    const weights = events.filter(({ phase }) => phase === 'weights');
    assert.ok(weights.length > 10);
    for (const [i, event] of weights.entries()) {
      assert.equal(event.total, total);
      if (i > 0) assert.ok(event.loaded >= weights[i - 1].loaded);
    }
    assert.equal(weights.at(-1).loaded, total);
  });

  test('an abort at each stage of loading rejects with its reason and frees everything', async () => {
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

  test('an exception in onProgress aborts loading', async () => {
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
