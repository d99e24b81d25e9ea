// Engines that are made, used and ended in any order, in a worker or not, with threads or not: each answers as if it were alone,
// calls of one that has ended are rejected, and in the end the process holds no more than before.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { createEngine, loadModel } from '../../../dist/index.js';
import { tinyModel } from '../../lib/tiny_model.mjs';
import { settings } from './settings.mjs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const files = tinyModel();
const source = 'the cat sat on the mat';

/** Of a layer: what an engine that is kept would hold at least. */
const layerWidth = 1000;
const layerBytes = 4 * layerWidth ** 2;

const kinds = fc.record({ threads: fc.constantFrom(1, 1, 2, 3), worker: fc.boolean() });
const steps = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant('create'), kind: kinds, isAborted: fc.boolean() }),
    fc.record({
      step: fc.constantFrom('load', 'layer', 'generate', 'call', 'dispose', 'forget'),
      which: fc.nat(9),
    }),
    fc.record({ step: fc.constant('disposeWhile'), which: fc.nat(9) }),
  ),
  { minLength: 2, maxLength: 14 },
);

const isEnded = (error) => error.code === 'disposed';

/** What is done to an engine in use. */
const uses = {
  async load(one) {
    one.model ??= await loadModel(files, { engine: one.engine });
  },
  async layer({ engine }) {
    const layer = await engine.linear({ inFeatures: layerWidth, outFeatures: layerWidth }, { seed: 1 });
    assert.equal((await layer.forward([new Float32Array(layerWidth)])).data.length, layerWidth);
  },
  async generate({ model }, expected) {
    if (model)
      assert.deepEqual((await model.generate(source, { maxNewTokens: 4 })).sequences[0].ids, expected);
  },
  async call({ engine }) {
    assert.deepEqual((await engine.softmax([[5, 5]])).tolist(), [[0.5, 0.5]]);
  },
  async disposeWhile(one, expected) {
    const pending = [uses.layer(one), uses.generate(one, expected), uses.call(one)];
    await uses.dispose(one);
    for (const { status, reason } of await Promise.allSettled(pending))
      assert.ok(status === 'fulfilled' || isEnded(reason), String(reason?.stack));
  },
  async dispose(one) {
    one.hasEnded = true;
    await one.engine.dispose();
    await assert.rejects(one.engine.softmax([1]), isEnded);
    assert.equal(one.engine.info.heapBytes, 0);
  },
  async forget(one) {
    one.hasEnded = true;
    one.isForgotten = true;
  },
};

async function run(list, expected) {
  const { signal } = new AbortController();
  let engines = [];
  for (const { step, kind, isAborted, which } of list) {
    if (step === 'create') {
      const own = new AbortController();
      const creating = createEngine({ ...kind, signal: isAborted ? own.signal : signal });
      if (isAborted) own.abort();
      const engine = await creating.catch((error) => {
        if (!isAborted || error.name !== 'AbortError') throw error;
      });
      if (engine) engines.push({ engine });
      assert.equal(getEventListeners(own.signal, 'abort').length, 0);
      continue;
    }
    const living = engines.filter(({ hasEnded }) => !hasEnded);
    const one = living[which % (living.length || 1)];
    if (one) await uses[step](one, expected);
    engines = engines.filter(({ isForgotten }) => !isForgotten);
  }
  for (const one of engines) if (!one.hasEnded) await uses.dispose(one);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
}

const openFiles = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

test('the process is flat, whatever happens to engines', async () => {
  const reference = await createEngine({ threads: 1 });
  const model = await loadModel(files, { engine: reference });
  const expected = (await model.generate(source, { maxNewTokens: 4 })).sequences[0].ids;
  await reference.dispose();
  const measure = async () => {
    for (let i = 0; i < 10; i++) {
      await new Promise((resolve) => setTimeout(resolve, 20)); // threads that were ended take their time
      collect();
    }
    return { bytes: process.memoryUsage.rss(), open: openFiles() };
  };
  const all = [];
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      all.push(list.length);
      await run(list, expected);
    }),
    settings(8),
  );
  const warm = await measure();
  // The same kinds again, in another order: by now everything is loaded that ever will be.
  for (let i = 0; i < 10; i++)
    await run(
      [
        { step: 'create', kind: { threads: 1 + (i % 3), worker: i % 2 === 0 } },
        { step: 'layer', which: 0 },
        { step: i % 4 === 3 ? 'forget' : 'disposeWhile', which: 0 },
      ],
      expected,
    );
  const { bytes, open } = await measure();
  assert.ok(
    bytes < warm.bytes + 5 * layerBytes,
    `${bytes - warm.bytes} bytes more after ${all.length} schedules`,
  );
  assert.ok(open <= warm.open + 2, `${open - warm.open} more open files`);
});
