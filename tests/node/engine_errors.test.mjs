// Invalid input is rejected with a message that names it, and the engine keeps working.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, Tensor, TransformerError } from '../../dist/index.js';
import { readCase } from '../lib/reference.mjs';

const refusal = (code, message) => (error) => {
  assert.ok(error instanceof TransformerError, `${error?.stack}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};

const mha = readCase('torch_mha_self');
const mhaConfig = { dModel: 16, numHeads: 4 };
const without = (object, name) => Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
const withNaN = ({ data, shape }) => ({ data: data.with(3, Number.NaN), shape });

const x = [
  [1, 2],
  [3, 4],
];

/** Name of the case -> [code, message, call]. */
const badInput = {
  'a ragged array': [
    'invalid_argument',
    /x is ragged: x\[1\] should be an array of 2/,
    (e) => e.softmax([[1, 2], [3]]),
  ],
  'a string': ['invalid_argument', /x must be a tensor .* the string 'hello'/, (e) => e.softmax('hello')],
  nothing: ['invalid_argument', /x must be a tensor .* undefined/, (e) => e.softmax()],
  'a string among numbers': [
    'invalid_argument',
    /x\[1\] should be a number, .* 'a'/,
    (e) => e.softmax([1, 'a']),
  ],
  'data that do not match the shape': [
    'invalid_argument',
    /shape \[2, 2\] of x needs 4 numbers, but there are 3/,
    (e) => e.softmax({ data: new Float32Array(3), shape: [2, 2] }),
  ],
  'an invalid shape': [
    'invalid_argument',
    /shape of x must hold integers .* -1/,
    (e) => e.softmax({ data: [], shape: [-1, 0] }),
  ],
  'an infinite size': [
    'invalid_argument',
    /shape of x must hold integers .* Infinity/,
    (e) => e.softmax({ data: [], shape: [Number.POSITIVE_INFINITY] }),
  ],
  'incompatible matrices': [
    'invalid_argument',
    /a and b cannot be multiplied: \[2, 2\]/,
    (e) => e.matmul(x, [[1, 2]]),
  ],
  'a key with the wrong width': [
    'invalid_argument',
    /key must have the width of query \(2\), got the shape \[1, 3\]/,
    (e) => e.scaledDotProductAttention(x, [[1, 2, 3]], [[1]]),
  ],
  'a NaN scale': [
    'invalid_argument',
    /scale must be a finite number, got NaN/,
    (e) => e.scaledDotProductAttention(x, x, x, { scale: Number.NaN }),
  ],
  'a misspelt option': [
    'invalid_argument',
    /options has no 'causal'; did you mean 'isCausal'\?/,
    (e) => e.scaledDotProductAttention(x, x, x, { causal: true }),
  ],
  'an option of the wrong type': [
    'invalid_argument',
    /isCausal must be true or false, got 1/,
    (e) => e.scaledDotProductAttention(x, x, x, { isCausal: 1 }),
  ],
  'a float mask': [
    'invalid_argument',
    /mask must hold booleans or 0 and 1 .* -Infinity.* bias/,
    (e) => e.scaledDotProductAttention(x, x, x, { mask: [[0, Number.NEGATIVE_INFINITY]] }),
  ],
  'a mask with the wrong shape': [
    'invalid_argument',
    /mask of shape \[1, 3\] does not broadcast/,
    (e) => e.scaledDotProductAttention(x, x, x, { mask: [[true, true, false]] }),
  ],
  'a bias with NaN': [
    'invalid_argument',
    /bias/,
    (e) => e.scaledDotProductAttention(x, x, x, { bias: [[0, Number.NaN]] }),
  ],
  'an unknown score': [
    'invalid_argument',
    /score must be one of 'dot', 'general', 'concat', got the string 'cosine'/,
    (e) => e.luongAttention(x, x, { score: 'cosine' }),
  ],
  'a score with missing weights': [
    'invalid_argument',
    /W is missing/,
    (e) => e.luongAttention(x, x, { score: 'general' }),
  ],
  'a NaN center': [
    'invalid_argument',
    /element 1 of centers must be a finite number, got NaN/,
    (e) => e.luongAttention(x, x, { score: 'dot', local: { D: 1, centers: [0, Number.NaN] } }),
  ],
  'a mask that is too large': [
    'invalid_argument',
    /more than 2\^31 - 1 elements/,
    (e) => e.causalMask(2 ** 20),
  ],
  'a fractional length': [
    'invalid_argument',
    /length must be an integer/,
    (e) => e.positionalEncoding(1.5, 8),
  ],
  'lengths beyond the mask': [
    'invalid_argument',
    /lengths\[1\] must be an integer from 0 to 4/,
    (e) => e.paddingMask([1, 5], 4),
  ],
  'a config with an unknown key': [
    'invalid_argument',
    /config has no 'nhead'|config has no 'd_model'; did you mean 'dModel'\?/,
    (e) => e.multiHeadAttention({ ...mhaConfig, d_model: 16 }, mha.weights),
  ],
  'a config without dModel': [
    'invalid_argument',
    /dModel is missing/,
    (e) => e.multiHeadAttention({}, mha.weights),
  ],
  'heads that do not divide the width': [
    'invalid_argument',
    /dModel \(16\) must be a multiple of numHeads \(3\)/,
    (e) => e.multiHeadAttention({ dModel: 16, numHeads: 3 }, { seed: 1 }),
  ],
  'no weights': ['invalid_argument', /weights are missing/, (e) => e.multiHeadAttention(mhaConfig)],
  'a missing weight': [
    'invalid_argument',
    /out_proj\.weight/,
    (e) => e.multiHeadAttention(mhaConfig, without(mha.weights, 'out_proj.weight')),
  ],
  'a weight with the wrong shape': [
    'invalid_argument',
    /out_proj\.weight.*\[16, 16\].*\[2, 2\]|out_proj\.weight.*\[2, 2\].*\[16, 16\]/,
    (e) => e.multiHeadAttention(mhaConfig, { ...mha.weights, 'out_proj.weight': x }),
  ],
  'a NaN weight': [
    'invalid_argument',
    /out_proj\.weight/,
    (e) =>
      e.multiHeadAttention(mhaConfig, {
        ...mha.weights,
        'out_proj.weight': withNaN(mha.weights['out_proj.weight']),
      }),
  ],
  'an unused weight': [
    'invalid_argument',
    /does not use: norm1\.weight/,
    (e) => e.multiHeadAttention(mhaConfig, { ...mha.weights, 'norm1.weight': [1, 2] }),
  ],
  'a negative seed': [
    'invalid_argument',
    /seed must be an integer/,
    (e) => e.multiHeadAttention(mhaConfig, { seed: -1 }),
  ],
  'a huge vocabulary': [
    'out_of_memory',
    /memory/,
    (e) =>
      e.transformer(
        { dModel: 1024, numHeads: 2, numEncoderLayers: 1, numDecoderLayers: 0, vocabSize: 2 ** 21 - 1 },
        { seed: 1 },
      ),
  ],
};

for (const options of [{ threads: 1 }, { threads: 2 }, { threads: 1, worker: true }]) {
  describe(JSON.stringify(options), () => {
    let engine;
    before(async () => {
      engine = await createEngine(options);
    });
    after(() => engine.dispose());

    for (const [name, [code, message, attempt]] of Object.entries(badInput)) {
      test(name, async () => {
        await assert.rejects(attempt(engine), refusal(code, message));
        assert.deepEqual((await engine.softmax([[5, 5]])).tolist(), [[0.5, 0.5]]);
      });
    }

    test('a token id outside of the vocabulary', async () => {
      const config = { dModel: 8, numHeads: 2, numEncoderLayers: 1, numDecoderLayers: 1, vocabSize: 11 };
      const model = await engine.transformer(config, { seed: 1 });
      await assert.rejects(model.encode([[1, 11]]), refusal('invalid_argument', /token id 11 is outside/));
      await assert.rejects(
        model.encode([[1, 0.5]]),
        refusal('invalid_argument', /src must hold token ids.* 0\.5/),
      );
      assert.deepEqual((await model.encode([[1, 10]])).shape, [1, 2, 8]);
      await model.dispose();
    });

    test('a query that may not attend to any key yields zeros', async () => {
      const mask = [
        [false, false],
        [true, true],
      ];
      const { output, weights } = await engine.scaledDotProductAttention(x, x, x, {
        mask,
        needWeights: true,
      });
      assert.deepEqual(output.tolist()[0], [0, 0]);
      assert.deepEqual(weights.tolist()[0], [0, 0]);
      assert.ok(output.data.every(Number.isFinite));
    });

    test('a disposed layer', async () => {
      const layer = await engine.multiHeadAttention(mhaConfig, mha.weights);
      await layer.dispose();
      await layer.dispose();
      await assert.rejects(layer.forward(mha.get('query')), refusal('disposed', /layer was disposed/));
      assert.deepEqual((await engine.softmax([[5, 5]])).tolist(), [[0.5, 0.5]]);
    });
  });
}

test('tensors are validated when they are created', () => {
  assert.throws(
    () => new Tensor(new Float32Array(3), [2, 2]),
    refusal('invalid_argument', /needs 4 numbers/),
  );
  assert.throws(() => Tensor.from([[1], [2, 3]]), refusal('invalid_argument', /ragged/));
  const tensor = Tensor.from([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(tensor.shape, [2, 3]);
  assert.ok(tensor.data instanceof Float32Array);
  assert.deepEqual(tensor.tolist(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(new Tensor([], [2, 0]).tolist(), [[], []]);
  assert.equal(Tensor.from(7).tolist(), 7);
});

test('every kind of array is accepted as a tensor', async () => {
  const engine = await createEngine({ threads: 1 });
  const expected = (await engine.softmax([[1, 2]])).tolist();
  for (const data of [
    new Float64Array([1, 2]),
    [1, 2],
    Int32Array.of(1, 2),
    Uint8Array.of(1, 2),
    BigInt64Array.of(1n, 2n),
  ]) {
    assert.deepEqual(
      (await engine.softmax({ data, shape: [1, 2] })).tolist(),
      expected,
      data.constructor.name,
    );
  }
  // A view of a larger buffer represents only its own numbers, and still contains them afterwards.
  const view = Float32Array.of(9, 1, 2, 9).subarray(1, 3);
  assert.deepEqual((await engine.softmax({ data: view, shape: [1, 2] })).tolist(), expected);
  assert.deepEqual([...view], [1, 2]);
  await engine.dispose();
});
