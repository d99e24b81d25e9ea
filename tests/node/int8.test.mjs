// dtype 'int8': quantised matrices, in every variant of the engine.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel, Tensor } from '../../dist/index.js';
import { caseNames, readFamilyCase } from '../lib/families.mjs';
import { cosine, int8Product } from '../lib/int8_twin.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { assertSameBits } from '../lib/reference.mjs';
import { refusesToLoad } from '../lib/refuses.mjs';
import { writeSafetensors } from '../lib/safetensors.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { repeatWithRelaxedSimd, variants } from '../lib/variants.mjs';

function tensorMaker(seed) {
  const { normal } = randomNumbers(seed);
  return (...shape) =>
    new Tensor(Float32Array.from({ length: shape.reduce((all, size) => all * size, 1) }, normal), shape);
}

for (const options of variants) {
  describe(`int8, ${options.simd} with ${options.threads} thread(s)`, () => {
    let engine;
    let bits;
    before(async () => {
      engine = await createEngine(options);
      const model = await loadModel(tinyModel(), { engine, dtype: 'int8' });
      bits = Number(/activations of (7|16) bits/.exec(model.info.notes.join())[1]);
      await model.dispose();
    });
    after(() => engine.dispose());

    test('activations have 16 bits if the relaxed dot product is unavailable or wrong', () => {
      const isRight = options.simd === 'relaxed' && Number(process.versions.node.split('.')[0]) >= 24;
      assert.equal(bits, isRight ? 7 : 16);
    });

    test('a linear layer is bitwise equal to its twin, at odd sizes', async () => {
      const tensor = tensorMaker(1);
      for (const rows of [1, 2, 3, 4, 5, 6, 7, 11, 65]) {
        for (const out of [1, 7, 8, 17, 33, 130]) {
          for (const into of [1, 3, 16, 17, 70, 515]) {
            const [x, weight] = [tensor(rows, into), tensor(out, into)];
            const layer = await engine.linear({ dtype: 'int8' }, { weight });
            const what = `${rows} x ${into} x ${out}`;
            assertSameBits(await layer.forward(x), int8Product(x, weight, bits), what);
            await layer.dispose();
          }
        }
      }
    });

    test('NaN and infinity give NaN in their own row only', async () => {
      const tensor = tensorMaker(2);
      const layer = await engine.linear({ dtype: 'int8' }, { weight: tensor(9, 21), bias: tensor(9) });
      const x = tensor(3, 21);
      const clean = await layer.forward(x);
      for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
        const spoilt = new Tensor(x.data.slice(), x.shape);
        spoilt.data[21 + 17] = bad;
        const { data } = await layer.forward(spoilt);
        assert.ok(data.subarray(9, 18).every(Number.isNaN));
        for (const row of [0, 2])
          assert.deepEqual(data.slice(9 * row, 9 * row + 9), clean.data.slice(9 * row, 9 * row + 9));
      }
      await layer.dispose();
    });

    test('a transformer with random weights is close to its float32 results', async () => {
      const config = { dModel: 128, numHeads: 4, numEncoderLayers: 3, numDecoderLayers: 3, vocabSize: 500 };
      const ids = (count, first) => [Array.from({ length: count }, (_, i) => (first + 37 * i) % 500)];
      const [src, tgt] = [ids(30, 5), ids(20, 9)];
      const [a, b] = await Promise.all(
        ['f32', 'int8'].map(async (dtype) => {
          const model = await engine.transformer({ ...config, dtype }, { seed: 3 });
          const { logits } = await model.forward(src, tgt);
          await model.dispose();
          return logits;
        }),
      );
      // Measured: 0.99994 with 16 bits, 0.99968 with 7.
      const near = cosine(a.data, b.data);
      assert.ok(near >= (bits === 7 ? 0.999 : 0.9999), `cosine ${near}`);
      assert.ok(near < 0.999999, 'the results are those of float32');
    });

    // Centred, since logits have a large common part. Measured: at least 0.9995 with 16 bits, 0.9989 with 7 (bert_mlm), except
    // for bart_seqcls, which has nine logits: 0.9974.
    for (const name of caseNames) {
      test(`${name}: close to float32`, async () => {
        const given = readFamilyCase(name);
        const outputs = [];
        for (const dtype of ['f32', 'int8']) {
          const model = await loadModel(given.files(), { engine, dtype });
          assert.equal(model.info.dtype, dtype);
          outputs.push(await model.forward(given.inputs));
          await model.dispose();
        }
        const [exact, near] = outputs.map(
          ({ logits, startLogits, imageEmbeds, lastHiddenState }) =>
            (logits ?? startLogits ?? imageEmbeds ?? lastHiddenState).data,
        );
        const mean = exact.reduce((sum, x) => sum + x, 0) / exact.length;
        const close = cosine(
          exact.map((x) => x - mean),
          near.map((x) => x - mean),
        );
        assert.ok(close > (bits === 7 && name === 'bart_seqcls' ? 0.997 : 0.998), `cosine ${close}`);
      });
    }
  });
}

describe('int8', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  test('takes a quarter of the memory, during loading too, and reports it', async () => {
    const layers = { num_encoder_layers: 3, num_decoder_layers: 3 };
    const files = tinyModel({ config: { ...tinyConfig, ...layers, d_model: 256, d_ff: 1024 } });
    const fresh = await createEngine({ threads: 1 });
    const before = fresh.info.heapBytes;
    const model = await loadModel(files, { engine: fresh, dtype: 'int8' });
    const { bytes, weightBytes, dtype, notes } = model.info;
    assert.equal(dtype, 'int8');
    assert.match(notes.join(), /Weights of 8 bits by activations of/);
    assert.ok(bytes > 20e6, 'bytes is the size of the float32 file');
    assert.ok(weightBytes < 0.27 * bytes, `${weightBytes} of ${bytes}`);
    assert.ok(fresh.info.heapBytes - before < 1.1 * weightBytes, `${fresh.info.heapBytes - before} in use`);
    // The initial memory has 16 MB.
    assert.ok(fresh.info.memoryBytes < 17e6 + weightBytes, `${fresh.info.memoryBytes} of memory`);
    await fresh.dispose();
  });

  test('f32 reports its memory too', async () => {
    const model = await loadModel(tinyModel(), { engine });
    assert.equal(model.info.dtype, 'f32');
    assert.ok(model.info.weightBytes >= 4 * model.info.parameters);
    await model.dispose();
  });

  test('a weight that is not finite is rejected as in float32', async () => {
    for (const bad of [Number.NaN, Number.NEGATIVE_INFINITY]) {
      const tensors = tinyTensors(tinyConfig);
      tensors.get('encoder.layers.1.linear2.weight').data[77] = bad;
      const files = tinyModel().set('model.safetensors', writeSafetensors(tensors));
      const message = Number.isNaN(bad) ? /linear2\.weight.*NaN/ : /linear2\.weight.*infinite/;
      await refusesToLoad(engine, files, { code: 'bad_checkpoint', message }, { dtype: 'int8' });
    }
  });

  test('another dtype is rejected', async () => {
    const expected = { code: 'invalid_argument', message: /dtype/ };
    for (const dtype of ['int2', 8, null]) {
      await refusesToLoad(engine, tinyModel(), expected, { dtype });
      await assert.rejects(engine.linear({ dtype }, { weight: [[1]] }), expected);
      await assert.rejects(engine.transformer({ dModel: 8, numHeads: 1, dtype }, { seed: 1 }), expected);
    }
  });
});

repeatWithRelaxedSimd(import.meta.url);
