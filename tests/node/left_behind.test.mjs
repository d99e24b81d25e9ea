// What a load, a refusal or a call leaves behind: no open file, no listener on a signal, no download.

import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspectCheckpoint } from '../../build/modules/checkpoint/inspect_checkpoint.js';
import { onAbort } from '../../build/modules/values/aborts.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { configure, Translator } from '../../dist/translator.js';
import { packedFiles } from '../lib/students.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { writeTorch } from '../lib/torch_save.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const listenersOf = (signal) => getEventListeners(signal, 'abort').length;
const bytesOf = (map) => new Map([...map].map(([name, content]) => [name, Buffer.from(content)]));

const gguf = readFileSync(new URL('../fixtures/gguf/llama/q4_0.gguf', import.meta.url));
const small = bytesOf(tinyModel());
const torch = new Map([...small, ['pytorch_model.bin', Buffer.from(writeTorch(tinyTensors(tinyConfig)))]]);
torch.delete('model.safetensors');
const student = bytesOf(packedFiles('xxcc'));

/** Folders by name, and the file that is damaged. */
const folders = {
  gguf: [new Map([['model.gguf', gguf]]), 'model.gguf'],
  safetensors: [small, 'model.safetensors'],
  torch: [torch, 'pytorch_model.bin'],
  student: [student, [...student.keys()].find((name) => name.startsWith('model.'))],
};

function replaced(bytes, text, by) {
  const place = bytes.indexOf(text);
  if (place < 0) return bytes;
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(by), bytes.subarray(place + text.length)]);
}

const damages = {
  'as it is': (bytes) => bytes,
  empty: () => Buffer.alloc(0),
  'the first bytes alone': (bytes) => bytes.subarray(0, 12),
  'cut in the middle': (bytes) => bytes.subarray(0, bytes.length >> 1),
  'a byte short': (bytes) => bytes.subarray(0, -1),
  'a pointer of Git LFS': () =>
    Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'),
  'of another architecture': (bytes) => replaced(bytes, 'llama', 'lllll'),
};

describe('open files', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  const openIn = (folder) =>
    readdirSync('/proc/self/fd').filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
      } catch {
        return false; // that of this listing
      }
    });

  for (const [name, [files, weights]] of Object.entries(folders)) {
    for (const [damage, change] of Object.entries(damages)) {
      test(`${name}, ${damage}`, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'left-'));
        try {
          for (const [file, bytes] of files)
            writeFileSync(join(folder, file), file === weights ? change(bytes) : bytes);
          const source = name === 'gguf' ? join(folder, weights) : folder;
          const outcomes = await Promise.allSettled([
            loadModel(source, { engine }),
            inspectCheckpoint(source),
            loadModel(source, { engine, onProgress: () => assert.fail('a listener that throws') }),
          ]);
          for (const { value } of outcomes) await value?.dispose?.();
          assert.deepEqual(openIn(folder), []);
        } finally {
          rmSync(folder, { recursive: true });
        }
      });
    }
  }
});

describe('listeners', () => {
  test('a signal has one, whoever waits, and none in the end', () => {
    const { signal } = new AbortController();
    const waits = Array.from({ length: 30 }, () => onAbort(signal, assert.fail));
    assert.equal(listenersOf(signal), 1);
    for (const ignore of waits) ignore();
    assert.equal(listenersOf(signal), 0);
  });

  test('all who wait are called once, but for those that another one ends', () => {
    const controller = new AbortController();
    const calls = [];
    const listener = () => calls.push('same');
    onAbort(controller.signal, listener);
    onAbort(controller.signal, () => ignore());
    const ignore = onAbort(controller.signal, assert.fail);
    onAbort(controller.signal, listener)();
    onAbort(controller.signal, () => onAbort(controller.signal, () => calls.push('at once')));
    controller.abort();
    assert.deepEqual(calls, ['same', 'at once']);
    assert.equal(listenersOf(controller.signal), 0);
  });
});

/** A server of files, which may never end what it sends. */
async function serve(files) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url.slice(request.url.lastIndexOf('/') + 1));
    const bytes = files.get(name);
    if (!bytes) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Length': bytes.length });
    if (server.sticksAt !== name) return response.end(bytes);
    response.write(bytes.subarray(0, bytes.length >> 1));
    server.emit('stuck');
    response.on('close', () => server.emit('left'));
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  server.address$ = `http://localhost:${server.address().port}/`;
  return server;
}

describe('downloads', () => {
  for (const [name, [files, weights]] of Object.entries(folders)) {
    test(`${name}: a load by URL leaves no listener, whether it succeeds or not`, async () => {
      const server = await serve(files);
      const { signal } = new AbortController();
      const source = `${server.address$}${name === 'gguf' ? weights : ''}`;
      const model = await loadModel(source, { engine, signal });
      assert.equal(listenersOf(signal), 0);
      await model.dispose();
      files.set(weights, files.get(weights).subarray(0, 40));
      await assert.rejects(loadModel(source, { engine, signal }));
      assert.equal(listenersOf(signal), 0);
      server.closeAllConnections();
      server.close();
    });
  }

  test('the signal of Translator.create ends the download that it began, but not that of others', async () => {
    const files = bytesOf(packedFiles('xxcc'));
    const server = await serve(files);
    server.sticksAt = [...files.keys()].find((name) => name.startsWith('model.'));
    configure({ models: { 'en-fr': { source: server.address$, cache: false } }, load: { cache: false } });
    try {
      const controllers = [new AbortController(), new AbortController()];
      const stuck = once(server, 'stuck');
      const created = controllers.map(({ signal }) =>
        Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', signal }),
      );
      const outcomes = created.map((one) => assert.rejects(one, { name: 'AbortError' }));
      await stuck;
      let isLeft = false;
      const left = once(server, 'left').then(() => (isLeft = true));
      controllers[0].abort();
      await outcomes[0];
      assert.equal(isLeft, false);
      controllers[1].abort();
      await Promise.all([outcomes[1], left]);
      for (const { signal } of controllers) assert.equal(listenersOf(signal), 0);
    } finally {
      configure({});
      server.closeAllConnections();
      server.close();
    }
  });
});

test('calls of one translator, as many at a time as there are, warn of nothing', async () => {
  const warnings = [];
  const warn = (warning) => warnings.push(warning.message);
  process.on('warning', warn);
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 30 }, () => translator.translate('I am hungry.', { signal })));
  assert.equal(listenersOf(signal), 0);
  translator.destroy();
  await new Promise(setImmediate);
  process.off('warning', warn);
  assert.deepEqual(warnings, []);
});
