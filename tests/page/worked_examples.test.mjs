// The fourteen worked examples of the page: the engine's numbers are NumPy's, and the code that is copied is whole.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { createEngine, Tensor } from 'transformer-wasm';
import { workedExamples } from '../lib/reference.mjs';
import { bundleForNode } from './bundle.mjs';

const expected = workedExamples();

describe('worked examples', () => {
  let code;
  let engine;
  before(async () => {
    code = await bundleForNode([
      'views/examples/compute.ts',
      'views/examples/numpy.ts',
      'views/examples/parts.ts',
      'reading/figures.ts',
    ]);
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  test('are all of the reference set', () => {
    assert.deepEqual(Object.keys(code.examples.examples).sort(), Object.keys(expected).sort());
  });

  for (const [name, example] of Object.entries(expected)) {
    test(`${name}: what is computed is what NumPy computed`, async () => {
      const parts = await code.examples.examples[name].compute(engine);
      const last = parts.at(-1).tensor;
      if (name === 'positional_encoding_100x64') {
        for (const [row, values] of Object.entries(example.rows))
          for (const [i, value] of values.entries())
            assert.ok(Math.abs(last.data[row * 64 + i] - value) < 1e-5, `row ${row}, ${i}`);
        return;
      }
      const compare = (part, values) => {
        const want = Tensor.from(values).data;
        assert.equal(part.data.length, want.length);
        for (const [i, value] of want.entries())
          assert.ok(Math.abs(part.data[i] - value) < 1e-4, `${i}: ${part.data[i]} against ${value}`);
      };
      compare(last, example.output ?? example.context);
      const weights = parts.find((part) => part.name === 'weights');
      if (example.weights) compare(weights.tensor, example.weights);
    });

    test(`${name}: the code is Python`, () => {
      const program = code.numpy.numpyOf(name);
      assert.match(program, /^import numpy as np\n/);
      assert.match(program, /print\(/);
      assert.ok(!program.includes('−'), 'a hyphen, not a minus sign');
      const check = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
        input: program,
        encoding: 'utf8',
      });
      if (check.error) return; // no Python here
      assert.equal(check.status, 0, check.stderr);
    });
  }

  for (const name of ['multi_head', 'multi_head_causal'])
    test(`${name}: each head has its queries, keys, values and scores`, async () => {
      const { x, W_q, W_k, W_v } = expected.multi_head;
      const parts = await code.examples.examples[name].compute(engine);
      const tensorOf = (wanted) => parts.find((part) => part.name === wanted).tensor;
      assert.deepEqual(
        parts.map((part) => part.name),
        ['x', 'q', 'k', 'v', 'scores', 'weights', 'output'],
      );
      // Written out for one number at a time, as nobody would compute it.
      const width = 4;
      const entry = (matrix, sequence, head, row, column) =>
        x[sequence][row].reduce((sum, value, i) => sum + value * matrix[i][head * width + column], 0);
      const compare = (actual, want, where) =>
        assert.ok(actual === want || Math.abs(actual - want) < 1e-4, `${where}: ${actual} against ${want}`);
      const eachOf = (tensor, size, visit) => {
        assert.deepEqual(tensor.shape, [2, 2, 5, size]);
        for (const [i, value] of tensor.data.entries()) {
          const [head, row, column] = [Math.floor(i / (5 * size)), Math.floor(i / size) % 5, i % size];
          visit(value, Math.floor(head / 2), head % 2, row, column);
        }
      };
      for (const [part, matrix] of Object.entries({ q: W_q, k: W_k, v: W_v }))
        eachOf(tensorOf(part), width, (value, ...at) =>
          compare(value, entry(matrix, ...at), `${part} ${at}`),
        );
      eachOf(tensorOf('scores'), 5, (value, sequence, head, row, column) => {
        const products = Array.from(
          { length: width },
          (_, i) => entry(W_q, sequence, head, row, i) * entry(W_k, sequence, head, column, i),
        );
        const isHidden = name === 'multi_head_causal' && column > row;
        const want = isHidden ? -Infinity : products.reduce((sum, one) => sum + one) / Math.sqrt(width);
        compare(value, want, `scores ${[sequence, head, row, column]}`);
      });
      const titles = code.parts.matricesOf(parts[1]).map((matrix) => matrix.name);
      assert.deepEqual(titles, [
        'q, sequence 1, head 1',
        'q, sequence 1, head 2',
        'q, sequence 2, head 1',
        'q, sequence 2, head 2',
      ]);
    });

  test('numbers have three significant digits, and are never 0.00', () => {
    const { figures, plainFigures, vectorText } = code.figures;
    assert.deepEqual([0.004512, -0.13711, 1, 36.04, 1234.5, 0, -0, 0.00001234].map(figures), [
      '0.00451',
      '−0.137',
      '1.00',
      '36.0',
      '1235',
      '0',
      '0',
      '1.23e−5',
    ]);
    assert.equal(plainFigures(-0.0767), '-0.0767');
    assert.equal(vectorText([0.0263, -0.0372]), '[0.0263, −0.0372]');
  });
});
