// Whether an engine has freed what it took.

import assert from 'node:assert/strict';

/** @param {number} before heapBytes of the engine, at a time when it held the same objects */
export function assertHeap(engine, before, message = 'the heap has changed') {
  const { heapBytes } = engine.info;
  assert.ok(heapBytes <= before, `${message}: ${heapBytes} bytes, ${before} before`);
}
