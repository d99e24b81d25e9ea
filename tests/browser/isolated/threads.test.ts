// Threads in a cross-origin isolated page.

import { expect, test } from 'vitest';
import { createEngine } from '../../../dist/index.js';

test('the page is isolated', () => {
  expect(crossOriginIsolated).toBe(true);
});

/** WebKitGTK isolates pages, but has no shared memory. */
const sharesMemory = typeof SharedArrayBuffer === 'function';

const requestedThreads = async () => {
  const engine = await createEngine({ threads: 3 });
  expect(engine.info.threads).toBe(3);
  expect(engine.info.variant).toMatch(/-threads$/);
  expect(engine.info.notes.join(' ')).toContain('3 threads');
  const x = Array.from({ length: 200 }, (_, i) => Array.from({ length: 200 }, (_, j) => Number(i === j)));
  expect((await engine.matmul(x, x)).tolist()).toEqual(x);
  await engine.dispose();
};

const oneThread = async () => {
  const engine = await createEngine({ threads: 3 };

if (sharesMemory) test('the requested number of threads, in the worker', requestedThreads);
else test('without shared memory one thread, and a note that names it', oneThread);
  expect(engine.info.threads).toBe(1);
  expect(engine.info.notes.join(' ')).toContain('SharedArrayBuffer');
  await engine.dispose();
});

test("in the page's main thread there is one thread, and notes say why", async () => {
  const engine = await createEngine({ threads: 3, worker: false });
  expect(engine.info.threads).toBe(1);
  expect(engine.info.notes.join(' ')).toContain("page's main thread");
  await engine.dispose();
});
