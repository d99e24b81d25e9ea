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
