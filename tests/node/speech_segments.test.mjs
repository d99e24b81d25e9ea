// Segments that a model of speech writes, whatever timestamps it gives: none ends before it begins, or before the one before it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutSegments } from '../../build/modules/tasks/speech/segments.js';

const settings = { firstTimestamp: 100, timeStep: 0.02, framesPerStep: 2 };
const at = (seconds) => 100 + Math.round(seconds / 0.02);

test('one that begins after the sound has ended is at its end', () => {
  const ids = [at(0), 5, at(0.2), at(2.84), 6];
  const { pieces } = cutSegments(ids, settings, { frames: 50, isLast: true });
  assert.deepEqual(
    pieces.map(({ start, end }) => [start, end]),
    [
      [0, 0.2],
      [0.5, 0.5],
    ],
  );
  const late = cutSegments([at(0), 5, at(1.9), at(1.9), 6], settings, { frames: 50, isLast: true });
  assert.deepEqual([late.pieces[1].start, late.pieces[1].end], [95 * 0.02, 95 * 0.02]);
});

test('times never fall, whatever a model writes', () => {
  const token = fc.oneof(fc.nat(99), fc.constant(null));
  fc.assert(
    fc.property(
      fc.array(token, { maxLength: 20 }),
      fc.array(fc.nat(40)),
      fc.nat(200),
      (list, steps, frames) => {
        let [time, place] = [0, 0];
        // Timestamps do not fall: the rules of generation see to it.
        const ids = list.map((one) => {
          if (one === null) time += steps[place++ % (steps.length || 1)] ?? 0;
          return one ?? 100 + time;
        });
        const { pieces } = cutSegments(ids, settings, { frames, isLast: true });
        let before = 0;
        for (const { start, end } of pieces) {
          assert.ok(before <= start && start <= end, JSON.stringify({ ids, frames, pieces }));
          before = end;
        }
      },
    ),
    { seed: 20261127, numRuns: 2000 },
  );
});
