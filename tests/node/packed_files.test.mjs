// Checkpoints with weights of 4 bits: those that `quantize --dtype int4` writes, and those of GPTQ, AutoAWQ and
// compressed-tensors, against naive twins of their layouts.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { quantizeCheckpoint } from '../../build/modules/cli/quantize_checkpoint.js';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { caseNames, json, readFamilyCase } from '../lib/families.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { in4Bits } from '../lib/int4_twin.mjs';
import { awq, compressed, gptq, layouts, pack } from '../lib/packed.mjs';
import { withFolder, withQuantizationConfig, writeFiles } from '../lib/quantized.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { assertSameOutputs } from '../lib/reference.mjs';
import { refusesToLoad } from '../lib/refuses.mjs';
import { joinFile, readSafetensors, writeSafetensors } from '../lib/safetensors.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';

const weightsName = 'model.safetensors';
const inputs = { inputIds: [[4, 5, 6, 3]], decoderInputIds: [[2, 7, 8]] };

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

async function quantize(files) {
  return withFolder(async (folder) => {
    const source = await writeFiles(join(folder, 'in'), files);
    const target = join(folder, 'out');
    const options = {
      dtype: 'int4',
      force: false,
      signal: new AbortController().signal,
      onProgress: () => {},
    };
    const report = await quantizeCheckpoint(source, target, options);
    const names = await readdir(target);
    const written = names.map(async (name) => [name, await readFile(join(target, name))]);
    return { report, files: new Map(await Promise.all(written)) };
  });
}

async function forward(files, given = inputs, options = {}) {
  const model = await loadModel(files, { engine, ...options });
  try {
    const output = await model.forward(given, { outputHiddenStates: true });
    return { output, info: model.info };
  } finally {
    await model.dispose();
  }
}

describe('written by quantize', () => {
  for (const name of caseNames) {
    test(`${name}: the same bits as its original with int4`, async () => {
      const given = readFamilyCase(name);
      const { files, report } = await quantize(given.files());
      const { output, info } = await forward(files, given.inputs);
      assert.equal(info.dtype, 'int4');
      assert.deepEqual(info.unusedTensors, []);
      assert.equal(info.bytes, files.get(weightsName).length);
      assert.ok(report.relativeError > 0.001 && report.relativeError < 0.13, `${report.relativeError}`);
      const original = await forward(given.files(), given.inputs, { dtype: 'int4' });
      assertSameOutputs(output, original.output);
      assert.equal(info.parameters, original.info.parameters);
    });
  }

  test('float32 of it is what the twin gives, and the file is small', async () => {
    const config = { ...tinyConfig, d_model: 64, d_ff: 96 };
    const tensors = tinyTensors(config);
    const { files } = await quantize(tinyModel({ config, tensors }));
    assert.ok(files.get(weightsName).length < 0.25 * tinyModel({ config, tensors }).get(weightsName).length);
    const isIn4Bits = (name) => /(in_proj_|out_proj\.|linear\d\.|projection\.)weight$/.test(name);
    const byHand = new Map(
      [...tensors].map(([name, tensor]) => [name, isIn4Bits(name) ? in4Bits(tensor) : tensor]),
    );
    // The embedding is in 8 bits in both.
    const expected = await forward(tinyModel({ config, tensors: byHand }), inputs, { dtype: 'int4' });
    assertSameOutputs((await forward(files)).output, expected.output);
  });
});

const filesOf = (tensors, config) => withQuantizationConfig(tinyModel({ tensors }), config);

describe('written by other programs', () => {
  for (const [what, layout, config, options] of layouts) {
    test(`${what}: the numbers of the twin, in any order and in several files`, async () => {
      const { tensors, whole } = pack(layout, options);
      const expected = await forward(tinyModel({ tensors: whole }), inputs, { dtype: 'f32' });
      const { output, info } = await forward(filesOf(tensors, config), inputs, { dtype: 'f32' });
      assertSameOutputs(output, expected.output);
      assert.deepEqual(info.unusedTensors, []);
      const reversed = await forward(filesOf(new Map([...tensors].reverse()), config), inputs, {
        dtype: 'f32',
      });
      assertSameOutputs(reversed.output, expected.output);

      const sharded = filesOf(tensors, config);
      sharded.delete(weightsName);
      const shards = [new Map(), new Map()];
      const map = {};
      for (const [i, [name, tensor]] of [...tensors].entries()) {
        shards[i % 2].set(name, tensor);
        map[name] = `model-${i % 2}.safetensors`;
      }
      for (const [i, shard] of shards.entries())
        sharded.set(`model-${i}.safetensors`, writeSafetensors(shard));
      sharded.set('model.safetensors.index.json', json({ weight_map: map }));
      assertSameOutputs((await forward(sharded, inputs, { dtype: 'f32' })).output, expected.output);
    });
  }

  // Its matrices are stored as [in, out], but those programs write all matrices alike.
  for (const [what, layout, config, options] of layouts.slice(0, 5)) {
    test(`${what} of GPT-2: the numbers of the twin`, async () => {
      const given = readFamilyCase('gpt2');
      const { tensors, whole } = pack(layout, options, {
        original: readSafetensors(given.files().get(weightsName)),
        matrices: /\.h\.\d+\.(attn|mlp)\.c_\w+\.weight$/,
        isInputsFirst: true,
      });
      const files = (written) => new Map(given.files()).set(weightsName, writeSafetensors(written));
      const expected = await forward(files(whole), given.inputs, { dtype: 'f32' });
      const packedFiles = withQuantizationConfig(files(tensors), config);
      const { output, info } = await forward(packedFiles, given.inputs, { dtype: 'f32' });
      assertSameOutputs(output, expected.output);
      assert.deepEqual(info.unusedTensors, []);
    });
  }

  test('are kept in 4 bits only where groups and zero points allow it', async () => {
    for (const [layout, config, options, dtype] of [
      ['compressed', compressed({ group_size: 32 }), { groupSize: 32 }, 'int4'],
      ['compressed', compressed({}), {}, 'int8'],
      ['compressed_zeros', compressed({ symmetric: false, group_size: 32 }), { groupSize: 32 }, 'int8'],
      ['awq', { ...awq, group_size: 32 }, { groupSize: 32 }, 'int8'],
      ['gptq', { ...gptq, sym: true, group_size: 32 }, { groupSize: 32, hasOrder: true }, 'int4'],
      [
        'gptq',
        { ...gptq, sym: true, desc_act: true, group_size: 32 },
        { groupSize: 32, hasOrder: true },
        'int8',
      ],
    ]) {
      const { info } = await forward(filesOf(pack(layout, options).tensors, config));
      assert.equal(info.dtype, dtype, JSON.stringify(config));
    }
  });
});

describe('refused', () => {
  const name = 'encoder.layers.0.linear1.weight';
  const bad = (message) => ({ code: 'bad_checkpoint', message });
  const config = compressed({ symmetric: true });
  const changed = (change) => {
    const { tensors } = pack('compressed');
    change(tensors);
    return filesOf(tensors, config);
  };

  test('parts that are missing or do not fit', async () => {
    for (const [change, message] of [
      [(tensors) => tensors.delete(`${name}_scale`), /linear1\.weight' in 4 bits has no scales/],
      [
        (tensors) => tensors.get(`${name}_scale`).shape.reverse(),
        /linear1\.weight_scale' has the shape \[2,24\]/,
      ],
      [(tensors) => (tensors.get(`${name}_packed`).dtype = 'F32'), /weight_packed' is stored as F32/],
      [(tensors) => (tensors.get(`${name}_shape`).data[1] = 15n), /weight_shape' holds \[24,15\]/],
      [(tensors) => tensors.get(`${name}_scale`).data.fill(0x7c00), /weight_scale' holds an infinite number/],
    ])
      await refusesToLoad(engine, changed(change), bad(message));
    const { tensors } = pack('gptq', { hasOrder: true });
    tensors.get('encoder.layers.0.linear1.g_idx').data[3] = 2;
    await refusesToLoad(engine, filesOf(tensors, gptq), bad(/g_idx' names the group 2 of 2/));
    const { tensors: others } = pack('awq');
    others.delete('encoder.layers.0.linear1.qzeros');
    await refusesToLoad(engine, filesOf(others, awq), bad(/linear1\.weight' in 4 bits has no zeros/));
  });

  test('a file that is cut off', async () => {
    const files = changed(() => {});
    const whole = files.get(weightsName);
    const blob = new Blob([whole.subarray(0, whole.length - 40)]);
    await refusesToLoad(engine, new Map(files).set(weightsName, blob), bad(/cut off/));
  });

  test('for any header, the error is typed and no memory is leaked', async () => {
    const random = randomNumbers(8);
    const { files } = await quantize(tinyModel());
    const bytes = files.get(weightsName);
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    const header = new TextDecoder().decode(bytes.subarray(8, 8 + length));
    const heap = engine.info.heapBytes;
    let refused = 0;
    for (let round = 0; round < 200; round++) {
      const letters = [...header];
      for (let i = 0; i <= random.below(3); i++)
        letters[random.below(letters.length)] = '0123456789[]{},:"IBF6_pack'[random.below(26)];
      try {
        await forward(
          new Map(files).set(weightsName, joinFile(letters.join(''), [bytes.subarray(8 + length)])),
        );
      } catch (error) {
        assert.ok(error instanceof TransformerError, `${error.stack}`);
        assert.notEqual(error.code, 'internal', error.message);
        refused += 1;
      }
    }
    assert.ok(refused > 120, `${refused} were refused`);
    assertHeap(engine, heap);
  });
});
