// Many inputs of which some fail: what becomes of each, in order, in flat memory.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEngine, loadModel, settleEach, TransformerError } from '../../dist/index.js';
import { folderWithWords } from '../lib/tiny_folder.mjs';

let engine, model;
before(async () => {
  engine = await createEngine({ threads: 1 });
  model = await loadModel(folderWithWords('bert_seqcls'), { engine });
});
after(() => engine.dispose());

async function all(...args) {
  const settled = [];
  for await (const one of settleEach(...args)) settled.push(one);
  return settled;
}

test('an input that cannot be read costs no other one its result', async () => {
  const cells = ['the cat', '', null, 'sat', 'the mat', 'on the mat'];
  const reports = [];
  const settled = await all(cells, (some) => model.classify(some), {
    batchSize: 4,
    onProgress: (progress) => reports.push(progress),
  });
  assert.deepEqual(
    settled.map(({ index, status }) => [index, status]),
    cells.map((cell, i) => [i, cell ? 'fulfilled' : 'rejected']),
  );
  for (const { index, status, value, reason } of settled)
    if (status === 'fulfilled') assert.deepEqual(value, await model.classify(cells[index]));
    else assert.deepEqual([reason.code, reason.name], ['invalid_argument', 'TransformerError']);
  assert.deepEqual(reports, [
    { done: 4, failed: 2, total: 6 },
    { done: 6, failed: 2, total: 6 },
  ]);
});

test('tensors give a row for each input, and iterables of any kind are taken as they are needed', async () => {
  const texts = ['the cat', 'sat', 'on'];
  let taken = 0;
  const stream = async function* () {
    for (const text of texts) {
      taken++;
      yield text;
    }
  };
  const embedder = await loadModel(folderWithWords('bert'), { engine });
  const totals = [];
  for await (const { index, value } of settleEach(stream(), (some) => embedder.embed(some), {
    batchSize: 2,
    onProgress: ({ total }) => totals.push(total),
  })) {
    assert.deepEqual(value, (await embedder.embed(texts[index])).data);
    if (index === 0) assert.equal(taken, 2);
  }
  assert.deepEqual(totals, [null, null]);
  assert.deepEqual(await all(new Set(texts), (some) => some), await all(texts, (some) => some));
});

test('what no input can survive ends the run', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const run = (some) => {
    controller.abort(reason);
    return some;
  };
  await assert.rejects(all([1, 2], run, { signal: controller.signal }), reason);
  const gone = await loadModel(folderWithWords('bert_seqcls'), { engine });
  gone.dispose();
  await assert.rejects(
    all(['a'], (some) => gone.classify(some)),
    { code: 'disposed' },
  );
  const invalid = (message) => ({ code: 'invalid_argument', message });
  await assert.rejects(
    all([1, 2], () => [1]),
    invalid(/run must return 2 results.*got 1/),
  );
  await assert.rejects(
    all([1], () => null),
    invalid(/run must return 1 results/),
  );
  await assert.rejects(
    all('ab', (some) => some),
    invalid(/inputs must be an array/),
  );
  await assert.rejects(all([1]), invalid(/run must be a function/));
  await assert.rejects(
    all([1], (some) => some, { batchSize: 0 }),
    invalid(/batchSize/),
  );
  await assert.rejects(
    all([1], (some) => some, { batch: 1 }),
    invalid(/batchSize/),
  );
  const theirs = new Error('mine');
  const broken = async function* () {
    yield 1;
    throw theirs;
  };
  await assert.rejects(
    all(broken(), (some) => some),
    theirs,
  );
  const [only] = await all([1], () => {
    throw theirs;
  });
  assert.equal(only.reason, theirs);
  assert.ok(!(only.reason instanceof TransformerError));
});
