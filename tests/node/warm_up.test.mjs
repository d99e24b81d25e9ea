// A large model computes a few tokens when it has been loaded and nobody asks for anything.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createEngine, loadModel } from '../../build/modules/index.js';
import { hostOf } from '../../build/modules/layers/engine.js';
import { assertHeap } from '../lib/heap.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

/** 17 MB of weights in a model whose passes take a millisecond. */
const config = { d_ff: 66_000, num_encoder_layers: 1, num_decoder_layers: 1 };
const large = tinyModel({ config });
const passes = 6;

/** An engine that counts the passes it is asked for; `next()` waits for one to begin. */
async function countingEngine(options) {
  const engine = await createEngine(options);
  const host = hostOf(engine);
  const { invoke } = host;
  let began;
  const next = async () => {
    const alive = setInterval(() => undefined, 1000); // the warm-up does not keep this process alive either
    await new Promise((resolve) => (began = resolve));
    clearInterval(alive);
  };
  const counted = { engine, host, passes: 0, next };
  host.invoke = (target, method, ...args) => {
    if (method === 'forward') {
      counted.passes++;
      began?.();
    }
    return invoke.call(host, target, method, ...args);
  };
  return counted;
}

async function until(isSo) {
  for (let i = 0; i < 500 && !isSo(); i++) await setTimeout(10);
  assert.ok(isSo());
}

describe('the warm-up of a model', () => {
  for (const dtype of ['f32', 'int8'])
    test(`begins when it is loaded, and changes no result and no memory: ${dtype}`, async () => {
      const cold = await createEngine({ threads: 1, worker: false });
      const expected = await (await loadModel(large, { engine: cold, dtype })).generate([5, 6, 7]);
      await cold.dispose();

      const counted = await countingEngine({ threads: 2, worker: true });
      const { engine } = counted;
      const before = engine.info.heapBytes;
      const model = await loadModel(large, { engine, dtype });
      assert.equal(counted.passes, 0);
      // Weights of 8 bits are a quarter, and too few.
      const all = dtype === 'f32' ? passes : 0;
      await setTimeout(200);
      await until(() => counted.passes === all && !counted.host.isBusy);
      assert.deepEqual((await model.generate([5, 6, 7])).ids, expected.ids);
      await model.dispose();
      assertHeap(engine, before);
      await engine.dispose();
    });

  test('makes way for whoever asks', async () => {
    const counted = await countingEngine({ worker: true });
    const model = await loadModel(large, { engine: counted.engine });
    await counted.next();
    await Promise.all([1, 2, 3].map(() => model.generate([5, 6, 7], { maxNewTokens: 10 })));
    assert.equal(counted.passes, 1);
    await counted.engine.dispose();
  });

  test('ends with the model or the engine, without a word', async () => {
    const counted = await countingEngine({ worker: true });
    const { engine } = counted;
    const before = engine.info.heapBytes;
    await (await loadModel(large, { engine })).dispose(); // before it begins
    const model = await loadModel(large, { engine });
    await counted.next();
    await model.dispose(); // while it runs
    assert.equal(counted.passes, 1);
    await setTimeout(100);
    assertHeap(engine, before);
    await loadModel(large, { engine });
    await counted.next();
    await engine.dispose();
    await setTimeout(100); // an unhandled rejection would fail this test
  });

  test('spares small models, and the caller’s own thread', async () => {
    for (const [files, worker] of [
      [tinyModel(), true],
      [large, false],
    ]) {
      const counted = await countingEngine({ worker });
      await loadModel(files, { engine: counted.engine });
      await setTimeout(150);
      assert.equal(counted.passes, 0);
      await counted.engine.dispose();
    }
  });

  test('does not keep a process alive', () => {
    const script = `
      import { loadModel } from './build/modules/index.js';
      import { tinyModel } from './tests/lib/tiny_model.mjs';
      globalThis.setTimeout = new Proxy(setTimeout, { apply(target, self, [work]) { return Reflect.apply(target, self, [work, 3e5]); } });
      await loadModel(tinyModel({ config: ${JSON.stringify(config)} }));
      console.log('loaded');`;
    const { stdout, status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.deepEqual([stdout, status, signal], ['loaded\n', 0, null]);
  });
});
