// Weight files with random damage: always a typed error or tensors of the declared sizes, and the engine keeps working.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createEngine, loadModel, TransformerError } from '../../build/modules/index.js';
import { startComputing } from '../lib/cpu_time.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { readWeights } from '../lib/stored_weights.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { writeTorch } from '../lib/torch_save.mjs';

const binName = 'pytorch_model.bin';
const fixture = (path) => readFileSync(new URL(`../fixtures/reference/${path}`, import.meta.url));

describe('random changes to weight files', () => {
  const samples = [
    ['model.safetensors', tinyModel().get('model.safetensors')],
    ['model.safetensors', fixture('torch_views/model.safetensors')],
    [binName, writeTorch(tinyTensors(tinyConfig))],
    [binName, writeTorch(tinyTensors(tinyConfig), { is64: true })],
    [binName, fixture('torch_views/pytorch_model.bin')],
    [binName, fixture('torch_views/model_legacy_format.pt')],
    [binName, fixture('torch_mha_bias_kv_zero/model.pt')],
  ];

  /** Changes, removes, duplicates or truncates some bytes, mostly at the ends, where the structure of the file is. */
  function damage(file, random) {
    let bytes = Buffer.from(file);
    for (let change = 1 + random.below(4); change > 0; change--) {
      const near = Math.min(bytes.length, 1 + random.below(random.below(2) ? 3000 : bytes.length));
      const place = Math.max(0, random.below(2) ? random.below(near) : bytes.length - 1 - random.below(near));
      const length = random.below(12);
      const special = [0, 1, 0x7f, 0x80, 0xff, 0x28, 0x2e][random.below(7)];
      const kind = random.below(10);
      if (kind < 4) bytes[place] = random.below(256);
      else if (kind < 7) bytes.subarray(place, place + length).fill(special);
      else if (kind === 7) bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + length)]);
      else if (kind === 8) bytes = Buffer.concat([bytes.subarray(0, place + length), bytes.subarray(place)]);
      else bytes = bytes.subarray(0, place);
    }
    return bytes;
  }

  test('end in a typed error, or in tensors of the declared sizes', async () => {
    const random = randomNumbers(20261120);
    const codes = new Map();
    for (let round = 0; round < 6000; round++) {
      const [name, file] = samples[round % samples.length];
      const files = new Map([[name, damage(file, random)]]);
      const computed = startComputing();
      try {
        for (const { bytes } of (await readWeights(files)).values())
          assert.ok(bytes.length <= 2 * file.length);
        codes.set('read', (codes.get('read') ?? 0) + 1);
      } catch (error) {
        assert.ok(error instanceof TransformerError, `round ${round}: ${error.stack}`);
        assert.ok(['bad_checkpoint', 'unsupported'].includes(error.code), `${round}: ${error.message}`);
        assert.ok(error.message.includes(name), `round ${round}: ${error.message}`);
        codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
      }
      const took = computed();
      assert.ok(took < 2000, `round ${round} took ${took} ms`);
    }
    assert.ok(codes.get('read') > 100 && codes.get('bad_checkpoint') > 1000, JSON.stringify([...codes]));
  });

  test('of an index end in a typed error, or in the tensors of its files', async () => {
    const folder = 't5_sharded_bf16';
    const index = 'model.safetensors.index.json';
    const shards = [1, 2, 3].map((i) => `model-0000${i}-of-00003.safetensors`);
    const files = new Map([index, ...shards].map((name) => [name, fixture(`${folder}/${name}`)]));
    const random = randomNumbers(46);
    const codes = new Map();
    for (let round = 0; round < 800; round++) {
      const changed = new Map(files).set(index, damage(files.get(index), random));
      try {
        const found = await readWeights(changed);
        assert.ok([...found.values()].every(({ file }) => shards.includes(file)));
        codes.set('read', (codes.get('read') ?? 0) + 1);
      } catch (error) {
        assert.ok(error instanceof TransformerError, `round ${round}: ${error.stack}`);
        assert.ok(['bad_checkpoint', 'missing_file'].includes(error.code), `${round}: ${error.message}`);
        assert.ok(error.message.includes(index), `round ${round}: ${error.message}`);
        codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
      }
    }
    assert.equal(codes.size, 3, JSON.stringify([...codes]));
  });

  test('do not affect the engine', async () => {
    const engine = await createEngine({ threads: 1 });
    const heap = engine.info.heapBytes;
    const random = randomNumbers(7);
    for (let round = 0; round < 300; round++) {
      const files = tinyModel();
      files.delete('model.safetensors');
      const [name, file] = round % 2 ? samples[0] : samples[2];
      files.set(name, damage(file, random));
      try {
        await (await loadModel(files, { engine })).dispose();
      } catch (error) {
        assert.ok(error instanceof TransformerError, `round ${round}: ${error.stack}`);
        assert.ok(['bad_checkpoint', 'unsupported'].includes(error.code), `${round}: ${error.message}`);
      }
      assertHeap(engine, heap, `round ${round}`);
    }
    const model = await loadModel(tinyModel(), { engine });
    assert.ok((await model.translate('The cat sat on the mat.')).text.length > 0);
    await engine.dispose();
  });
});
