// Pictures: the numbers of Python's image processors from their own config files, and classification.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { pixelPlan } from '../../build/modules/signal/image_processor.js';
import { signalModule } from '../../build/modules/signal/module.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { pipeline } from '../../dist/pipeline.js';
import { json, readFamilyCase } from '../lib/families.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { assertClose } from '../lib/reference.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';
import { folderWithWords } from '../lib/tiny_folder.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const folder = new URL('../fixtures/pictures/image_processing/', import.meta.url);
const readJson = (name) => JSON.parse(readFileSync(new URL(name, folder)));

describe('image processors', () => {
  const tensors = readSafetensors(readFileSync(new URL('expected.safetensors', folder)));
  const anySize = { rows: 24, columns: 24 };

  for (const { processor, image } of readJson('expected.json').calls) {
    test(`${processor}, picture ${image}`, async () => {
      const { data, shape } = tensors.get(`image.${image}`);
      const [rows, columns, channels] = shape;
      const raw = { data: Uint8Array.from(data), rows, columns, channels };
      const plan = pixelPlan(readJson(`preprocessor_config.${processor}.json`), anySize, raw);
      const module = await signalModule({});
      assertClose(
        module.pixelValues(raw, plan),
        tensors.get(`pixel_values.${processor}.${image}`),
        1e-5,
        image,
      );
    });
  }

  test('older files give one number for a size', () => {
    const raw = { data: new Uint8Array(12), rows: 2, columns: 2, channels: 3 };
    const plan = pixelPlan({ feature_extractor_type: 'ViTFeatureExtractor', size: 30 }, anySize, raw);
    assert.deepEqual(plan.size, { rows: 30, columns: 30 });
    assert.equal(plan.resample, 'bilinear');
    assert.equal(plan.crop, undefined);
  });

  test('what is not known is refused', () => {
    const raw = { data: new Uint8Array(12), rows: 2, columns: 2, channels: 3 };
    const refused = (config, expected) => assert.throws(() => pixelPlan(config, anySize, raw), expected);
    refused({ image_processor_type: 'DonutImageProcessor' }, { code: 'unsupported', message: /Donut/ });
    refused({ resample: 9 }, { code: 'unsupported', message: /resample/ });
    refused({ size: { longest_edge: 5 } }, { code: 'bad_checkpoint', message: /size is not a size/ });
    refused({ image_mean: [1] }, { code: 'bad_checkpoint', message: /3 colours/ });
    const oneChannel = { ...anySize, channels: 1 };
    const three = { image_std: [0.5, 0.5, 0.5] };
    assert.throws(() => pixelPlan(three, oneChannel, raw), { code: 'bad_checkpoint', message: /one number/ });
  });
});

describe('classification', () => {
  let engine;
  let model;
  before(async () => {
    engine = await createEngine({ threads: 1 });
    const config = { image_processor_type: 'ViTImageProcessor', size: { height: 16, width: 16 } };
    model = await loadModel(readFamilyCase('vit').files({ 'preprocessor_config.json': json(config) }), {
      engine,
    });
  });
  after(() => engine.dispose());

  const ramp = (count) => Uint8Array.from({ length: count }, (_, i) => (i * 37) % 256);

  test('a picture of the size of the model', async () => {
    const data = ramp(16 * 16 * 3);
    const values = new Float32Array(data.length);
    // [rows, columns, channels] -> [channels, rows, columns], from -1 to 1
    for (let i = 0; i < 256; i++)
      for (let colour = 0; colour < 3; colour++) values[colour * 256 + i] = data[i * 3 + colour] / 127.5 - 1;
    const { logits } = await model.forward({ pixelValues: { data: values, shape: [1, 3, 16, 16] } });
    const powers = Array.from(logits.data, Math.exp);
    const sum = powers.reduce((a, b) => a + b, 0);
    const labels = await model.classifyImage({ data, width: 16, height: 16, channels: 3 });
    assert.equal(labels.length, 5);
    for (const [i, { label, score }] of labels.entries()) {
      assert.ok(Math.abs(score - powers[Number(label.slice(6))] / sum) < 1e-5);
      assert.ok(i === 0 || labels[i - 1].score >= score);
    }
    assert.deepEqual(await model.classifyImage({ data, width: 16, height: 16, channels: 3 }, { topK: 2 }), [
      ...labels.slice(0, 2),
    ]);
  });

  test('one pixel, gray, and a form like that of ImageData', async () => {
    for (const [width, height, channels] of [
      [1, 1, 3],
      [1, 1, 1],
      [40, 3, undefined],
    ]) {
      const data = new Uint8ClampedArray(ramp(width * height * (channels ?? 4)));
      const labels = await model.classifyImage({ data, width, height, ...(channels && { channels }) });
      const sum = labels.reduce((total, { score }) => total + score, 0);
      assert.ok(Math.abs(sum - 1) < 1e-6);
    }
  });

  test('what is no picture is refused', async () => {
    const heap = engine.info.heapBytes;
    const refused = (image, code, message) => assert.rejects(model.classifyImage(image), { code, message });
    await refused(
      { data: ramp(5), width: 1, height: 1, channels: 3 },
      'invalid_argument',
      /has 3 bytes, got 5/,
    );
    await refused(
      { data: ramp(2), width: 1, height: 1, channels: 2 },
      'invalid_argument',
      /1 channel \(gray\)/,
    );
    await refused(
      { data: ramp(0), width: 0, height: 1 },
      'invalid_argument',
      /width must be an integer from 1/,
    );
    await refused({ data: [1, 2, 3], width: 1, height: 1 }, 'invalid_argument', /must be bytes/);
    await refused({ data: ramp(5), width: 1, height: 1, channels: 5 }, 'invalid_argument', /channels/);
    await refused(new Blob([]), 'unsupported', /no browser can decode/);
    const cmyk = readFileSync(new URL('../fixtures/pictures/cmyk.jpg', import.meta.url));
    await refused(new Blob([cmyk]), 'unsupported', /no browser can decode it; got/);
    await refused(null, 'unsupported', /got null/);
    const text = await loadModel(tinyModel(), { engine });
    const pixel = { data: ramp(3), width: 1, height: 1, channels: 3 };
    await assert.rejects(text.classifyImage(pixel), {
      code: 'unsupported',
      message: /does not take pictures/,
    });
    await text.dispose();
    assertHeap(engine, heap);
  });
});

describe('image to text', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  for (const name of ['ved_vit_gpt2', 'ved_trocr']) {
    const given = readFamilyCase(name);
    const pictures = [0, 1].map((i) => {
      const { data, shape } = given.get(`image.${i}`);
      const [height, width, channels] = shape;
      return { data: Uint8Array.from(data), width, height, channels };
    });
    const preprocessor = { 'preprocessor_config.json': given.file('preprocessor_config.json') };

    test(`${name}: pictures become the text of Python's ids`, async () => {
      const folder = folderWithWords(name, {}, preprocessor);
      const describe = await pipeline('image-to-text', folder, { engine });
      const { sequences } = given.about.generation.find((call) => call.name === 'beam4');
      const decode = (ids) => describe.model.tokenizer.decode(ids, { skipSpecialTokens: true }).trim();
      const expected = sequences.map((ids) => [{ generated_text: decode(ids) }]);
      const found = await describe(pictures, { max_new_tokens: 20 });
      assert.deepEqual(found, expected);
      const options = { generate_kwargs: { max_new_tokens: 20, num_return_sequences: 2 } };
      const [best, second] = await describe(pictures[0], options);
      assert.deepEqual([best], expected[0]);
      assert.ok(second.generated_text.length > 0);
      await describe.dispose();
    });

    test(`${name}: other inputs are refused, and 8 bits work`, async () => {
      const model = await loadModel(given.files(preprocessor), { engine, dtype: 'int8' });
      const wrong = { code: 'invalid_argument', message: /takes images: pass \{ pixelValues \}/ };
      await assert.rejects(model.generate([5, 6, 7]), wrong);
      await assert.rejects(model.generate({ inputFeatures: given.get('pixel_values') }), {
        code: 'unsupported',
      });
      await assert.rejects(model.generate({ pixelValues: [[[1]]] }), { code: 'invalid_argument' });
      const results = await model.generate({ pixelValues: given.get('pixel_values') }, { maxNewTokens: 5 });
      assert.equal(results.length, 2);
      await model.dispose();
    });
  }

  test('a classifier does not write, and a writer of texts takes no pictures', async () => {
    const classifier = await loadModel(readFamilyCase('vit').files(), { engine });
    const picture = { data: new Uint8Array(3), width: 1, height: 1, channels: 3 };
    const describe = await pipeline('image-to-text', classifier);
    await assert.rejects(describe(picture), { code: 'unsupported', message: /no decoder/ });
    const writer = await pipeline('image-to-text', tinyModel(), { engine });
    await assert.rejects(writer(picture), { code: 'unsupported', message: /does not take pictures/ });
  });
});
