// Threads in a cross-origin isolated page.

import { expect, test } from 'vitest';
import { createEngine } from '../../../dist/index.js';

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

test("in the page's main thread there is one thread, and notes say why", async () => {
  const engine = await createEngine({ threads: 3, worker: false });
  expect(engine.info.threads).toBe(1);
  expect(engine.info.notes.join(' ')).toContain("page's main thread");
  await engine.dispose();
});
