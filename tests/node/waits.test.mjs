// Every wait for somebody else ends: at its limit, and with the caller's signal. The clock is wound on, the server scripted.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openFolder } from '../../build/modules/files/open_folder.js';
import { onMockClock } from '../lib/mock_clock.mjs';
import { ScriptedServer, site } from '../lib/scripted_server.mjs';

const bytes = new Uint8Array(100).fill(7);
const never = () => new Promise(() => {});

let server;
let stop;
beforeEach(() => {
  server = new ScriptedServer([new Map([['weights.bin', bytes]])]);
  stop = server.start();
});
afterEach(() => {
  stop();
  delete globalThis.caches;
});

/** Reads the file; the notes, and how many bytes it has. */
async function read({ signal, ...options } = {}) {
  const notes = [];
  const note = (sentence) => notes.push(sentence);
  const folder = await openFolder(`${site}/model`, { retries: 0, signal, note, ...options });
  const file = await folder.open('weights.bin', signal);
  let length = 0;
  for await (const piece of file.bytes()) length += piece.length;
  return { length, notes };
}

/** With a signal that ends the work after five seconds of the clock. */
const ended = (work) => {
  const controller = new AbortController();
  return onMockClock(() => {
    setTimeout(() => controller.abort(new Error('enough')), 5000);
    return work(controller.signal);
  });
};

/** The clock also goes on while there is work to do. */
const lasted = (seconds, atLeast, atMost = 600) =>
  assert.ok(seconds >= atLeast && seconds <= atMost, `${seconds} s`);

const stuck = {
  headers: { isStuck: 'headers' },
  bytes: { isStuck: 'body' },
  'an end': { isStuck: 'body', cut: 50 },
};

describe('a server that sends no', () => {
  for (const [what, fault] of Object.entries(stuck)) {
    test(`${what} is left after a minute`, async () => {
      server.script = [fault];
      const { error, seconds } = await onMockClock(() => read());
      assert.match(error.message, /the server did not answer for 60 seconds/);
      assert.equal(error.code, 'missing_file');
      lasted(seconds, 60);
    });

    test(`${what} is asked again`, async () => {
      server.script = [fault];
      const { value, seconds } = await onMockClock(() => read({ retries: 1 }));
      assert.equal(value.length, bytes.length);
      lasted(seconds, 61);
    });

    test(`${what} is left with the signal`, async () => {
      server.script = [fault];
      const { error, seconds } = await ended((signal) => read({ signal }));
      assert.equal(error.message, 'enough');
      lasted(seconds, 5);
    });
  }

  test('answers for as long as it is busy, and the signal ends the pause', async () => {
    server.script = Array(9).fill({ status: 503 });
    const { error, seconds } = await ended((signal) => read({ signal, retries: 8 }));
    assert.equal(error.message, 'enough');
    lasted(seconds, 5);
  });
});

describe('a storage that never answers', () => {
  const storages = {
    'to be opened': { open: never },
    'what it holds': { open: async () => ({ match: never, put: never, delete: never }) },
    'that it has kept': { open: async () => ({ match: async () => undefined, put: never, delete: never }) },
  };
  for (const [what, storage] of Object.entries(storages)) {
    test(`${what} is left after ten seconds, and the file still comes`, async () => {
      globalThis.caches = storage;
      const { value, seconds } = await onMockClock(() => read({ cache: true }));
      assert.equal(value.length, bytes.length);
      assert.equal(value.notes.length, 1);
      assert.match(value.notes[0], /not cached: the storage did not answer for 10 seconds/);
      lasted(seconds, 10);
    });

    test(`${what} is left with the signal`, async () => {
      globalThis.caches = storage;
      const { error, seconds } = await ended(async (signal) => {
        const folder = await openFolder(`${site}/model`, { cache: true, signal, note: () => {} });
        for await (const _ of (await folder.open('weights.bin', signal)).bytes());
      });
      assert.equal(error.message, 'enough');
      lasted(seconds, 5);
    });
  }
});

test('what has been received is kept before an abort is answered', async () => {
  const kept = new Map();
  globalThis.caches = {
    open: async () => ({
      match: async (key) => kept.get(key)?.clone(),
      put: async (key, response) => {
        // A browser's storage takes a while.
        for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
        kept.set(key, response);
      },
      delete: async (key) => kept.delete(key),
    }),
  };
  const controller = new AbortController();
  const folder = await openFolder(`${site}/model`, {
    cache: true,
    signal: controller.signal,
    note: () => {},
  });
  const file = await folder.open('weights.bin', controller.signal);
  const reading = (async () => {
    for await (const piece of file.bytes()) {
      assert.ok(piece.length > 0);
      controller.abort(new Error('enough'));
      controller.signal.throwIfAborted();
    }
  })();
  await assert.rejects(reading, /enough/);
  assert.equal([...kept.keys()].filter((key) => key.endsWith('piece=0')).length, 1);
});

test('where something is kept, a server that sends no headers is left after fifteen seconds', async () => {
  const kept = new Map();
  globalThis.caches = {
    open: async () => ({
      match: async (key) => kept.get(key)?.clone(),
      put: async (key, response) => void kept.set(key, response),
      delete: async (key) => kept.delete(key),
    }),
  };
  await read({ cache: true });
  server.script = [{ isStuck: 'headers' }];
  const { value, seconds } = await onMockClock(() => read({ cache: true, retries: 4 }));
  assert.equal(value.length, bytes.length);
  lasted(seconds, 15, 59);
});
