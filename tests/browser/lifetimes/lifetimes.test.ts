// What engines in a page have held comes back when they are disposed.

import { expect, test } from 'vitest';
import { bytesOfTurn } from '../../lib/engine_turns.mjs';
import { growthInChromium } from '../../lib/engine_turns_chromium.mjs';

test('the memory of the page is flat over 50 engines of each kind', { timeout: 600_000 }, async () => {
  // Less than half of what the engines held: on a busy machine, Chromium keeps the code of some for a while.
  for (const { kind, grown } of await growthInChromium(50))
    expect(grown, JSON.stringify(kind)).toBeLessThan(20 * bytesOfTurn);
});
