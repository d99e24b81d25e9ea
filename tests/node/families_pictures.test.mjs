// Encoders of pictures, alone and beside one of texts: other sizes than the trained one, pictures as they come, and their tasks.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { pipeline } from '../../dist/pipeline.js';
import { assertNear, readFamilyCase, tolerance } from '../lib/families.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { assertSameBits } from '../lib/reference.mjs';
import { folderWithIds } from '../lib/tiny_folder.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const load = (files) => loadModel(files, { engine });

/** The pictures of a case, as a caller has them. */
function picturesOf({ get, has }) {
  const images = [];
  for (let i = 0; has(`image.${i}`); i++) {
    const { data, shape } = get(`image.${i}`);
    const [height, width, channels] = shape;
    images.push({ data: Uint8Array.from(data), width, height, channels });
  }
  return images;
}

/** The real ids of each text, as a text for a tokenizer whose words are ids. */
const wordsOf = ({ get, has }) => {
  const { data, shape } = get('input_ids');
  const [batch, time] = shape;
  const mask = has('attention_mask') ? get('attention_mask').data : null;
  return Array.from({ length: batch }, (_, row) =>
    [...data.subarray(row * time, (row + 1) * time)]
      .filter((_, i) => !mask || mask[row * time + i])
      .join(' '),
  );
};

const vocabulary = { clip: 70, clip_gelu: 70, siglip: 64, siglip2_naflex: 64 };

describe('pictures of other sizes', () => {
  for (const name of ['dinov2', 'dinov2_with_registers', 'dinov3_vit', 'dinov2_classifier']) {
    const given = readFamilyCase(name);
    const { get, has } = given;

    test(`${name}: positions are resized`, async () => {
      const model = await load(given.files());
      const pixelValues = get('pixel_values_other_size');
      const output = await model.forward({ pixelValues }, { outputAttentions: true });
      for (const [stored, ours] of Object.entries({
        last_hidden_state: 'lastHiddenState',
        pooler_output: 'poolerOutput',
        logits: 'logits',
      })) {
        const key = `${stored}_other_size`;
        if (has(key)) assertNear(output[ours], get(key), `${name} ${key}`, tolerance.states);
      }
      const { prefix, rows, columns } = output.patches;
      const registers = given.config.num_register_tokens ?? 0;
      assert.deepEqual({ prefix, rows, columns }, { prefix: 1 + registers, rows: 2, columns: 5 });
      assert.equal(output.attentions[0].shape[3], prefix + rows * columns);
      // The same picture without the batch axis.
      const one = await model.forward({
        pixelValues: { data: pixelValues.data, shape: pixelValues.shape.slice(1) },
      });
      assertSameBits(one.lastHiddenState ?? one.logits, output.lastHiddenState ?? output.logits, name);
      await model.dispose();
    });
  }

  test('a batch has the bits of its pictures alone, and edges that fill no patch are left out', async () => {
    const given = readFamilyCase('dinov3_vit');
    const model = await load(given.files());
    const { data } = given.get('pixel_values');
    const size = data.length / 2;
    const batch = await model.forward({ pixelValues: given.get('pixel_values') });
    const width = batch.lastHiddenState.data.length / 2;
    for (let i = 0; i < 2; i++) {
      const one = { data: data.slice(i * size, (i + 1) * size), shape: [1, 3, 24, 24] };
      const { lastHiddenState } = await model.forward({ pixelValues: one });
      assert.deepEqual(lastHiddenState.data, batch.lastHiddenState.data.slice(i * width, (i + 1) * width));
    }
    const wide = await model.forward({
      pixelValues: { data: new Float32Array(3 * 13 * 20), shape: [3, 13, 20] },
    });
    assert.deepEqual(wide.patches, { prefix: 5, rows: 2, columns: 3 });
    await assert.rejects(
      model.forward({ pixelValues: { data: new Float32Array(3 * 5 * 24), shape: [3, 5, 24] } }),
      { code: 'invalid_argument', message: /sides of at least 6, got \[3, 5, 24\]/ },
    );
    const paths = await model.forward(
      { pixelValues: given.get('pixel_values') },
      { trace: ['encoder.layers.*.output'] },
    );
    assert.equal(Object.keys(paths.trace).length, given.config.num_hidden_layers);
    const [profile] = await model.profile({ tokens: 9, rounds: 1 });
    assert.ok(profile.parts.length > 0);
    await model.dispose();
  });

  test('ViT says where its patches are', async () => {
    const model = await load(readFamilyCase('vit').files());
    const { patches } = await model.forward({ pixelValues: readFamilyCase('vit').get('pixel_values') });
    assert.equal(patches.prefix, 1);
    await model.dispose();
  });
});

describe('pictures as they come', () => {
  for (const name of ['dinov2', 'dinov2_with_registers', 'dinov3_vit']) {
    const given = readFamilyCase(name);
    test(`${name}: image-feature-extraction`, async () => {
      const files = given.files({ 'preprocessor_config.json': given.file('preprocessor_config.json') });
      const features = await pipeline('image-feature-extraction', files, { engine });
      const images = picturesOf(given);
      assertNear(await features(images), given.get('last_hidden_state'), name, tolerance.states);
      assertNear(await features(images, { pool: true }), given.get('pooler_output'), name, tolerance.states);
      const { shape } = await features(images[0]);
      assert.deepEqual(shape, [1, ...given.get('last_hidden_state').shape.slice(1)]);
      await assert.rejects(features(images, { pol: true }), { code: 'invalid_argument' });
      await features.dispose();
    });
  }

  test('dinov2_classifier: image-classification', async () => {
    const given = readFamilyCase('dinov2_classifier');
    const files = given.files({ 'preprocessor_config.json': given.file('preprocessor_config.json') });
    const classify = await pipeline('image-classification', files, { engine });
    const { data, shape } = given.get('logits');
    for (const [i, image] of picturesOf(given).entries()) {
      const logits = [...data.subarray(i * shape[1], (i + 1) * shape[1])];
      const sum = logits.reduce((total, one) => total + Math.exp(one), 0);
      for (const { label, score } of await classify(image))
        assert.ok(Math.abs(score - Math.exp(logits[Number(label.slice(1))]) / sum) < 1e-5);
    }
    await classify.dispose();
  });
});

for (const name of Object.keys(vocabulary)) {
  describe(name, () => {
    const given = readFamilyCase(name);
    const { get, inputs } = given;
    const labels = wordsOf(given);
    const images = picturesOf(given);
    let model;
    before(async () => {
      model = await load(folderWithIds(name, vocabulary[name]));
    });
    after(() => model.dispose());

    test('each encoder alone', async () => {
      const { inputIds, attentionMask, ...pictures } = inputs;
      const text = await model.forward({ inputIds, ...(attentionMask && { attentionMask }) });
      assertNear(text.textEmbeds, get('text_embeds'), 'text', 1e-5);
      assert.equal(text.imageEmbeds, undefined);
      const picture = await model.forward(pictures, { outputAttentions: true });
      assertNear(picture.imageEmbeds, get('image_embeds'), 'picture', 1e-5);
      assertNear(picture.attentions[1], get('vision_attentions.1'), 'attention', tolerance.attentions);
    });

    test('pictures become vectors, and texts', async () => {
      const features = await pipeline('image-feature-extraction', model);
      assertNear(await features(images), get('image_embeds'), 'pictures', 1e-5);
      assertNear(await model.embed(labels), get('text_embeds'), 'texts', 1e-5);
      const { shape } = await model.embed(labels[0], { truncateDim: 5 });
      assert.deepEqual(shape, [5]);
      const raw = await model.embed(labels, { normalize: false });
      const expected = given.has('text_features') ? get('text_features') : get('text_pooler_output');
      assertNear(raw, expected, 'features', tolerance.states);
      await assert.rejects(model.embed(labels, { pooling: 'mean' }), { code: 'unsupported' });
    });

    test('zero-shot-image-classification', async () => {
      const classify = await pipeline('zero-shot-image-classification', model);
      const expected = get(given.has('probabilities') ? 'probabilities' : 'probabilities_per_image');
      const options = { hypothesis_template: '{}' };
      const results = await classify(images, labels, options);
      assert.equal(results.length, images.length);
      for (const [i, list] of results.entries()) {
        assert.equal(list.length, labels.length);
        for (const [place, { label, score }] of list.entries()) {
          assert.ok(Math.abs(score - expected.data[i * labels.length + labels.indexOf(label)]) < 1e-5);
          assert.ok(place === 0 || list[place - 1].score >= score);
        }
      }
      assert.deepEqual(await classify(images[0], { candidate_labels: labels, ...options }), results[0]);
      await assert.rejects(classify(images[0], []), { code: 'invalid_argument', message: /at least one/ });
      await assert.rejects(classify(images[0], labels, { hypothesisTemplate: 'a photo' }), /contains \{\}/);
    });

    test('what it does not do is refused, and nothing is left behind', async () => {
      const { inputIds, ...pictures } = inputs;
      await assert.rejects(model.forward({}), { code: 'invalid_argument', message: /are missing/ });
      await assert.rejects(model.generate('5'), { code: 'unsupported' });
      await assert.rejects(model.forward({ inputIds, ...pictures }, { trace: ['encoder.output'] }), {
        code: 'unsupported',
        message: /texts or pictures/,
      });
      const traced = await model.forward({ inputIds }, { trace: ['encoder.output'] });
      assert.equal(traced.trace['encoder.output'].shape[0], inputIds.shape[0]);
      const withoutScale = (all) => new Map([...all].filter(([one]) => one !== 'logit_scale'));
      const damaged = () =>
        assert.rejects(load(given.changed({ tensors: withoutScale })), {
          code: 'bad_checkpoint',
          message: /logit_scale/,
        });
      const reload = async () => (await load(given.files())).dispose();
      await damaged();
      await reload();
      const heap = engine.info.heapBytes;
      await damaged();
      await reload();
      assertHeap(engine, heap);
      for (const one of await model.profile({ tokens: 4, rounds: 1 })) assert.ok(one.parts.length > 0);
    });
  });
}

test('siglip2_naflex: padded patches do not count', async () => {
  const given = readFamilyCase('siglip2_naflex');
  const model = await load(given.files());
  const { data, shape } = given.get('pixel_values');
  const [, most, width] = shape;
  const longer = new Float32Array(2 * (most + 3) * width).fill(0.25);
  const mask = new Uint8Array(2 * (most + 3));
  for (let row = 0; row < 2; row++) {
    longer.set(data.subarray(row * most * width, (row + 1) * most * width), row * (most + 3) * width);
    mask.fill(1, row * (most + 3), row * (most + 3) + most);
  }
  const pixelValues = { data: longer, shape: [2, most + 3, width] };
  const spatialShapes = given.get('spatial_shapes');
  const byShapes = await model.forward({ pixelValues, spatialShapes });
  const pixelAttentionMask = { data: mask, shape: [2, most + 3] };
  const byMask = await model.forward({ pixelValues, spatialShapes, pixelAttentionMask });
  assertSameBits(byShapes.imageEmbeds, byMask.imageEmbeds, 'masks');
  assertNear(byShapes.imageEmbeds, given.get('image_embeds'), 'padded', 1e-5);
  assert.equal(byShapes.patches, undefined);
  await assert.rejects(model.forward({ pixelValues }), {
    code: 'invalid_argument',
    message: /spatialShapes is missing/,
  });
  await assert.rejects(
    model.forward({
      pixelValues,
      spatialShapes: [
        [9, 9],
        [1, 1],
      ],
    }),
    { code: 'invalid_argument' },
  );
  await model.dispose();
});
