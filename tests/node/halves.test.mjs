// Checkpoints of 16 bits (float16, bfloat16): half the memory, and the results of float32 to the last bit.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { caseNames, readFamilyCase } from '../lib/families.mjs';
import { narrowed, widened } from '../lib/halves.mjs';
import { refusesToLoad } from '../lib/refuses.mjs';
import { readSafetensors, writeSafetensors } from '../lib/safetensors.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { repeatWithRelaxedSimd, variants } from '../lib/variants.mjs';

const types = { BF16: 'bf16', F16: 'f16' };

/** Some numbers become subnormal in float16. */
function scaled(tensors) {
  for (const { data } of tensors.values())
    for (let i = 0; i < data.length; i += 13) data[i] *= 2 ** -((i % 7) + 8);
  return tensors;
}

/** All numbers of a result, tensors within it too. */
function numbersOf(value) {
  if (ArrayBuffer.isView(value)) return [new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
  return value && typeof value === 'object' ? Object.values(value).flatMap(numbersOf) : [];
}

const layers = { num_encoder_layers: 3, num_decoder_layers: 3 };
const medium = { ...tinyConfig, ...layers, d_model: 256, d_ff: 1024 };
const mediumTensors = scaled(tinyTensors(medium));

const filesOf = (tensors) => tinyModel({ config: medium, tensors });

for (const options of variants) {
  describe(`16 bits, ${options.simd} with ${options.threads} thread(s)`, () => {
    let engine;
    before(async () => {
      engine = await createEngine(options);
    });
    after(() => engine.dispose());

    /** What a model gives with both dtypes, and its info. */
    async function both(files, run) {
      const found = {};
      for (const dtype of ['auto', 'f32']) {
        const model = await loadModel(files, { engine, dtype });
        found[dtype] = { info: model.info, result: await run(model) };
        await model.dispose();
      }
      return found;
    }

    for (const name of caseNames.filter((one) => one !== 't5_sharded_bf16')) {
      for (const [dtype, ours] of Object.entries(types)) {
        test(`${name} in ${dtype}`, async () => {
          const given = readFamilyCase(name);
          const tensors = narrowed(scaled(widened(readSafetensors(given.file('model.safetensors')))), dtype);
          const files = given.files({ 'model.safetensors': writeSafetensors(tensors) });
          const asked = { outputAttentions: true, outputHiddenStates: true };
          const { auto, f32 } = await both(files, (model) => model.forward(given.inputs, asked));
          assert.equal(auto.info.dtype, ours);
          assert.equal(f32.info.dtype, 'f32');
          assert.ok(auto.info.weightBytes < f32.info.weightBytes);
          const [kept, wide] = [numbersOf(auto.result), numbersOf(f32.result)];
          assert.ok(wide.length > 0 && kept.length === wide.length);
          for (const [i, bytes] of wide.entries()) assert.ok(Buffer.compare(kept[i], bytes) === 0);
        });
      }
    }

    for (const dtype of Object.keys(types)) {
      test(`generation from ${dtype}: greedy, sampled, beams, batches`, async () => {
        const tensors = narrowed(mediumTensors, dtype);
        const files = filesOf(tensors);
        const texts = ['The cat sat on the mat.', 'the dog', 'we like the big red house'];
        const { auto, f32 } = await both(files, async (model) => [
          await model.generate(texts[0]),
          await model.generate(texts, { numBeams: 4, numReturnSequences: 2 }),
          await model.generate(texts, { doSample: true, seed: 3, numReturnSequences: 3 }),
        ]);
        assert.deepEqual(auto.result, f32.result);
      });
    }
  });
}

describe('16 bits', () => {
  const files = (dtype) => filesOf(narrowed(mediumTensors, dtype));

  for (const [dtype, ours] of Object.entries(types)) {
    test(`${dtype} takes half of the memory, during loading too`, async () => {
      const engine = await createEngine({ threads: 1 });
      const empty = engine.info.heapBytes;
      const model = await loadModel(files(dtype), { engine });
      const { bytes, weightBytes, parameters } = model.info;
      assert.equal(model.info.dtype, ours);
      assert.ok(
        bytes > 10e6 && weightBytes < 2.1 * parameters,
        `${weightBytes} for ${parameters} parameters`,
      );
      const held = engine.info.heapBytes - empty;
      assert.ok(held < 1.1 * weightBytes, `${held} in use for ${weightBytes}`);
      // The initial memory has 16 MB.
      assert.ok(engine.info.memoryBytes < 17e6 + weightBytes, `${engine.info.memoryBytes} of memory`);
      await engine.dispose();
    });

    test(`${dtype} in 8 bits gives what the same numbers in float32 give`, async () => {
      const narrow = narrowed(tinyTensors(tinyConfig), dtype);
      const found = [];
      for (const tensors of [narrow, widened(narrow)]) {
        const model = await loadModel(tinyModel().set('model.safetensors', writeSafetensors(tensors)), {
          dtype: 'int8',
        });
        assert.equal(model.info.dtype, 'int8');
        found.push(await model.generate('The cat sat on the mat.'));
        await model.dispose();
      }
      assert.deepEqual(found[0], found[1]);
    });
  }

  test('the shipped layout: shards in bfloat16', async () => {
    const model = await loadModel(readFamilyCase('t5_sharded_bf16').files());
    assert.equal(model.info.dtype, 'bf16');
    await model.dispose();
  });

  test('each matrix keeps its own type; the info names that of most numbers', async () => {
    const name = 'encoder.layers.0.linear1.weight';
    const kept = mediumTensors.get(name);
    const model = await loadModel(filesOf(new Map([...narrowed(mediumTensors, 'F16'), [name, kept]])));
    const other = await loadModel(files('F16'));
    assert.deepEqual(model.info.storedDtypes.slice().sort(), ['F16', 'F32']);
    assert.equal(model.info.dtype, 'f16');
    assert.equal(model.info.weightBytes - other.info.weightBytes, 2 * kept.data.length);
    for (const one of [model, other]) await one.dispose();
  });

  test('a weight that is not finite is rejected as in float32', async () => {
    const engine = await createEngine({ threads: 1 });
    for (const [dtype, bits, message] of [
      ['BF16', 0x7f80, /linear2\.weight.*infinite/],
      ['F16', 0xfc00, /linear2\.weight.*infinite/],
      ['F16', 0x7e01, /linear2\.weight.*NaN/],
    ]) {
      const tensors = narrowed(tinyTensors(tinyConfig), dtype);
      tensors.get('encoder.layers.1.linear2.weight').data[77] = bits;
      const damaged = tinyModel().set('model.safetensors', writeSafetensors(tensors));
      await refusesToLoad(engine, damaged, { code: 'bad_checkpoint', message });
    }
    await engine.dispose();
  });
});

repeatWithRelaxedSimd(import.meta.url);
