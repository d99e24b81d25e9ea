// The last page of the 4 GB that 32-bit WebAssembly can address: what does not fit is refused, and changes no bit of what is
// there. Files that declare more than they bring fill most of the memory, and nobody writes to it: it costs addresses, and
// about 0.5 GB of the machine's memory.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';
import { joinFile } from '../lib/safetensors.mjs';
import { tensorShapes, tinyConfig, tinyModel } from '../lib/tiny_model.mjs';

const gigabyte = 2 ** 30;
const pageBytes = 65_536;
const brought = 4 << 20;

/** A model whose table of tokens has so many bytes, of which the file brings the first 4 MB; it ends when `end` resolves. */
function folderThatEnds(bytes, end = Promise.resolve()) {
  const width = 1024;
  const config = { ...tinyConfig, d_model: width, vocab_size: Math.floor(bytes / width / 4) };
  Object.assign(config, { num_encoder_layers: 1, num_decoder_layers: 0 });
  let size = 0;
  const header = {};
  for (const [name, shape] of tensorShapes(config)) {
    const begin = size;
    size += shape.reduce((product, n) => product * n, 4);
    header[name] = { dtype: 'F32', shape, data_offsets: [begin, size] };
  }
  const start = new Blob([joinFile(JSON.stringify(header), [new Uint8Array(brought)])]);
  const whole = start.size - brought + size;
  const slice = (from, to) => (from < start.size ? start.slice(from, to) : { arrayBuffer: () => end });
  const file = new Proxy(start, {
    get: (_, name) => (name === 'size' ? whole : name === 'slice' ? slice : Reflect.get(start, name)),
  });
  // Of the small files alone: nobody draws gigabytes of random weights.
  return tinyModel({ config, tensors: new Map() }).set('model.safetensors', file);
}

/** Until the engine has not taken more memory for a while. */
async function settled(engine) {
  for (let before = -1; before !== engine.info.heapBytes; ) {
    before = engine.info.heapBytes;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

const ones = (size) => ({ shape: [1, size], data: new Float32Array(size).fill(1) });

const square = (engine, size, seed) => engine.linear({ inFeatures: size, outFeatures: size }, { seed });

/** Layers of falling sizes, until not even the smallest fits. */
async function fill(engine) {
  const layers = [];
  for (let size = 2048; size >= 16; ) {
    try {
      layers.push({ layer: await square(engine, size, layers.length), size });
    } catch (error) {
      assert.equal(error.code, 'out_of_memory');
      size /= 2;
    }
  }
  return layers;
}

/** What the layers give. A pass needs a little memory of its own. */
async function results(layers) {
  const given = [];
  for (const { layer, size } of layers) given.push((await layer.forward(ones(size))).data);
  return given;
}

for (const threads of [1, 2]) {
  describe(`the last page, ${threads} threads`, () => {
    test('a full memory keeps every bit, and is given back', async () => {
      const engine = await createEngine({ threads });
      const heap = engine.info.heapBytes;
      let endAll;
      const end = new Promise((resolve) => {
        endAll = () => resolve(new ArrayBuffer(0));
      });
      const held = [1.2, 1.2, 1.2, 0.2].map((size) =>
        loadModel(folderThatEnds(size * gigabyte, end), { engine, dtype: 'f32' }).catch((error) => error),
      );
      await settled(engine);
      assert.ok(engine.info.heapBytes > 3.7 * gigabyte, `${engine.info.heapBytes} bytes are held`);
      const room = await square(engine, 512, 1);
      const layers = await fill(engine);
      assert.ok(engine.info.memoryBytes > 4 * gigabyte - 3 * pageBytes, `${engine.info.memoryBytes} bytes`);
      const full = engine.info.heapBytes;
      assert.ok(full > 3.99 * gigabyte, `${full} bytes are in use`);
      await room.dispose(); // for what a pass needs
      const before = await results(layers);

      for (const size of [0.05, 0.3, 1.2, 2.5, 3.9])
        await assert.rejects(loadModel(folderThatEnds(size * gigabyte), { engine, dtype: 'f32' }), {
          code: 'out_of_memory',
        });
      for (let i = 0; i < 4; i++)
        await assert.rejects(engine.linear({ inFeatures: 15_000, outFeatures: 15_000 }, { seed: 1 }), {
          code: 'out_of_memory',
        });
      assert.deepEqual(await results(layers), before);

      endAll();
      for (const error of await Promise.all(held)) assert.match(error.message, /is cut off/);
      assert.deepEqual(await results(layers), before);
      for (const { layer } of layers) await layer.dispose();
      assertHeap(engine, heap + 4096);
      await assert.rejects(loadModel(folderThatEnds(3.5 * gigabyte), { engine, dtype: 'f32' }), /is cut off/);
      await engine.dispose();
    });
  });
}
