// 8-bit checkpoints that are rejected: wrong scales, other quantisations, damaged headers.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';
import {
  filesOf8Bits,
  quantizationConfig,
  scaleName,
  tensorsOf8Bits,
  withQuantizationConfig,
} from '../lib/quantized.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { refusesToLoad } from '../lib/refuses.mjs';
import { joinFile } from '../lib/safetensors.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const weightsName = 'model.safetensors';
const inputs = { inputIds: [[4, 5, 6, 3]], decoderInputIds: [[2, 7, 8]] };
const matrix = 'encoder.layers.0.linear1.weight';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

async function withModel(files, work) {
  const model = await loadModel(files, { engine, dtype: 'f32' });
  try {
    return await work(model);
  } finally {
    await model.dispose();
  }
}

describe('quantised checkpoints that are rejected', () => {
  const refuses = (files, expected) => refusesToLoad(engine, files, expected);
  const bad = (message) => ({ code: 'bad_checkpoint', message });
  const withScale = (scale) => filesOf8Bits(new Map(tensorsOf8Bits()).set(scaleName(matrix), scale));
  const ones = (...shape) => ({
    shape,
    data: new Float32Array(shape.reduce((all, size) => all * size, 1)).fill(1),
  });

  test('a scale that is missing or has the wrong shape or type', async () => {
    const without = tensorsOf8Bits();
    without.delete(scaleName(matrix));
    await refuses(
      filesOf8Bits(without),
      bad(/model\.safetensors: .*linear1\.weight' is stored as I8.*no '.*linear1\.weight_scale'/),
    );
    for (const shape of [[24], [23, 1], [16, 1], [1, 24], [24, 16], [24, 1, 1], [0, 1], [2]]) {
      await refuses(
        withScale(ones(...shape)),
        bad(/linear1\.weight_scale' has the shape \[.*\], expected .*\[24,1\]/),
      );
    }
    await refuses(
      withScale({ dtype: 'I32', shape: [24, 1], data: new Int32Array(24) }),
      bad(/linear1\.weight_scale' is stored as I32/),
    );
  });

  test('a scale that is not positive', async () => {
    for (const value of [Number.NaN, 0, -0, -1, Number.POSITIVE_INFINITY]) {
      const scale = ones(24, 1);
      scale.data[23] = value;
      await refuses(
        withScale(scale),
        bad(/model\.safetensors: .*linear1\.weight_scale' holds (NaN|0|-1|Infinity)/),
      );
    }
  });

  test('integers without a quantization_config', async () => {
    const files = tinyModel({ tensors: tensorsOf8Bits() });
    for (const config of [undefined, null, {}]) {
      await refuses(
        withQuantizationConfig(files, config),
        bad(/is stored as I8, but config\.json has no quantization_config/),
      );
    }
  });

  test('fewer integers than the shape requires', async () => {
    const files = filesOf8Bits(tensorsOf8Bits());
    const whole = files.get(weightsName);
    await refuses(new Map(files).set(weightsName, whole.subarray(0, -1)), bad(/cut off/));
    // A stream of unknown length.
    const blob = new Blob([whole.subarray(0, whole.length - 40)]);
    await refuses(new Map(files).set(weightsName, blob), bad(/cut off/));
    const lie = tensorsOf8Bits();
    lie.get(matrix).shape = [24, 17];
    await refuses(
      filesOf8Bits(lie),
      bad(/linear1\.weight' of shape \[24,17\] in I8 needs 408 bytes, but its data_offsets span 384/),
    );
  });

  test('other quantisations, by name', async () => {
    const tensors = tensorsOf8Bits();
    tensors.set(matrix, { dtype: 'U8', shape: [24, 16], data: new Uint8Array(384) });
    await refuses(filesOf8Bits(tensors), bad(/linear1\.weight' is stored as U8/));
  });

  const group = quantizationConfig.config_groups.group_0;
  const grouped = (change) => ({
    ...quantizationConfig,
    config_groups: { group_0: { ...group, ...change } },
  });
  const weightsWith = (change) => grouped({ weights: { ...group.weights, ...change } });
  for (const [what, config, message] of [
    ['GPTQ in 8 bits', { quant_method: 'gptq', bits: 8, group_size: 128 }, /bits 8/],
    [
      'GPTQ for Marlin',
      { quant_method: 'gptq', bits: 4, group_size: 128, checkpoint_format: 'marlin' },
      /checkpoint_format "marlin"/,
    ],
    ['AWQ in 8 bits', { quant_method: 'awq', bits: 8, zero_point: true }, /bits 8/],
    ['AWQ for other kernels', { quant_method: 'awq', bits: 4, version: 'gemv' }, /version "gemv"/],
    ['bitsandbytes', { quant_method: 'bitsandbytes', load_in_4bit: true }, /bitsandbytes/],
    ['bitsandbytes of old', { load_in_8bit: true }, /load_in_8bit/],
    ['float8', { quant_method: 'fp8' }, /fp8/],
    ['packed 8 bits', { ...quantizationConfig, format: 'pack-quantized' }, /group_0: weights: num_bits 8/],
    ['float8 as compressed-tensors', { ...quantizationConfig, format: 'float-quantized' }, /float-quantized/],
    ['no format', { ...quantizationConfig, format: undefined }, /compressed-tensors, null/],
    ['4 bits', weightsWith({ num_bits: 4 }), /group_0: weights: num_bits 4/],
    ['floats', weightsWith({ type: 'float' }), /weights: type "float"/],
    ['zero points', weightsWith({ symmetric: false }), /weights: symmetric false/],
    ['groups', weightsWith({ strategy: 'group', group_size: 128 }), /weights: strategy "group"/],
    [
      'static activations',
      grouped({ input_activations: { ...group.input_activations, dynamic: false } }),
      /input_activations/,
    ],
    ['outputs', grouped({ output_activations: group.input_activations }), /output_activations/],
    ['caches', { ...quantizationConfig, kv_cache_scheme: { num_bits: 8 } }, /kv_cache_scheme/],
    ['sparse', { ...quantizationConfig, sparsity_config: { format: 'sparse-bitmask' } }, /sparse-bitmask/],
    ['transforms', { ...quantizationConfig, transform_config: { config_groups: {} } }, /transform_config/],
  ]) {
    test(`${what}: named in the error`, () =>
      refuses(filesOf8Bits(tensorsOf8Bits(), config), { code: 'unsupported', message }));
  }

  test('an invalid quantization_config', async () => {
    for (const config of [
      'int8',
      [1],
      7,
      { ...quantizationConfig, config_groups: {} },
      grouped({ weights: 3 }),
    ]) {
      await refuses(filesOf8Bits(tensorsOf8Bits(), config), bad(/quantization_config/));
    }
    const nothing = { ...quantizationConfig, sparsity_config: { format: 'dense' }, transform_config: {} };
    await withModel(filesOf8Bits(tensorsOf8Bits(), nothing), () => {});
  });

  test('for any header, the error is typed and no memory is leaked', async () => {
    const random = randomNumbers(8);
    const files = filesOf8Bits(tensorsOf8Bits());
    const whole = files.get(weightsName);
    const length = Number(new DataView(whole.buffer, whole.byteOffset).getBigUint64(0, true));
    const header = new TextDecoder().decode(whole.subarray(8, 8 + length));
    const data = whole.subarray(8 + length);
    const heap = engine.info.heapBytes;
    let refused = 0;
    for (let round = 0; round < 300; round++) {
      const changed = [...header];
      for (let i = 0; i <= random.below(3); i++) {
        const place = random.below(changed.length);
        changed[place] =
          random.below(2) === 0
            ? '0123456789[]{},:"IF8_scale'[random.below(26)]
            : changed[random.below(changed.length)];
      }
      try {
        const model = await loadModel(new Map(files).set(weightsName, joinFile(changed.join(''), [data])), {
          engine,
        });
        await model.dispose();
      } catch (error) {
        assert.ok(error instanceof TransformerError, `${error.stack}`);
        assert.notEqual(error.code, 'internal', error.message);
        refused += 1;
      }
    }
    assert.ok(refused > 200, `${refused} were refused`);
    assertHeap(engine, heap);
    await withModel(files, (model) => model.forward(inputs));
  });
});
