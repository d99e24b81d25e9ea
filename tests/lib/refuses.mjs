// Loads that must fail.

import assert from 'node:assert/strict';
import { loadModel } from '../../dist/index.js';

/** Loading must reject as expected, and leave no memory allocated in the engine. */
export async function refusesToLoad(engine, files, expected, options = {}) {
  const heap = engine.info.heapBytes;
  await assert.rejects(loadModel(files, { engine, ...options }), expected);
  assert.equal(engine.info.heapBytes, heap, 'the heap has changed');
}
