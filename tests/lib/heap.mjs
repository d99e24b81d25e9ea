// Whether an engine has freed what it took.

import assert from 'node:assert/strict';

/** The allocator may leave a few bytes at the end of a block that a smaller one would not fill. */
const slack = 64;

/** @param {number} before heapBytes of the engine, at a time when it held the same objects */
export function assertHeap(engine, before, message = 'the heap has changed') {
  const { heapBytes } = engine.info;
  assert.ok(heapBytes <= before + slack, `${message}: ${heapBytes} bytes, ${before} before`);
}
