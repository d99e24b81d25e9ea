// Loads that must fail.

import assert from 'node:assert/strict';
import { loadModel } from '../../dist/index.js';
import { assertHeap } from './heap.mjs';

/** Loading must reject as expected, and leave no memory allocated in the engine. */
export async function refusesToLoad(engine, files, expected, options = {}) {
  const heap = engine.info.heapBytes;
  await assert.rejects(loadModel(files, { engine, ...options }), expected);
  assertHeap(engine, heap);
}
