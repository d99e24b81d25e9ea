// Generations and streams that their callers leave: however they end, the engine's heap is what it was before.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';

const folder = new URL('../../dist/models/en-fr', import.meta.url);
const text = 'The dog saw nine cats. The street was too wide. I am hungry. We ran to the house.';
const reason = new Error('enough');

/** How a stream can end before its end. */
const ends = {
  'by break': async (stream) => {
    for await (const _ of stream) break;
  },
  'by break after three': async (stream) => {
    let count = 0;
    for await (const _ of stream) if (++count === 3) break;
  },
  'by an error of the loop': (stream) =>
    assert.rejects(async () => {
      for await (const _ of stream) throw reason;
    }, reason),
  'before it began': (stream) => stream.return(),
  'by return while it computes': async (stream) => {
    await stream.next();
    const next = stream.next();
    await stream.return();
    await next;
  },
  'by throw': async (stream) => {
    await stream.next();
    await assert.rejects(stream.throw(reason), (error) => error === reason);
  },
};

/** @returns options with a signal that aborts after as many milliseconds */
const abortedAfter = (milliseconds) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), milliseconds);
  return { signal: controller.signal };
};

for (const worker of [false, true])
  describe(worker ? 'in a worker' : 'in the calling thread', () => {
    const long = { minNewTokens: 40, maxNewTokens: 40 };
    let engine;
    let model;
    before(async () => {
      engine = await createEngine({ threads: 1, worker });
      model = await loadModel(folder, { engine, prefixCacheBytes: 0 });
    });
    after(() => engine.dispose());

    /** Another call comes after what was left, and has the right result. */
    async function heapIsKept(work) {
      const expected = await model.translate(text);
      const before = engine.info.heapBytes;
      for (let i = 0; i < 3; i++) await work();
      assert.deepEqual(await model.translate(text), expected);
      assertHeap(engine, before);
    }

    const streams = {
      stream: () => model.stream(text, long),
      'stream with beams': () => model.stream(text, { ...long, numBeams: 4 }),
      streamTranslation: () => model.streamTranslation(text, { numBeams: 3 }),
    };
    for (const [name, open] of Object.entries(streams))
      for (const [how, end] of Object.entries(ends))
        test(`${name} that ends ${how}`, () => heapIsKept(() => end(open())));

    for (const milliseconds of [0, 2, 10])
      test(`a generation that is aborted after ${milliseconds} ms`, () =>
        heapIsKept(async () => {
          const options = { ...long, numBeams: 4, ...abortedAfter(milliseconds) };
          await model.translate([text, text], options).catch((error) => assert.equal(error, reason));
        }));

    test('a generation whose listener throws', () =>
      heapIsKept(async () => {
        const onProgress = () => {
          throw reason;
        };
        await assert.rejects(model.translate(text, { onProgress }), (error) => error === reason);
      }));

    test('a stream that nobody reads on while others come and go', () =>
      heapIsKept(async () => {
        const left = model.stream(text, long);
        await left.next();
        for (let i = 0; i < 3; i++) await model.translate('I am hungry.');
        await sleep(5);
        await left.return();
      }));

    test('a stream whose model is disposed of', () =>
      heapIsKept(async () => {
        const other = await loadModel(folder, { engine });
        const open = other.stream(text, long);
        await open.next();
        await other.dispose();
        // What had been computed by then still comes.
        const rest = async () => {
          for await (const { token } of open) assert.equal(typeof token, 'string');
        };
        await rest().catch((error) => assert.equal(error.code, 'disposed'));
      }));
  });
