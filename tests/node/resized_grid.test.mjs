// Grids of vectors in another size, and the sizes of pictures that are cut into as many patches as a model takes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittingSize } from '../../build/modules/signal/any_patches.js';
import { resizedGrid } from '../../build/modules/values/resized_grid.js';

const ramp = (rows, columns) => ({
  data: Float32Array.from({ length: rows * columns }, (_, i) => Math.floor(i / columns) * 10 + (i % columns)),
  shape: [rows, columns, 1],
});

test('the same size gives the same numbers, with every kernel', () => {
  for (const cubic of [null, -0.5, -0.75])
    for (const antialias of [true, false])
      assert.deepEqual(resizedGrid(ramp(3, 5), [3, 5], { cubic, antialias }).data, ramp(3, 5).data);
});

test('torch.nn.functional.interpolate of [[0, 1, 2, 3]] to a width of 2 and of 6', () => {
  const row = { data: Float32Array.of(0, 1, 2, 3), shape: [1, 4, 1] };
  const near = ([columns, kernel, expected]) => {
    const { data } = resizedGrid(row, [1, columns], kernel);
    for (const [i, one] of expected.entries()) assert.ok(Math.abs(data[i] - one) < 1e-6, `${[...data]}`);
  };
  // mode='bilinear': 2x scale samples between the pixels; antialias widens the triangle to [1, 3, 3, 1] / 8, cut at the edge.
  near([2, { cubic: null, antialias: false }, [0.5, 2.5]]);
  near([2, { cubic: null, antialias: true }, [5 / 7, 16 / 7]]);
  near([6, { cubic: null, antialias: false }, [0, 0.5, 7 / 6, 11 / 6, 2.5, 3]]);
});

test('linear kernels keep a slope, whatever the sizes', () => {
  const { data } = resizedGrid(ramp(6, 9), [3, 3], { cubic: null, antialias: false });
  for (let row = 0; row < 3; row++)
    for (let column = 0; column < 3; column++)
      assert.ok(Math.abs(data[row * 3 + column] - ((row * 2 + 0.5) * 10 + column * 3 + 1)) < 1e-5);
});

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
