// Threads in a cross-origin isolated page.

import { expect, test } from 'vitest';
import { createEngine, loadModel } from '../../../dist/index.js';
import { tinyModel } from '../../lib/tiny_model.mjs';

test('the page is isolated', () => {
  expect(crossOriginIsolated).toBe(true);
});

/** WebKitGTK isolates pages, but has no shared memory. */
const sharesMemory = typeof SharedArrayBuffer === 'function';

test(`in the worker ${sharesMemory ? 'the requested number of threads' : 'one thread, and a note that says why'}`, async () => {
  const engine = await createEngine({ threads: 3 });
  expect(engine.info.threads).toBe(sharesMemory ? 3 : 1);
  expect(/-threads$/.test(engine.info.variant)).toBe(sharesMemory);
  expect(engine.info.notes.join(' ')).toContain(sharesMemory ? '3 threads' : 'SharedArrayBuffer');
  const x = Array.from({ length: 200 }, (_, i) => Array.from({ length: 200 }, (_, j) => Number(i === j)));
  expect((await engine.matmul(x, x)).tolist()).toEqual(x);
  await engine.dispose();
});

test('the pieces of large tensors arrive in their order, although several are on their way', async () => {
  const config = { d_model: 64, d_ff: 20_000, num_encoder_layers: 1, num_decoder_layers: 1 };
  const files: Map<string, Uint8Array<ArrayBuffer>> = tinyModel({ config });
  const inputs = { inputIds: [[4, 5, 6]], decoderInputIds: [[2, 7]] };
  const logits = [];
  for (const worker of [true, false]) {
    const engine = await createEngine({ worker });
    // The rows of a matrix in 8 bits are refused in another order.
    const model = await loadModel(files, { engine, dtype: 'int8' });
    logits.push((await model.forward(inputs)).logits?.data);
    await engine.dispose();
  }
  expect(logits[0]?.length).toBeGreaterThan(0);
  expect(logits[0]).toEqual(logits[1]);
});

test("in the page's main thread there is one thread, and notes say why", async () => {
  const engine = await createEngine({ threads: 3, worker: false });
  expect(engine.info.threads).toBe(1);
  expect(engine.info.notes.join(' ')).toContain("page's main thread");
  await engine.dispose();
});
