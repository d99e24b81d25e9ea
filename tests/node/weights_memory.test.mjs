// However large the weights are, JavaScript holds only a few pieces of them at a time: they go straight into the engine.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { writeSafetensors } from '../lib/safetensors.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { writeTorch } from '../lib/torch_save.mjs';

const maxLength = 400_000;
const table = {
  shape: [maxLength, tinyConfig.d_model],
  data: new Float32Array(maxLength * tinyConfig.d_model),
};
const tensors = new Map([
  ...tinyTensors(tinyConfig),
  ['src_positions.weight', table],
  ['tgt_positions.weight', table],
]);
const files = {
  'model.safetensors': writeSafetensors(tensors),
  'pytorch_model.bin': writeTorch(tensors),
};

let folder;
let engine;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  engine = await createEngine({ threads: 1, worker: false });
  const small = tinyModel({ config: { positions: 'learned', max_length: maxLength } });
  for (const name of ['config.json', 'tokenizer.json']) await writeFile(join(folder, name), small.get(name));
});
after(async () => {
  await engine.dispose();
  await rm(folder, { recursive: true });
});

for (const [name, bytes] of Object.entries(files)) {
  test(name, async () => {
    await writeFile(join(folder, name), bytes);
    const held = process.memoryUsage().arrayBuffers;
    let most = 0;
    let heap = 0;
    const onProgress = () => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - held);
      heap = Math.max(heap, engine.info.heapBytes);
    };
    const model = await loadModel(folder, { engine, onProgress });
    const kept = engine.info.heapBytes;
    assert.equal(model.info.bytes, bytes.length);
    assert.ok(bytes.length > 50e6 && kept > 50e6);
    assert.ok(most < 0.25 * bytes.length, `JavaScript held ${most} bytes of ${bytes.length}`);
    assert.ok(heap < 1.1 * kept, `the engine held ${heap} bytes for ${kept}`);
    await model.dispose();
    await rm(join(folder, name));
  });
}
