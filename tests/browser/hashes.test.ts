// A browser computes the same bits as Node.js.

import { expect, inject, test } from 'vitest';
import { createEngine, loadModel } from '../../dist/index.js';
import { hashesOf } from '../lib/hashes.mjs';

test('hashes of the engine and of translations', { timeout: 120_000 }, async () => {
  const expected = inject('hashesOfNode');
  for (const options of [{}, { threads: 1 }, { worker: false }] as const) {
    const engine = await createEngine({ simd: 'simd128', ...options });
    const model = await loadModel(new URL('/dist/models/en-fr/', location.href), { engine });
    expect(await hashesOf(engine, model)).toEqual(expected);
    await engine.dispose();
  }
});
