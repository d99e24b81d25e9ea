// Callers of one encoder at the same time share its passes; each gets what it would get alone, bit for bit.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { readFamilyCase } from '../lib/families.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { pathOfCase } from '../lib/tiny_folder.mjs';

const rowOf = (length, seed) => Array.from({ length }, (_, i) => 4 + ((i * 7 + seed * 5) % 15));

/** Passes of different lengths and kinds, as the arguments of `forward`. */
const callsOf = ({ hasTypes }) => [
  [{ inputIds: [rowOf(5, 1)] }],
  [{ inputIds: rowOf(12, 2) }],
  [{ inputIds: [rowOf(3, 3), rowOf(3, 4)] }, { skipPadding: true }],
  [
    { inputIds: [rowOf(9, 5), rowOf(9, 6)], attentionMask: [Array(9).fill(1), padded(9, 4)] },
    { skipPadding: true },
  ],
  [{ inputIds: [rowOf(7, 7)], attentionMask: [Array(7).fill(1)] }],
  ...(hasTypes ? [[{ inputIds: [rowOf(6, 8)], tokenTypeIds: [padded(6, 2)] }]] : []),
  // These cannot be shared.
  [{ inputIds: [rowOf(8, 9)], attentionMask: [padded(8, 5)] }],
  [{ inputIds: [rowOf(6, 10)] }, { outputHiddenStates: true }],
  [{ inputIds: [rowOf(6, 10)] }, { heads: { 'encoder.layers.0.self.1': 0 } }],
];

const padded = (length, real) => Array.from({ length }, (_, i) => (i < real ? 1 : 0));

/** Counts the passes of a model, each of which `look` may refuse. */
function countPasses({ loaded: { host } }, look = () => undefined) {
  const { invoke } = host;
  const counted = { passes: 0, rows: 0 };
  host.invoke = (target, method, ...args) => {
    if (method === 'forward') {
      counted.passes++;
      counted.rows += args[0].shape[0];
      look(args[0]);
    }
    return invoke.call(host, target, method, ...args);
  };
  counted.stop = () => {
    host.invoke = invoke;
  };
  return counted;
}

for (const worker of [false, true]) {
  describe(worker ? 'callers of an encoder in a worker' : 'callers of an encoder in their thread', () => {
    let engine;
    before(async () => {
      engine = await createEngine({ threads: 2, worker });
    });
    after(() => engine.dispose());

    const kinds = [
      'bert',
      'bert_seqcls',
      'bert_tokcls',
      'bert_qa',
      'electra',
      'deberta_v2',
      'modernbert',
      'xlm_roberta',
    ];
    for (const name of kinds) {
      test(`${name}: at once and one after the other`, async () => {
        const model = await loadModel(readFamilyCase(name).files(), { engine });
        const calls = callsOf({ hasTypes: name.startsWith('bert') });
        const expected = [];
        for (const call of calls) expected.push(await model.forward(...call));
        const counted = countPasses(model);
        for (let round = 0; round < 3; round++)
          assert.deepEqual(await Promise.all(calls.map((call) => model.forward(...call))), expected);
        counted.stop();
        assert.ok(counted.passes < 3 * calls.length, `${counted.passes} passes of ${3 * calls.length}`);
        await model.dispose();
      });
    }

    test('a hundred callers take four more passes than the first', async () => {
      const model = await loadModel(readFamilyCase('bert').files(), { engine });
      const rows = Array.from({ length: 100 }, (_, i) => [rowOf(4 + (i % 5), i)]);
      const expected = [];
      for (const inputIds of rows) expected.push(await model.forward({ inputIds }));
      const all = () => Promise.all(rows.map((inputIds) => model.forward({ inputIds })));
      await all(); // the scratch memory grows to that of a pass of 32
      const heap = engine.info.heapBytes;
      const counted = countPasses(model);
      assert.deepEqual(await all(), expected);
      counted.stop();
      assert.deepEqual([counted.passes, counted.rows], [5, 100]);
      await model.forward({ inputIds: rows[0] });
      assertHeap(engine, heap);
      await model.dispose();
    });

    test('an error reaches the one that it concerns', async () => {
      const model = await loadModel(readFamilyCase('bert').files(), { engine });
      const rows = [1, 2, 3, 4].map((seed) => [rowOf(6, seed)]);
      const expected = [];
      for (const inputIds of rows) expected.push(await model.forward({ inputIds }));
      const counted = countPasses(model, ({ data }) => {
        if (data.includes(3)) throw new Error('this row');
      });
      rows.splice(2, 0, [[4, 3, 5]]);
      const outcomes = await Promise.allSettled(rows.map((inputIds) => model.forward({ inputIds })));
      counted.stop();
      assert.match(outcomes[2].reason.message, /this row/);
      outcomes.splice(2, 1);
      assert.deepEqual(
        outcomes.map(({ value }) => value),
        expected,
      );
      await model.dispose();
    });

    test('an abort ends one of them at once while it waits', async () => {
      const model = await loadModel(pathOfCase('sentence_transformer'), { engine });
      const texts = ['one', 'two words', 'three more words'];
      const expected = [];
      for (const text of texts) expected.push(await model.embed(text));
      const controller = new AbortController();
      const reason = new Error('enough');
      const counted = countPasses(model, () => queueMicrotask(() => controller.abort(reason)));
      const { signal } = controller;
      const calls = texts.map((text, i) => model.embed(text, i === 1 ? { signal } : {}));
      const outcomes = await Promise.allSettled(calls);
      counted.stop();
      assert.equal(outcomes[1].reason, reason);
      assert.equal(counted.rows, 2);
      for (const i of [0, 2]) assert.deepEqual(outcomes[i].value, expected[i]);
      await model.dispose();
    });

    test('those that wait when the model is disposed reject with that', async () => {
      const model = await loadModel(pathOfCase('sentence_transformer'), { engine });
      const expected = await model.embed('one');
      const calls = ['one', 'two words', 'three more words'].map((text) => model.embed(text));
      const settled = Promise.allSettled(calls);
      await model.dispose();
      const [first, ...waiting] = await settled;
      if (first.status === 'fulfilled') assert.deepEqual(first.value, expected);
      else assert.equal(first.reason.code, 'disposed');
      for (const { reason } of waiting) assert.equal(reason.code, 'disposed');
    });
  });
}
