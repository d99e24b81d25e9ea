// Memory that cannot grow, at every page and at every growth: each call ends in its result or in out_of_memory, the engine
// lives on, and what failed leaves nothing behind.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';
import { repeatWithRelaxedSimd, variants } from '../lib/variants.mjs';

const pageBytes = 65_536;
const { prototype } = WebAssembly.Memory;
const { grow } = prototype;
let mayGrow = () => true;

prototype.grow = function growOrFail(pages) {
  if (!mayGrow(this.buffer.byteLength / pageBytes + pages))
    throw new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory');
  return Reflect.apply(grow, this, [pages]);
};
after(() => {
  prototype.grow = grow;
});

const square = (size) => ({
  shape: [size, size],
  data: Float32Array.from({ length: size * size }, Math.sin),
});
const files = tinyModel({ config: { d_model: 64, d_ff: 512 } });

/** Calls of every kind: name -> what it gives. None leaves anything in the engine. */
const calls = {
  product: async (engine) => (await engine.matmul(square(300), square(300))).data,
  attention: async (engine) => {
    const x = square(160);
    return (await engine.scaledDotProductAttention(x, x, x, { needWeights: true })).weights.data;
  },
  layer: async (engine) => {
    const layer = await engine.linear({ inFeatures: 400, outFeatures: 300 }, { seed: 1 });
    try {
      return (await layer.forward({ shape: [1, 400], data: new Float32Array(400).fill(1) })).data;
    } finally {
      await layer.dispose();
    }
  },
  model: async (engine) => {
    const model = await loadModel(files, { engine, dtype: 'f32' });
    try {
      const { sequences } = await model.generate('the cat sat on the mat', { numBeams: 8 });
      return sequences.map(({ ids, score }) => [...ids, score]);
    } finally {
      await model.dispose();
    }
  },
};

/** Takes what is left of the memory, so that whatever follows must grow. */
async function fill(engine) {
  mayGrow = () => false;
  for (let size = 512; size >= 16; ) {
    const made = engine.linear({ inFeatures: size, outFeatures: size }, { seed: 1 });
    await made.catch(() => {
      size /= 2;
    });
  }
}

/** @returns how many of the calls failed, each in the only way that is allowed */
async function failures(engine, expected) {
  const heap = engine.info.heapBytes;
  let failed = 0;
  for (const [name, call] of Object.entries(calls)) {
    try {
      assert.deepEqual(await call(engine), expected[name], name);
    } catch (error) {
      if (error.code !== 'out_of_memory') throw error;
      failed++;
    }
    assertHeap(engine, heap, name);
  }
  return failed;
}

async function fullEngine(variant) {
  mayGrow = () => true;
  const engine = await createEngine({ ...variant, worker: false });
  await fill(engine);
  return engine;
}

for (const variant of variants) {
  describe(`memory that cannot grow, ${variant.simd}, ${variant.threads} threads`, () => {
    /** The results in an engine with room. */
    const expectedResults = async () => {
      mayGrow = () => true;
      const engine = await createEngine({ ...variant, worker: false });
      const expected = {};
      for (const [name, call] of Object.entries(calls)) expected[name] = await call(engine);
      await engine.dispose();
      return expected;
    };

    test('it ends at every page', async () => {
      const expected = await expectedResults();
      const engine = await fullEngine(variant);
      const first = engine.info.memoryBytes / pageBytes;
      let most = first;
      mayGrow = (pages) => pages <= most;
      while ((await failures(engine, expected)) > 0) most++;
      assert.ok(most > first + 10, `the calls needed ${most - first} pages`);
      await engine.dispose();
    });

    // A smaller step is tried after one that failed.
    for (const [name, fails, costs] of [
      ['one growth fails', (count, n) => count === n, false],
      ['each growth fails from one on', (count, n) => count >= n, true],
    ]) {
      test(name, async () => {
        const expected = await expectedResults();
        let isReached = true;
        for (let n = 1; isReached; n++) {
          const engine = await fullEngine(variant);
          let count = 0;
          mayGrow = () => !fails(++count, n);
          const failed = await failures(engine, expected);
          isReached = count >= n;
          assert.equal(failed > 0, costs && isReached, `${failed} calls failed at growth ${n}`);
          assert.ok(isReached || n > 2, 'the calls did not grow the memory');
          mayGrow = () => true;
          assert.equal(await failures(engine, expected), 0);
          await engine.dispose();
        }
      });
    }
  });
}

repeatWithRelaxedSimd(import.meta.url);
