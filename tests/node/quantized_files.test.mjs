// 8-bit checkpoints, written and read: for every family, the numbers of a naive twin; in every order and form that other
// programs write.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { quantizeCheckpoint } from '../../build/modules/cli/quantize_checkpoint.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { caseNames, json, readFamilyCase } from '../lib/families.mjs';
import { cosine } from '../lib/int8_twin.mjs';
import { quantizeRow } from '../lib/integers.mjs';
import {
  channelOf,
  dequantized,
  filesOf8Bits,
  scaleName,
  tensorsOf8Bits,
  withFolder,
  writeFiles,
} from '../lib/quantized.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { assertSameOutputs } from '../lib/reference.mjs';
import { readSafetensors, writeSafetensors } from '../lib/safetensors.mjs';
import { readWeights } from '../lib/stored_weights.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { writeTorch } from '../lib/torch_save.mjs';

const weightsName = 'model.safetensors';
const everything = { outputHiddenStates: true, outputAttentions: true };

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

/** Quantises files; returns the result as files and its report. */
async function quantize(files) {
  return withFolder(async (folder) => {
    const source = await writeFiles(join(folder, 'in'), files);
    const target = join(folder, 'out');
    const report = await quantizeCheckpoint(source, target, {
      force: false,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    const names = await readdir(target);
    assert.deepEqual(names.sort(), [...report.files].sort());
    return {
      report,
      files: new Map(
        await Promise.all(names.map(async (name) => [name, await readFile(join(target, name))])),
      ),
    };
  });
}

async function withModel(files, work, options = {}) {
  const model = await loadModel(files, { engine, dtype: 'f32', ...options });
  try {
    return await work(model);
  } finally {
    await model.dispose();
  }
}

const forward = (files, inputs, options) =>
  withModel(files, (model) => model.forward(inputs, everything), options);

/** Numbers of any stored type. */
function floatsOf({ dtype, bytes }) {
  const raw = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  if (dtype === 'F32') return new Float32Array(raw);
  const bits = new Uint16Array(raw);
  if (dtype === 'BF16') return new Float32Array(Uint32Array.from(bits, (one) => one << 16).buffer);
  assert.equal(dtype, 'F16');
  // Without infinity, which weights do not contain.
  return Float32Array.from(bits, (one) => {
    const exponent = (one >> 10) & 0x1f;
    const fraction = (one & 0x3ff) / 1024 + (exponent > 0 ? 1 : 0);
    return (one & 0x8000 ? -1 : 1) * fraction * 2 ** (Math.max(exponent, 1) - 15);
  });
}

describe('for every family', () => {
  for (const name of caseNames) {
    const given = readFamilyCase(name);
    test(`${name}: integers and scales of the naive twin, everything else unchanged, the same bits as quantised by hand`, async () => {
      const original = given.files();
      const { files, report } = await quantize(original);
      const stored = await readWeights(original);
      const tensors = readSafetensors(files.get(weightsName));
      const matrices = [...tensors.keys()].filter((one) => tensors.get(one).dtype === 'I8');
      assert.ok(matrices.length >= 8, `${matrices.length} matrices`);
      assert.deepEqual([...matrices].sort(), [...report.quantized].sort());
      for (const one of matrices) {
        const scales = tensors.get(scaleName(one));
        const matrix = { data: floatsOf(stored.get(one)), shape: stored.get(one).shape };
        // GPT-2's linear layers store [in, out]; its embedding, like all others, [out, in].
        const axis = /gpt2$/.test(name) && /\.(c_\w+|q_attn)\.weight$/.test(one) ? 1 : 0;
        assert.deepEqual(scales.shape, axis === 0 ? [matrix.shape[0], 1] : [1, matrix.shape[1]], one);
        for (let i = 0; i < scales.data.length; i++) {
          const expected = quantizeRow(channelOf(matrix, i, axis));
          assert.equal(scales.data[i], expected.scale, `${one}: scale ${i}`);
          const integers = channelOf({ ...tensors.get(one), shape: matrix.shape }, i, axis);
          assert.deepEqual(Array.from(integers), expected.integers, `${one}: channel ${i}`);
        }
      }
      for (const one of report.kept) {
        const { shape, dtype } = stored.get(one);
        assert.deepEqual([tensors.get(one).shape, tensors.get(one).dtype], [shape, dtype], one);
        assert.ok(
          shape.length !== 2 || /position|wpe|relative|rel_embeddings|token_type|_bias$/.test(one),
          `${one} is kept`,
        );
      }
      // Sinusoids, which can be computed; and what only training reads: the pooler of an encoder in a pair of stacks, the
      // vector of a masked patch.
      assert.ok(
        report.leftOut.every((one) => /embed_positions|^encoder\.pooler\.|mask_token$/.test(one)),
        report.leftOut.join(),
      );

      const ours = await forward(files, given.inputs);
      const byHand = new Map(original)
        .set('config.json', json(given.config))
        .set(weightsName, writeSafetensors(dequantized(tensors)));
      assertSameOutputs(ours, await forward(byHand, given.inputs));
      // In 8 bits, the default for such files, it does not matter when they were quantised.
      const inIntegers = await forward(original, given.inputs, { dtype: 'int8' });
      assertSameOutputs(await forward(files, given.inputs, { dtype: undefined }), inIntegers);
      const kind = ['logits', 'imageEmbeds', 'lastHiddenState'].find((one) => ours[one]);
      const before = (await forward(original, given.inputs))[kind];
      const closeness = cosine(ours[kind].data, before.data);
      assert.ok(closeness > 0.999, `the cosine of ${kind} is ${closeness}`);
    });
  }

  test('quantising a dequantised checkpoint again changes nothing', async () => {
    const first = await quantize(tinyModel());
    const floats = dequantized(readSafetensors(first.files.get(weightsName)));
    const second = await quantize(tinyModel({ tensors: floats }));
    assert.deepEqual(second.files.get(weightsName), first.files.get(weightsName));
    assert.equal(second.report.relativeError, 0);
  });

  test('every file format gives the same result', async () => {
    const tensors = tinyTensors(tinyConfig);
    const expected = (await quantize(tinyModel({ tensors }))).files;
    const torch = tinyModel({ tensors });
    torch.delete(weightsName);
    torch.set('pytorch_model.bin', writeTorch(tensors));
    assert.deepEqual((await quantize(torch)).files, expected);
    const doubles = new Map(
      [...tensors].map(([name, { shape, data }]) => [
        name,
        { dtype: 'F64', shape, data: Float64Array.from(data) },
      ]),
    );
    const { files } = await quantize(tinyModel({ tensors: doubles }));
    const inputs = { inputIds: [[4, 5, 6]], decoderInputIds: [[2, 7]] };
    assertSameOutputs(await forward(files, inputs), await forward(expected, inputs));
  });
});

describe('the numbers', () => {
  /** A model whose first feed-forward layer has these rows after quantisation. */
  const rowsAfter = async (rows) => {
    const tensors = tinyTensors(tinyConfig);
    const name = 'encoder.layers.0.linear1.weight';
    for (const [i, row] of rows.entries()) tensors.get(name).data.set(row, i * 16);
    const { files } = await quantize(tinyModel({ tensors }));
    const after = readSafetensors(files.get(weightsName));
    const scales = after.get(scaleName(name)).data;
    return rows.map((_, i) => ({ scale: scales[i], integers: [...channelOf(after.get(name), i, 0)] }));
  };
  const row = (...values) => [...values, ...new Array(16 - values.length).fill(0)];

  test('ties round to even, in both directions', async () => {
    const [{ scale, integers }] = await rowsAfter([row(127, 0.5, 1.5, 2.5, -0.5, -1.5, -126.5, 0.49999)]);
    assert.equal(scale, 1);
    assert.deepEqual(integers.slice(0, 8), [127, 0, 2, 2, 0, -2, -126, 0]);
  });

  test('zeros, the smallest and the largest floats', async () => {
    const largest = 3.4028234663852886e38;
    const [zeros, smallest, huge] = await rowsAfter([
      row(0),
      row(2 ** -149, -(2 ** -149)),
      row(largest, -largest),
    ]);
    assert.deepEqual(zeros, { scale: 1, integers: row(0) });
    assert.deepEqual(smallest, { scale: 1, integers: row(0) });
    assert.deepEqual(huge.integers, row(127, -127));
    assert.ok(Number.isFinite(Math.fround(127 * huge.scale)));
  });

  test('every q * scale is exact in float32', async () => {
    const random = randomNumbers(17);
    const rows = Array.from({ length: 24 }, () =>
      Array.from({ length: 16 }, () => random.normal() * 2 ** (random.below(60) - 30)),
    );
    for (const { scale, integers } of await rowsAfter(rows)) {
      assert.equal(Math.max(...integers.map(Math.abs)), 127);
      for (let q = 1; q <= 127; q++) assert.equal(Math.fround(q * scale), q * scale);
    }
  });
});

const inputs = { inputIds: [[4, 5, 6, 3]], decoderInputIds: [[2, 7, 8]] };
const matrix = 'encoder.layers.0.linear1.weight';

describe('written by other programs', () => {
  const byHand = (tensors) => forward(tinyModel({ tensors: dequantized(tensors) }), inputs);

  test('scales after their matrices, before them, in another file', async () => {
    const tensors = tensorsOf8Bits();
    const expected = await byHand(tensors);
    const isScale = (name) => name.endsWith('_scale');
    const scales = [...tensors].filter(([name]) => isScale(name));
    const others = [...tensors].filter(([name]) => !isScale(name));
    for (const order of [[...tensors], [...others, ...scales], [...scales, ...others]]) {
      assertSameOutputs(await forward(filesOf8Bits(new Map(order)), inputs), expected);
    }
    for (const shards of [
      [scales, others],
      [others, scales],
    ]) {
      const files = filesOf8Bits(tensors);
      files.delete(weightsName);
      const map = {};
      for (const [i, shard] of shards.entries()) {
        files.set(`model-${i}.safetensors`, writeSafetensors(new Map(shard)));
        for (const [name] of shard) map[name] = `model-${i}.safetensors`;
      }
      files.set('model.safetensors.index.json', json({ weight_map: map }));
      assertSameOutputs(await forward(files, inputs), expected);
    }
  });

  test('scales in 16 bits, and one scale for a whole matrix', async () => {
    const tensors = tensorsOf8Bits();
    const bits = Uint16Array.from([...tensors.get(scaleName(matrix)).data.keys()], (i) => 0x3c00 + i);
    const floats = (shape) => ({
      dtype: 'F32',
      shape,
      data: new Float32Array(Uint32Array.from(bits, (one) => one << 16).buffer),
    });
    const shape = [bits.length, 1];
    const expected = await byHand(new Map(tensors).set(scaleName(matrix), floats(shape)));
    const stored = new Map(tensors).set(scaleName(matrix), { dtype: 'BF16', shape, data: bits });
    assertSameOutputs(await forward(filesOf8Bits(stored), inputs), expected);
    for (const one of [[1], [1, 1], []]) {
      const single = new Map(tensors).set(scaleName(matrix), { shape: one, data: Float32Array.of(0.01) });
      assertSameOutputs(await forward(filesOf8Bits(single), inputs), await byHand(single));
    }
  });

  test('-128 is accepted', async () => {
    const tensors = tensorsOf8Bits();
    tensors.get(matrix).data.fill(-128, 0, 20);
    assertSameOutputs(await forward(filesOf8Bits(tensors), inputs), await byHand(tensors));
  });

  test('scales are neither parameters nor unused tensors', async () => {
    await withModel(filesOf8Bits(tensorsOf8Bits()), async ({ info }) => {
      assert.equal(info.dtype, 'f32');
      assert.deepEqual(info.unusedTensors, []);
      assert.deepEqual([...info.storedDtypes].sort(), ['F32', 'I8']);
      await withModel(tinyModel(), (model) => assert.equal(info.parameters, model.info.parameters));
    });
  });
});
