// The building blocks against naive twins in double precision, and with anything at all as arguments: a result within
// the bounds of float32, or a typed error; the engine lives on. FUZZ_RUNS sets how often, FUZZ_SEED where to begin.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createEngine, TransformerError } from '../../../dist/index.js';
import { settings } from './settings.mjs';

const number = fc.float({ noNaN: true, min: -8, max: 8 });
const matrix = (rows, cols) =>
  fc.array(number, { minLength: rows * cols, maxLength: rows * cols }).map((list) => ({
    data: Float32Array.from(list),
    shape: [rows, cols],
  }));
const size = fc.integer({ min: 1, max: 9 });

const at = ({ data, shape }, i, j) => data[i * shape[1] + j];
const row = (length, f) => Array.from({ length }, (_, i) => f(i));
const sum = (list) => list.reduce((total, x) => total + x, 0);

function softmax(scores) {
  const most = Math.max(...scores);
  if (most === -Infinity) return scores.map(() => 0);
  const powers = scores.map((score) => Math.exp(score - most));
  return powers.map((power) => power / sum(powers));
}

function attention(query, key, value, { mask, isCausal, window }) {
  const [queries, width] = query.shape;
  const [keys] = key.shape;
  return row(queries, (i) => {
    const position = keys - queries + i;
    const weights = softmax(
      row(keys, (j) => {
        const hidden =
          (mask && at(mask, i, j) === 0) ||
          (isCausal && j > position) ||
          (window !== undefined && Math.abs(j - position) > window);
        return hidden
          ? -Infinity
          : sum(row(width, (d) => at(query, i, d) * at(key, j, d))) / Math.sqrt(width);
      }),
    );
    return row(value.shape[1], (d) => sum(weights.map((weight, j) => weight * at(value, j, d))));
  });
}

function close(actual, expected, bound) {
  expected.flat().forEach((wanted, i) => {
    const found = actual.data[i];
    assert.ok(Math.abs(found - wanted) <= bound, `element ${i}: ${found}, not ${wanted}`);
  });
}

describe('building blocks', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  test('attention agrees with its twin under any mask', async () => {
    const cases = fc
      .tuple(size, fc.integer({ min: 1, max: 80 }), size, size)
      .chain(([queries, keys, width, out]) =>
        fc.record({
          query: matrix(queries, width),
          key: matrix(keys, width),
          value: matrix(keys, out),
          mask: fc.option(
            fc
              .array(fc.boolean(), { minLength: queries * keys, maxLength: queries * keys })
              .map((list) => ({ data: Float32Array.from(list, Number), shape: [queries, keys] })),
            { nil: undefined },
          ),
          isCausal: fc.boolean(),
          window: fc.option(fc.oneof(fc.nat(9), fc.constant(2 ** 31 - 1)), { nil: undefined }),
        }),
      );
    await fc.assert(
      fc.asyncProperty(cases, async ({ query, key, value, ...options }) => {
        const { output } = await engine.scaledDotProductAttention(query, key, value, options);
        close(output, attention(query, key, value, options), 2e-3);
      }),
      settings(300),
    );
  });

  test('a product agrees with its twin', async () => {
    const cases = fc
      .tuple(size, fc.integer({ min: 0, max: 40 }), size)
      .chain(([m, k, n]) => fc.tuple(matrix(m, k), matrix(k, n)));
    await fc.assert(
      fc.asyncProperty(cases, async ([a, b]) => {
        const product = row(a.shape[0], (i) =>
          row(b.shape[1], (j) => sum(row(a.shape[1], (k) => at(a, i, k) * at(b, k, j)))),
        );
        close(await engine.matmul(a, b), product, 1e-3);
      }),
      settings(300),
    );
  });

  test('anything at all as arguments ends in a result or a typed error', async () => {
    const extreme = fc.constantFrom(0, -1, 1.5, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 1e-40, Number.NaN, Infinity);
    const tensor = fc.oneof(
      fc.record({
        data: fc.float32Array({ maxLength: 12 }),
        shape: fc.array(fc.oneof(fc.nat(4), extreme), { maxLength: 4 }),
      }),
      fc.array(fc.array(number, { maxLength: 3 }), { maxLength: 3 }),
      number,
    );
    const anything = fc.oneof({ weight: 3, arbitrary: tensor }, fc.anything(), extreme);
    const names = 'mask bias isCausal window scale W v Ws Wh values local score weight eps offset base'.split(
      ' ',
    );
    const options = fc.dictionary(fc.constantFrom(...names), anything, { maxKeys: 4 });
    const calls =
      'scaledDotProductAttention additiveAttention luongAttention softmax layerNorm rmsNorm matmul positionalEncoding rotaryEmbedding alibiBias paddingMask linear feedForward multiHeadAttention encoderLayer'.split(
        ' ',
      );
    const cases = fc.tuple(fc.constantFrom(...calls), fc.array(anything, { maxLength: 3 }), options);
    await fc.assert(
      fc.asyncProperty(cases, async ([name, args, last]) => {
        const begin = performance.now();
        try {
          const made = await engine[name](...args, last);
          if (typeof made?.dispose === 'function') await made.dispose();
        } catch (error) {
          assert.ok(error instanceof TransformerError, `${name}: ${error?.stack ?? error}`);
          assert.notEqual(error.code, 'internal', `${name}: ${error.message}`);
        }
        assert.ok(performance.now() - begin < 5000, `${name} took ${performance.now() - begin} ms`);
      }),
      settings(3000),
    );
    const one = await engine.matmul([[2]], [[3]]);
    assert.equal(one.data[0], 6);
  });
});
