// What is taken of a server's answers: nothing but the bytes that were asked for, of one version. The server is scripted.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openFolder } from '../../build/modules/files/open_folder.js';
import { readJson } from '../../build/modules/files/read_json.js';
import { TransformerError } from '../../build/modules/index.js';
import { readTensors } from '../../build/modules/weights/read_tensors.js';
import { openSafetensors } from '../../build/modules/weights/safetensors_file.js';
import { hurried } from '../lib/mock_clock.mjs';
import { ScriptedServer, site } from '../lib/scripted_server.mjs';

const bytesOf = (length, seed) =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + seed * 101 + (i >> 8)) & 255);
const name = 'weights.bin';
const [one, two] = [bytesOf(10_000, 1), bytesOf(10_000, 2)];

let home;
let server;
let stop;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  process.env.XDG_CACHE_HOME = home;
  server = new ScriptedServer([new Map([[name, one]]), new Map([[name, two]])]);
  const answer = server.start();
  const wait = hurried();
  stop = () => {
    answer();
    wait();
  };
});
afterEach(async () => {
  stop();
  delete process.env.XDG_CACHE_HOME;
  await rm(home, { recursive: true });
});

/** The file's bytes. */
async function read({ cache = false, retries = 1 } = {}) {
  const notes = [];
  const folder = await openFolder(`${site}/model`, {
    cache,
    retries,
    note: (sentence) => notes.push(sentence),
  });
  const file = await folder.open(name);
  const pieces = [];
  for await (const piece of file.bytes()) pieces.push(piece.slice());
  return { bytes: new Uint8Array(Buffer.concat(pieces)), notes };
}

/** A range of the file, by random access. */
async function readRange(begin, end) {
  const folder = await openFolder(`${site}/model`, { retries: 1 });
  const seekable = await (await folder.open(name)).seekable();
  const pieces = [];
  for await (const piece of seekable.bytes(begin, end)) pieces.push(piece.slice());
  return new Uint8Array(Buffer.concat(pieces));
}

/** The content, without a message of 10,000 numbers where it differs. */
const assertIs = (bytes, wanted) =>
  assert.ok(Buffer.compare(bytes, wanted) === 0, `${bytes.length} bytes, of ${wanted.length}, differ`);

const isRefused = (promise) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof TransformerError);
    assert.equal(error.code, 'missing_file');
    assert.match(error.message, /changed on the server|broke off|could not be fetched/);
    return true;
  });

const ranges = () => server.log.map(({ range }) => range);

describe('a part that is not the one asked for', () => {
  const lies = {
    'begins later': { shift: 5 },
    'has no range': { range: '' },
    'has a range of other units': { range: 'items 4000-9999/10000' },
    'begins before': { range: 'bytes 3999-9999/10000' },
    'ends before it begins': { range: 'bytes 4000-3999/10000' },
    'ends beyond the file': { range: 'bytes 4000-10000/10000' },
    'is of a longer file': { range: 'bytes 4000-9999/10001' },
    'is of a shorter file': { range: 'bytes 4000-9998/9999' },
  };
  for (const [what, lie] of Object.entries(lies))
    test(`${what}: the whole file is asked for instead`, async () => {
      server.script = [{ cut: 4000 }, lie];
      assertIs((await read()).bytes, one);
      assert.deepEqual(ranges(), [undefined, 'bytes=4000-', undefined]);
      // In random access too, and what was kept is as good as what is sent.
      server.script = [{}, { ...lie, ...(lie.range && { range: 'bytes 0-9/20' }) }];
      assertIs(await readRange(100, 200), one.subarray(100, 200));
      server.script = [{ cut: 4000 }, lie];
      assertIs((await read({ cache: true })).bytes, one);
      assertIs((await read({ cache: true })).bytes, one);
    });

  test('goes on further than asked', async () => {
    server.script = [{}, { excess: 50 }];
    assertIs(await readRange(100, 200), one.subarray(100, 200));
  });

  test('of a size that nobody tells is taken', async () => {
    server.script = [{ cut: 4000 }, { range: 'bytes 4000-9999/*' }];
    assertIs((await read()).bytes, one);
    assert.deepEqual(ranges(), [undefined, 'bytes=4000-']);
  });
});

describe('two versions of a file', () => {
  test('are not mixed within a download', async () => {
    server.script = [{ cut: 4000 }, { publish: 1 }];
    await isRefused(read());
    server.current = 0;
    server.script = [{ cut: 4000 }, { publish: 1, isWhole: true }, { isWhole: true }];
    await isRefused(read());
  });

  test('are not mixed with what is kept', async () => {
    server.script = [{ cut: 4000 }, { isDown: true }, { isDown: true }];
    await isRefused(read({ cache: true }));
    server.current = 1;
    assertIs((await read({ cache: true })).bytes, two);
    assertIs((await read({ cache: true })).bytes, two);
  });

  test('are not mixed in random access', async () => {
    server.script = [{}, { publish: 1 }];
    await isRefused(readRange(100, 200));
  });
});

describe('a compressed body', () => {
  test('that broke off goes on in the plain form', async () => {
    server.script = [{ isZipped: true, cut: 4000 }];
    assertIs((await read()).bytes, one);
    assert.deepEqual(ranges(), [undefined, 'bytes=4000-']);
  });

  test('that broke off in an earlier load goes on too', async () => {
    server.script = [{ isZipped: true, cut: 4000 }, { isDown: true }, { isDown: true }];
    await isRefused(read({ cache: true }));
    server.log.length = 0;
    assertIs((await read({ cache: true })).bytes, one);
    assert.deepEqual(ranges(), ['bytes=4000-']);
    server.log.length = 0;
    assertIs((await read({ cache: true })).bytes, one);
    assert.deepEqual(ranges(), ['bytes=9999-']);
  });

  test('of which a range is sent is asked for as a whole', async () => {
    server.script = [{ cut: 4000 }, { isWhole: true, isZipped: true }];
    assertIs((await read()).bytes, one);
  });
});

describe('a body that ends early without a length', () => {
  test('is completed', async () => {
    server.script = [{ short: 4000 }];
    assertIs((await read({ cache: true })).bytes, one);
    assertIs((await read({ cache: true })).bytes, one);
  });

  test('is not kept as whole where nothing tells the size', async () => {
    server.script = [
      { short: 4000, hasNoRanges: true },
      { isBare: true, hasNoRanges: true },
    ];
    const { notes } = await read({ cache: true });
    assert.match(notes.join(), /does not tell where it ends/);
    assertIs((await read({ cache: true })).bytes, one);
  });

  test('is refused where the server does not tell versions apart', async () => {
    server.script = [{ short: 4000, isUnnamed: true }, { isUnnamed: true }];
    await isRefused(read());
  });

  test('of an empty file, and one that ends where it should', async () => {
    server.versions[0] = new Map([[name, new Uint8Array(0)]]);
    server.script = [{ isBare: true }];
    assert.equal((await read()).bytes.length, 0);
    server.current = 1;
    server.script = [{ isBare: true }];
    assertIs((await read({ cache: true })).bytes, two);
  });
});

describe('a body without a length whose content tells its end', () => {
  const settings = { model_type: 'marian', layers: [1, 2, { depth: 3 }] };
  const json = Buffer.from(`${JSON.stringify(settings)}\n`);
  const header = Buffer.from(
    JSON.stringify({ weights: { dtype: 'U8', shape: [10_000], data_offsets: [0, 10_000] } }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const tensors = Buffer.concat([length, header, one]);

  const open = (bytes, cache) => {
    server.versions[0] = new Map([[name, bytes]]);
    return openFolder(`${site}/model`, { cache, retries: 1, note() {} });
  };
  async function tensorOf(folder) {
    const file = await openSafetensors(folder, name, {});
    const pieces = [];
    for await (const { bytes } of readTensors(file, () => true)) pieces.push(bytes.slice());
    return Buffer.concat(pieces);
  }

  for (const cache of [false, true]) {
    const kept = cache ? ', kept' : '';
    test(`JSON is asked for once${kept}`, async () => {
      const folder = await open(json, cache);
      server.script = [{ isBare: true }];
      assert.deepEqual(await readJson(folder, name), settings);
      assert.deepEqual(ranges(), [undefined]);
      if (cache) assert.deepEqual(await readJson(folder, name), settings);
    });

    test(`safetensors are asked for once${kept}`, async () => {
      const folder = await open(tensors, cache);
      server.script = [{ isBare: true }];
      assertIs(await tensorOf(folder), one);
      assert.deepEqual(ranges(), [undefined]);
      if (cache) assertIs(await tensorOf(folder), one);
    });

    test(`both are completed where they end early${kept}`, async () => {
      const folder = await open(json, cache);
      const inner = json.indexOf('}') + 1;
      for (const short of [json.length - 5, inner, 1]) {
        server.script = [{ short }];
        assert.deepEqual(await readJson(folder, name), settings);
      }
      const other = await open(tensors, cache);
      for (const short of [4, 50, 4000]) {
        server.script = [{ short }];
        assertIs(await tensorOf(other), one);
      }
    });
  }

  test('what is no JSON is reported as before', async () => {
    const folder = await open(Buffer.from('{"a": [1, 2}}'), false);
    server.script = [{ isBare: true }];
    await assert.rejects(readJson(folder, name), { code: 'bad_checkpoint', message: /is not JSON/ });
  });

  test('bytes after the last tensor are still refused', async () => {
    const folder = await open(Buffer.concat([tensors, Buffer.from('more')]), false);
    server.script = [{ isBare: true }];
    await assert.rejects(tensorOf(folder), { code: 'bad_checkpoint', message: /continues after its last/ });
  });
});
