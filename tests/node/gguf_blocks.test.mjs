// The blocks of GGUF against their naive twins, on random bytes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blockTypes } from '../../build/modules/weights/gguf_blocks.js';
import { halvesAt, twins } from '../lib/gguf_twin.mjs';
import { randomNumbers } from '../lib/random.mjs';

describe('blocks', () => {
  for (const { name, numbers, bytes, widen } of blockTypes.values()) {
    test(`${name}: random bytes`, () => {
      const random = randomNumbers(bytes);
      const before = 3;
      for (let round = 0; round < 200; round++) {
        const file = Uint8Array.from({ length: before + bytes }, () => random.below(256));
        for (const at of halvesAt[name]) file[before + at + 1] &= 0xbf; // not infinite
        const floats = new Float32Array(numbers + 2).fill(7);
        widen(new DataView(file.buffer), before, floats, 1);
        const expected = twins[name](file.subarray(before));
        assert.equal(expected.length, numbers);
        // Which zero it is makes no difference.
        const unsigned = (list) => list.map((one) => one + 0);
        assert.deepEqual(unsigned([...floats]), unsigned([7, ...expected, 7]));
      }
    });
  }

  test('every twin has its type', () =>
    assert.deepEqual(Array.from(blockTypes.values(), ({ name }) => name).sort(), Object.keys(twins).sort()));
});
