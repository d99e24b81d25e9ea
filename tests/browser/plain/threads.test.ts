// Without cross-origin isolation there is one thread, whatever is requested, and a note that says why.

import { expect, test } from 'vitest';
import { createEngine } from '../../../dist/index.js';

test('the page is not isolated', () => {
  expect(crossOriginIsolated).toBe(false);
});

test.for(['auto', 3] as const)('threads: %s', async (threads) => {
  const engine = await createEngine({ threads });
  expect(engine.info.threads).toBe(1);
  const notes = engine.info.notes.join(' ');
  expect(notes).toContain('Cross-Origin-Opener-Policy: same-origin');
  expect(notes).toContain('Cross-Origin-Embedder-Policy: require-corp');
  expect((await engine.softmax([[5, 5]])).tolist()).toEqual([[0.5, 0.5]]);
  await engine.dispose();
});
