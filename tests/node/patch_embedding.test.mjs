// Patches of images as vectors, against PyTorch's convolution.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine } from '../../dist/index.js';
import { assertClose, assertSameBits, readCase } from '../lib/reference.mjs';

describe('patch embedding', () => {
  const { get, weights, config } = readCase('torch_patch_embedding');
  const { weight, bias, class_token, pos_embedding } = weights;
  const images = get('images');
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  test('is a convolution', async () => {
    const layer = await engine.patchEmbedding({ patchSize: config.patch_size }, { weight, bias });
    const states = await layer.forward(images);
    assertClose(states, get('output.patches'), 1e-5, 'patches');
    assert.equal(layer.parameterCount, weight.data.length + bias.data.length);
    // One image without the batch axis, with the same bits.
    const size = images.data.length / 2;
    const one = await layer.forward({
      data: images.data.subarray(0, size),
      shape: images.shape.slice(1),
    });
    assert.deepEqual(one.shape, [6, 10]);
    assertSameBits(one, { data: states.data.slice(0, 60), shape: [6, 10] }, 'one image');
    await layer.dispose();
  });

  test('with a class token and positions', async () => {
    const layer = await engine.patchEmbedding({}, weights);
    assertClose(await layer.forward(images), get('output.tokens'), 1e-5, 'tokens');
    const count = [weight, bias, class_token, pos_embedding].reduce((sum, { data }) => sum + data.length, 0);
    assert.equal(layer.parameterCount, count);
    await layer.dispose();
    await assert.rejects(layer.forward(images), { code: 'disposed' });
  });

  test('from a seed', async () => {
    const layer = await engine.patchEmbedding({ patchSize: 4, dModel: 8, channels: 1 }, { seed: 3 });
    const { shape } = await layer.forward({ data: new Float32Array(64), shape: [1, 1, 8, 8] });
    assert.deepEqual(shape, [1, 4, 8]);
  });

  const zeros = (...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape });
  for (const [what, make, message] of [
    ['a size that is nowhere', () => [{ dModel: 8 }, { seed: 1 }], /patchSize is missing/],
    [
      'a window that is not square',
      () => [{}, { weight: zeros(5, 3, 2, 4) }],
      /\[dModel, channels, patch, patch\]/,
    ],
    ['another size than that of the weights', () => [{ patchSize: 2 }, { weight, bias }], /shape/],
    [
      'a class token of another width',
      () => [{}, { weight, bias, class_token: zeros(1, 1, 9) }],
      /class_token/,
    ],
    [
      'positions that are no numbers',
      () => [
        {},
        { weight, bias, pos_embedding: { data: new Float32Array(10).fill(Number.NaN), shape: [1, 10] } },
      ],
      /pos_embedding/,
    ],
    ['a tensor that nothing uses', () => [{}, { weight, bias, scale: zeros(1) }], /does not use: scale/],
  ])
    test(`refuses ${what}`, () =>
      assert.rejects(engine.patchEmbedding(...make()), { code: 'invalid_argument', message }));

  for (const [what, given, message] of [
    ['other channels', zeros(1, 4, 8, 8), /\[batch, 3, height, width\]/],
    ['an image smaller than a patch', zeros(1, 3, 3, 8), /at least 4/],
    ['a matrix', zeros(8, 8), /images must be/],
    ['an image with more patches than positions', zeros(3, 12, 12), /7 positions, but the images have 10/],
  ])
    test(`refuses ${what}`, async () => {
      const layer = await engine.patchEmbedding({}, weights);
      await assert.rejects(layer.forward(given), { code: 'invalid_argument', message });
      await layer.dispose();
    });
});
