// A worker that a browser ends, to save memory for example, sends no message: what waits for it must be rejected all the
// same, and the next engine must work.

import { afterEach, expect, test } from 'vitest';
import { createEngine, loadModel } from '../../dist/index.js';
import { tinyModel } from '../lib/tiny_model.mjs';

const PageWorker = globalThis.Worker;
const started: Worker[] = [];

/** Remembers the workers, so that a test can end them as a browser does. */
class Watched extends PageWorker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    started.push(this);
  }
}

afterEach(() => {
  globalThis.Worker = PageWorker;
  started.length = 0;
});

const died = { code: 'internal', message: expect.stringContaining('worker has died') };

test('calls that wait for a worker that was ended are rejected, and later ones too', {
  timeout: 60_000,
}, async () => {
  globalThis.Worker = Watched;
  const engine = await createEngine();
  const model = await loadModel(tinyModel(), { engine });
  const text = 'The cat sat on the mat.';
  const expected = (await model.translate(text)).text;

  // For seconds, if the worker lived.
  const texts = Array(2000).fill(text);
  const waiting = [model.translate(texts, { numBeams: 4 }), model.generate(texts, { numBeams: 3 })];
  setTimeout(() => started[0]?.terminate(), 50);
  for (const result of await Promise.allSettled(waiting))
    expect(result).toMatchObject({ status: 'rejected', reason: died });
  await expect(engine.softmax([1])).rejects.toMatchObject(died);
  await model.dispose();
  await engine.dispose();

  const next = await createEngine();
  const again = await loadModel(tinyModel(), { engine: next });
  expect((await again.translate(text)).text).toBe(expected);
  await next.dispose();
});
