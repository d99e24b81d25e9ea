// Buffers that go to the worker and come back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSpare, SpareBuffers } from '../../build/modules/worker/spare_buffers.js';
import { copyToMove } from '../../build/modules/worker/transfer.js';
import { createEngine } from '../../dist/index.js';

const kB = 1024;

test('a buffer of the same size is used again, another one is not', () => {
  const spare = new SpareBuffers();
  const buffer = new ArrayBuffer(64 * kB);
  spare.put([buffer]);
  assert.notEqual(spare.take(32 * kB), buffer);
  assert.equal(spare.take(64 * kB), buffer);
  assert.notEqual(spare.take(64 * kB), buffer, 'it was taken');
  assert.equal(spare.take(0).byteLength, 0);
});

test('of too many buffers, the oldest are dropped', () => {
  const spare = new SpareBuffers();
  const buffers = Array.from({ length: 12 }, () => new ArrayBuffer(1024 * kB));
  for (const buffer of buffers) spare.put([buffer]);
  const taken = buffers.map(() => spare.take(1024 * kB));
  assert.deepEqual(
    buffers.map((buffer) => taken.includes(buffer)),
    buffers.map((_, i) => i >= 8),
  );
});

test('neither small buffers nor huge ones come back', () => {
  assert.deepEqual(
    [100, 15 * kB, 16 * kB, 4096 * kB, 4097 * kB].map((bytes) => isSpare(new ArrayBuffer(bytes))),
    [false, false, true, true, false],
  );
});

test('a copy in a used buffer is that of its source', () => {
  const spare = new SpareBuffers();
  const old = new Float32Array(4 * kB).fill(7);
  spare.put([old.buffer]);
  const source = { x: { data: new Float32Array(4 * kB).fill(3), shape: [4 * kB] } };
  const moved = [];
  const copy = copyToMove(source, moved, spare);
  assert.equal(copy.x.data.buffer, old.buffer);
  assert.deepEqual(copy, source);
  assert.deepEqual(moved, [old.buffer]);
});

test('calls of a worker give the same numbers while their buffers go back and forth', async () => {
  const engine = await createEngine({ worker: true, threads: 1 });
  const inputs = Array.from({ length: 6 }, (_, i) => ({
    data: Float32Array.from({ length: 8 * kB }, (_, j) => Math.sin(i + j)),
    shape: [64, 128],
  }));
  const local = await createEngine({ worker: false, threads: 1 });
  const expected = await Promise.all(inputs.map((x) => local.softmax(x)));
  for (let round = 0; round < 3; round++) {
    const together = await Promise.all(inputs.map((x) => engine.softmax(x)));
    for (const [i, x] of inputs.entries()) {
      assert.deepEqual(together[i].data, expected[i].data);
      assert.deepEqual((await engine.softmax(x)).data, expected[i].data);
      assert.equal(x.data.length, 8 * kB, 'the caller keeps the input');
    }
    assert.deepEqual(together[0].data, expected[0].data, 'a result stays as it was');
  }
  await local.dispose();
  await engine.dispose();
});
