// Several callers of one model share the steps of its decoder; each gets what it would get alone, bit for bit.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { readFamilyCase } from '../lib/families.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';

const idsOf = (count, seed) => Array.from({ length: count }, (_, i) => 4 + ((i * 7 + seed * 5) % 15));

/** Calls of any kind: a function each that gives what the caller sees. */
const callsOf = (model) => [
  () => model.generate(idsOf(5, 1), { maxNewTokens: 12, numBeams: 1 }),
  () => chunksOf(model.stream(idsOf(12, 2), { maxNewTokens: 9, numBeams: 1 })),
  () => model.generate([3, 12, 1].map(idsOf), { maxNewTokens: 7, numBeams: 3, numReturnSequences: 2 }),
  () => chunksOf(model.stream(idsOf(2, 3), { maxNewTokens: 12, numBeams: 1, doSample: true, seed: 4 })),
  () =>
    model.generate(idsOf(7, 4), {
      maxNewTokens: 10,
      doSample: true,
      seed: 5,
      numReturnSequences: 3,
      numBeams: 1,
    }),
  () => model.generate(idsOf(4, 5), { maxNewTokens: 9, numBeams: 1, shortlist: [4, 5, 6, 7, 8] }),
  () => model.generate(idsOf(6, 6), { maxNewTokens: 9, numBeams: 1, promptLookupNumTokens: 4 }),
  () => model.generate(idsOf(3, 7), { maxNewTokens: 5, prefixAllowedTokens: () => [5, 6, 9], numBeams: 2 }),
  () =>
    model.generate(idsOf(3, 8), { maxNewTokens: 6, numBeams: 4, numBeamGroups: 2, diversityPenalty: 0.5 }),
];

async function chunksOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

for (const worker of [false, true]) {
  describe(worker ? 'callers of an engine in a worker' : 'callers of an engine in their thread', () => {
    let engine;
    before(async () => {
      engine = await createEngine({ threads: 2, worker });
    });
    after(() => engine.dispose());

    for (const name of ['marian', 't5', 'gpt2', 'llama']) {
      test(`${name}: at once and one after the other`, async () => {
        const model = await loadModel(readFamilyCase(name).files(), { engine, prefixCacheBytes: 0 });
        const expected = [];
        for (const call of callsOf(model)) expected.push(await call());
        const heap = engine.info.heapBytes;
        for (let round = 0; round < 3; round++) {
          const calls = callsOf(model).map(async (call, i) => {
            if (round > 0) await new Promise((resolve) => setTimeout(resolve, (i * round * 3) % 7));
            return call();
          });
          assert.deepEqual(await Promise.all(calls), expected);
        }
        await model.generate(idsOf(1, 1), { maxNewTokens: 1 }); // what is freed is known after the next call
        assertHeap(engine, heap);
        await model.dispose();
      });
    }

    test('an abort ends one of them', async () => {
      const model = await loadModel(readFamilyCase('gpt2').files(), { engine, prefixCacheBytes: 0 });
      const calls = callsOf(model);
      const expected = [await calls[0](), await calls[3]()];
      const heap = engine.info.heapBytes;
      const controller = new AbortController();
      const reason = new Error('enough');
      const left = model.stream(idsOf(3, 1), {
        minNewTokens: 12,
        maxNewTokens: 12,
        signal: controller.signal,
      });
      const others = [calls[0](), calls[3]()];
      await left.next();
      controller.abort(reason);
      await assert.rejects(
        async () => chunksOf(left),
        (error) => error === reason,
      );
      assert.deepEqual(await Promise.all(others), expected);
      await model.generate(idsOf(1, 1), { maxNewTokens: 1 });
      assertHeap(engine, heap);
      await model.dispose();
    });

    test('an error reaches the one that it concerns', async () => {
      const tensors = tinyTensors(tinyConfig);
      const tooLarge = 9; // the token whose embedding overflows
      tensors.get('embedding.weight').data.fill(3e38, tooLarge * 16, (tooLarge + 1) * 16);
      const model = await loadModel(tinyModel({ tensors }), { engine, prefixCacheBytes: 0 });
      const well = { maxNewTokens: 20, minNewTokens: 20, suppressTokens: [tooLarge], numBeams: 2 };
      const expected = await model.generate([5, 6, 7], well);
      const heap = engine.info.heapBytes;
      const ill = { maxNewTokens: 20, minNewTokens: 20, forcedDecoderIds: [[9, tooLarge]] };
      const outcomes = await Promise.allSettled([
        model.generate([5, 6, 7], well),
        model.generate([4, 6], ill),
        model.generate([5, 6, 7], well),
        model.generate([[8], [4]], ill),
      ]);
      for (const i of [0, 2]) assert.deepEqual(outcomes[i].value, expected);
      for (const i of [1, 3]) assert.equal(outcomes[i].reason?.code, 'bad_checkpoint');
      assert.deepEqual(await model.generate([5, 6, 7], well), expected);
      assertHeap(engine, heap);
      await model.dispose();
    });

    test('a step of one caller is a step of all', async () => {
      const model = await loadModel(readFamilyCase('marian').files(), { engine });
      const { host, handle: transformer } = model.loaded;
      const input = { sources: [Int32Array.of(5, 6)], prompts: [Int32Array.of(0)] };
      const options = { maxNewTokens: 9 };
      const [one, other] = [
        await host.create('Generation', transformer, input, options),
        await host.create('Generation', transformer, input, options),
      ];
      const advance = async (generation) =>
        (await host.invoke(generation, 'advance', 0, false)).certain[0].length;
      assert.deepEqual([await advance(one), await advance(other)], [1, 1], 'their prompts');
      assert.deepEqual([await advance(one), await advance(other)], [2, 2]);
      assert.deepEqual([await advance(one), await advance(one)], [3, 4]);
      assert.equal(await advance(other), 4, 'news, and no step');
      assert.equal(await advance(other), 5);
      await host.release(one);
      assert.deepEqual([await advance(other), await advance(other)], [6, 7]);
      await host.release(other);
      await model.dispose();
    });
  });
}

test('memory does not grow while callers come and go beside one that stays', async () => {
  const engine = await createEngine({ threads: 1, worker: false });
  const model = await loadModel(tinyModel({ config: { max_length: 5000 } }), { engine });
  const stays = model.stream([5, 6], { minNewTokens: 4000, maxNewTokens: 4000 });
  await stays.next();
  const heaps = [];
  for (let i = 0; i < 60; i++) {
    await model.generate(idsOf(10, i), { maxNewTokens: 4, numBeams: 3 });
    heaps.push(engine.info.heapBytes);
  }
  await stays.return();
  // A page of both layers takes 24 kB. The text that stays needs a few more, but those that left had two each.
  assert.ok(heaps.at(-1) < heaps[9] + 10 * 24e3, `${heaps}`);
  await engine.dispose();
});
