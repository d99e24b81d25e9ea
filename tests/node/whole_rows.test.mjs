// Rows of weights that come in pieces which ignore them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WholeRows } from '../../build/modules/checkpoint/whole_rows.js';
import { randomNumbers } from '../lib/random.mjs';

test('gives all bytes in order, in whole rows', () => {
  const { below } = randomNumbers(1);
  for (let round = 0; round < 200; round++) {
    const size = 1 + below(12);
    const bytes = Uint8Array.from({ length: size * (1 + below(20)) }, (_, i) => i);
    const rows = new WholeRows(size);
    const given = [];
    for (let at = 0; at < bytes.length; ) {
      const count = below(30);
      for (const whole of rows.take(bytes.slice(at, at + count))) {
        assert.ok(whole.length > 0 && whole.length % size === 0, `${whole.length} bytes of rows of ${size}`);
        given.push(...whole);
      }
      at += count;
    }
    assert.deepEqual(given, [...bytes]);
  }
});
