// The sizes of pictures that are cut into as many patches as a model takes. What resizes grids is tested in tests/native.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittingSize } from '../../build/modules/signal/any_patches.js';

test('a picture has about its proportions, and at most so many patches', () => {
  assert.deepEqual(fittingSize({ rows: 37, columns: 53 }, 8, 12), { rows: 24, columns: 32 });
  for (const [rows, columns] of [
    [480, 640],
    [1, 5000],
    [5000, 1],
    [16, 16],
  ]) {
    const size = fittingSize({ rows, columns }, 16, 256);
    assert.ok(size.rows % 16 === 0 && size.columns % 16 === 0);
    assert.ok((size.rows * size.columns) / 256 <= 256);
  }
});
