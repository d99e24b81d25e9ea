// The included ViT for digits: PyTorch's numbers, and accuracy on held-out images before and after quantisation.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { attentionRollout, createEngine, loadModel } from '../../dist/index.js';
import { assertClose, assertSameBits } from '../lib/reference.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';

const fixture = (name) => readFileSync(new URL(`../fixtures/digits/${name}`, import.meta.url));
const { labels, sets, right_before_quantisation: rightBefore } = JSON.parse(fixture('expected.json'));
const expected = readSafetensors(fixture('expected.safetensors'));
const bytes = new Uint8Array(gunzipSync(fixture('images.u8.gz')));

const folder = fileURLToPath(new URL('../../dist/models/digits', import.meta.url));
let engine;
let inFloats;
let model;
before(async () => {
  engine = await createEngine({ threads: 1 });
  inFloats = await loadModel(folder, { engine, dtype: 'f32' });
  model = await loadModel(folder, { engine });
});
after(() => engine.dispose());

/** Images `begin` to `end`, normalised as in preprocessor_config.json. */
function pixelValues(begin, end) {
  const { rescale_factor: factor, image_mean: mean, image_std: std } = preprocessing;
  const pixels = bytes.subarray(begin * 784, end * 784);
  return {
    data: Float32Array.from(pixels, (byte) => (byte * factor - mean[0]) / std[0]),
    shape: [end - begin, 1, 28, 28],
  };
}
const preprocessing = JSON.parse(
  readFileSync(new URL('../../web/public/models/digits/preprocessor_config.json', import.meta.url)),
);

const logitsOf = async (some, begin = 0, end = labels.length) =>
  (await some.forward({ pixelValues: pixelValues(begin, end) })).logits;

/** For each image, whether its digit has the largest logit. */
function judge({ data }) {
  return labels.map((label, i) => {
    const logits = data.subarray(i * 10, i * 10 + 10);
    return logits.indexOf(Math.max(...logits)) === label;
  });
}
const count = (verdicts) => verdicts.filter(Boolean).length;

test('smaller than 1 MB, quantised, no unused tensors', () => {
  const size = readdirSync(folder).reduce((sum, name) => sum + statSync(`${folder}/${name}`).size, 0);
  assert.ok(size < 2.5e5, `${size} bytes`);
  assert.equal(model.info.dtype, 'int8');
  assert.deepEqual(model.info.unusedTensors, []);
});

test("PyTorch's logits for the stored weights, computed in float32", async () => {
  const logits = await logitsOf(inFloats);
  assert.deepEqual(logits.shape, [labels.length, 10]);
  assertClose(logits, expected.get('logits'), 5e-5, 'logits');
});

test('at least 97 % of each held-out set, and quantisation costs at most 0.3 points', async () => {
  const verdicts = judge(await logitsOf(model));
  let begin = 0;
  for (const [name, size] of Object.entries(sets)) {
    const right = count(verdicts.slice(begin, begin + size));
    assert.ok(right / size >= 0.97, `${name}: ${right} of ${size}`);
    begin += size;
  }
  const lost = rightBefore - count(verdicts);
  assert.ok(lost / labels.length <= 0.003, `8 bits lose ${lost} of ${labels.length}`);
});

test('the same bits alone and in a batch', async () => {
  for (const some of [inFloats, model]) {
    const { data } = await logitsOf(some);
    for (const i of [0, 1, 57, 399])
      assertSameBits(
        await logitsOf(some, i, i + 1),
        { data: data.slice(i * 10, i * 10 + 10), shape: [1, 10] },
        `${i}`,
      );
  }
});

test("attention rollout: the class vector's row equals NumPy's", async () => {
  const { attentions } = await inFloats.forward(
    { pixelValues: pixelValues(0, 1) },
    { outputAttentions: true },
  );
  const rollout = await attentionRollout(attentions);
  const { data, shape } = expected.get('rollout');
  assertClose(rollout, { data, shape: [1, ...shape] }, 1e-5, 'rollout');
  assert.equal(shape[0], 1 + 7 * 7);
});

test('classifyImage takes a picture: gray, or colours that are made gray', async () => {
  const begins = [0, 3, 17];
  for (const i of begins) {
    const data = bytes.slice(i * 784, (i + 1) * 784);
    const { data: logits } = await logitsOf(model, i, i + 1);
    const best = String(logits.indexOf(Math.max(...logits)));
    const gray = await model.classifyImage({ data, width: 28, height: 28, channels: 1 });
    assert.equal(gray.length, 10);
    assert.match(gray[0].label, new RegExp(`(^|_)${best}$`));
    const powers = Array.from(logits, Math.exp);
    const most = Math.max(...powers) / powers.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(gray[0].score - most) < 1e-5);
    const coloured = Uint8Array.from({ length: 784 * 4 }, (_, place) =>
      place % 4 === 3 ? 255 : data[Math.floor(place / 4)],
    );
    assert.deepEqual(await model.classifyImage({ data: coloured, width: 28, height: 28 }), gray);
  }
});
