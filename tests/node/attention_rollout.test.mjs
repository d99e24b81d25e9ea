// Attention rollout against a naive twin and known results.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { attentionRollout, createEngine, loadModel, Tensor, TransformerError } from '../../dist/index.js';
import { readFamilyCase } from '../lib/families.mjs';

/** Small attention weights, all different, with rows that sum to one: [batch, heads, time, time]. */
function weightsOf(batch, heads, time, seed) {
  let state = seed;
  const next = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  const row = () => {
    const scores = Array.from({ length: time }, () => next() ** 3);
    const sum = scores.reduce((a, b) => a + b);
    return scores.map((score) => score / sum);
  };
  const times = (count, make) => Array.from({ length: count }, make);
  return times(batch, () => times(heads, () => times(time, row)));
}

/** The paper's equation on nested arrays, one sequence at a time. */
function naiveRollout(layers) {
  return layers[0].map((_, sequence) => {
    const mixings = layers.map((layer) => {
      const heads = layer[sequence];
      return heads[0].map((row, i) => {
        const mixed = row.map(
          (_, j) => heads.reduce((sum, head) => sum + head[i][j], 0) / heads.length + (i === j ? 1 : 0),
        );
        const sum = mixed.reduce((a, b) => a + b);
        return mixed.map((value) => value / sum);
      });
    });
    const product = (a, b) =>
      a.map((row) => row.map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));
    return mixings.slice(1).reduce((through, mixing) => product(mixing, through), mixings[0]);
  });
}

function assertNear(actual, expected, tolerance) {
  const [a, b] = [actual, expected].map((nested) => nested.flat(Number.POSITIVE_INFINITY));
  assert.equal(a.length, b.length);
  for (const [i, value] of b.entries())
    assert.ok(Math.abs(a[i] - value) <= tolerance, `${i}: ${a[i]}, not ${value}`);
}

describe('attentionRollout', () => {
  for (const [batch, heads, time, depth] of [
    [1, 1, 1, 1],
    [1, 2, 3, 1],
    [2, 3, 5, 4],
    [3, 1, 17, 6],
  ]) {
    test(`${batch} sequences of ${time}, ${heads} heads, ${depth} layers: equals the naive twin`, async () => {
      const layers = Array.from({ length: depth }, (_, i) => weightsOf(batch, heads, time, 7 + i));
      const rollout = await attentionRollout(layers.map((layer) => Tensor.from(layer)));
      assert.ok(rollout instanceof Tensor);
      assert.deepEqual(rollout.shape, [batch, time, time]);
      // The weights are rounded to float32 on input, and the rows, which sum to one, on output.
      assertNear(rollout.tolist(), naiveRollout(layers), (depth + 1) * 2 ** -24);
    });
  }

  test('layers are applied in order', async () => {
    // The first layer copies position 0 to 1, the second 1 to 2: part of 0 arrives at 2, and nothing in the other direction.
    const copy = (from, to) => [
      [[0, 1, 2].map((i) => [0, 1, 2].map((j) => Number(i === to ? j === from : i === j)))],
    ];
    const there = await attentionRollout([copy(0, 1), copy(1, 2)]);
    assert.deepEqual(there.tolist()[0], [
      [1, 0, 0],
      [0.5, 0.5, 0],
      [0.25, 0.25, 0.5],
    ]);
    const back = await attentionRollout([copy(1, 2), copy(0, 1)]);
    assert.equal(back.tolist()[0][2][0], 0);
  });

  test('a single sequence without a batch axis, and a row that attends to nothing', async () => {
    const [[alone]] = [weightsOf(1, 2, 4, 3)];
    assert.deepEqual((await attentionRollout([alone])).data, (await attentionRollout([[alone]])).data);
    const nothing = await attentionRollout([
      [
        [
          [0, 0],
          [1, 0],
        ],
      ],
    ]);
    assert.deepEqual(nothing.tolist(), [
      [
        [1, 0],
        [0.5, 0.5],
      ],
    ]);
  });

  describe('invalid input is rejected', () => {
    const zeros = (...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape });
    for (const [name, given, message] of [
      ['not an array', undefined, /^attentions must be an array of tensors, one per layer, got undefined$/],
      ['one tensor', zeros(1, 1, 2, 2), /^attentions must be an array of tensors.*got an object with data/],
      ['no layers', [], /^attentions is empty/],
      ['not a tensor', [null], /^attentions\[0\] must be a tensor/],
      [
        'a matrix',
        [zeros(2, 2)],
        /^attentions\[0\] must have the shape \[batch, heads, time, time\], got \[2, 2\]/,
      ],
      ['cross-attention', [zeros(1, 2, 3, 4)], /^attentions\[0\] must have the shape .*got \[1, 2, 3, 4\]/],
      ['no heads', [zeros(1, 0, 2, 2)], /^attentions\[0\] must have the shape .*got \[1, 0, 2, 2\]/],
      [
        'different lengths',
        [zeros(1, 1, 2, 2), zeros(1, 1, 3, 3)],
        /^attentions\[1\] has 1 sequences of 3 positions, attentions\[0\] has 1 of 2$/,
      ],
      [
        'different batch sizes',
        [zeros(1, 1, 2, 2), zeros(2, 1, 2, 2)],
        /^attentions\[1\] has 2 sequences of 2 positions/,
      ],
      [
        'scores',
        [
          [
            [
              [
                [1, 0],
                [-0.5, 1],
              ],
            ],
          ],
        ],
        /^attentions\[0\] must hold attention weights.*element 2 is -0\.5$/,
      ],
      ['NaN', [[[[[Number.NaN]]]]], /element 0 is NaN$/],
      ['infinity', [[[[[Number.POSITIVE_INFINITY]]]]], /element 0 is Infinity$/],
    ]) {
      test(name, async () => {
        await assert.rejects(attentionRollout(given), (error) => {
          assert.ok(error instanceof TransformerError);
          assert.equal(error.code, 'invalid_argument');
          assert.match(error.message, message);
          return true;
        });
      });
    }
  });

  describe("over models' attention weights", () => {
    let engine;
    before(async () => {
      engine = await createEngine({ threads: 1 });
    });
    after(() => engine.dispose());

    for (const [name, field] of [
      ['vit', 'attentions'],
      ['bert', 'attentions'],
      ['bart', 'encoderAttentions'],
    ]) {
      test(`${name}: rows sum to one`, async () => {
        const { files, inputs } = readFamilyCase(name);
        const model = await loadModel(files(), { engine });
        const output = await model.forward(inputs, { outputAttentions: true });
        const [batch, , time] = output[field][0].shape;
        const rollout = await attentionRollout(output[field]);
        assert.deepEqual(rollout.shape, [batch, time, time]);
        for (const row of rollout.tolist().flat())
          assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-5);
        await model.dispose();
      });
    }
  });
});
