// Generations in a worker: it runs on by itself, whatever its caller is busy with, and notices when it is no longer wanted.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { LatestReport } from '../../build/modules/worker/latest_report.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';

const texts = Array.from({ length: 24 }, (_, i) => `The dog saw ${i} cats because the street was too wide.`);

describe('generations in a worker', () => {
  let engine;
  let model;
  let here;
  before(async () => {
    const folder = new URL('../../dist/models/en-fr', import.meta.url);
    engine = await createEngine({ threads: 1, worker: true });
    model = await loadModel(folder, { engine });
    here = await loadModel(folder, { engine: await createEngine({ threads: 1, worker: false }) });
  });
  after(() => Promise.all([engine.dispose(), here.engine.dispose()]));

  test('the number of requests does not grow with the length', async () => {
    const { postMessage } = Worker.prototype;
    let requests = 0;
    Worker.prototype.postMessage = function count(...args) {
      requests += 1;
      return postMessage.apply(this, args);
    };
    try {
      await model.translate(texts[0], { minNewTokens: 60, maxNewTokens: 60, numBeams: 4 });
      const long = requests;
      await model.translate(texts[0], { maxNewTokens: 1, numBeams: 4 });
      assert.equal(long, requests - long);
    } finally {
      Worker.prototype.postMessage = postMessage;
    }
  });

  test('results are those of an engine in the calling thread, streamed or not, beside each other', async () => {
    const [expected, one] = [await here.translate(texts, { numBeams: 3 }), await here.translate(texts[3])];
    const streamed = async () => {
      let text = '';
      for await (const chunk of model.stream(texts[3])) text += chunk.text;
      return text;
    };
    const [all, first, second] = await Promise.all([
      model.translate(texts, { numBeams: 3 }),
      streamed(),
      streamed(),
    ]);
    assert.deepEqual(
      all.map(({ text, score }) => ({ text, score })),
      expected.map(({ text, score }) => ({ text, score })),
    );
    assert.deepEqual([first, second], [one.text, one.text]);
  });

  test('an abort rejects while the worker computes; the rest of the engine goes on', async () => {
    await model.translate(texts[0]);
    const heap = engine.info.heapBytes;
    const controller = new AbortController();
    const reason = new Error('enough');
    const aborted = model.translate(texts, { numBeams: 5, signal: controller.signal });
    const other = model.translate(texts[1]);
    setTimeout(() => controller.abort(reason), 5);
    await assert.rejects(aborted, (error) => error === reason);
    assert.equal((await other).text, (await here.translate(texts[1])).text);
    await model.translate(texts[0]);
    assertHeap(engine, heap);
  });

  test('leaving a stream ends its run', async () => {
    const heap = engine.info.heapBytes;
    for await (const _ of model.stream(texts[0], { minNewTokens: 60, maxNewTokens: 60 })) break;
    await model.translate(texts[0]);
    assertHeap(engine, heap);
  });

  test('disposing of the engine rejects a generation that runs', async () => {
    const other = await createEngine({ threads: 1, worker: true });
    const its = await loadModel(new URL('../../dist/models/en-fr', import.meta.url), { engine: other });
    const outcome = assert.rejects(its.translate(texts, { numBeams: 5 }), { code: 'disposed' });
    await new Promise((resolve) => setTimeout(resolve, 60)); // it runs by now
    await other.dispose();
    await outcome;
  });
});

describe('LatestReport', () => {
  test('a reader takes the latest report, each once', async () => {
    const report = new LatestReport();
    report.resolve(1);
    report.resolve(2);
    assert.equal(await report.next(), 2);
    const next = report.next();
    report.resolve(3);
    assert.equal(await next, 3);
  });

  test('a failure comes at once', async () => {
    const report = new LatestReport();
    report.resolve(1);
    report.reject(new Error('gone'));
    report.reject(new Error('later'));
    await assert.rejects(report.next(), /gone/);
    await assert.rejects(report.next(), /gone/);
  });
});
