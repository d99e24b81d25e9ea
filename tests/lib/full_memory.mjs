// Fills an engine's memory to the last page of the 4 GB that 32-bit WebAssembly can address, in Node.js or in a browser: what does
// not fit is refused, and changes no bit of what is there. Files that declare more than they bring fill most of the memory, and
// nobody writes to it: it costs addresses, and about 0.5 GB of the machine's memory.

import { joinFile } from './safetensors.mjs';
import { tensorShapes, tinyConfig, tinyModel } from './tiny_model.mjs';

const gigabyte = 2 ** 30;
const pageBytes = 65_536;
const brought = 4 << 20;

function must(holds, message) {
  if (!holds) throw new Error(message);
}

/** The error that a call is rejected with. */
async function errorOf(call) {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call was not rejected');
}

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

const ones = (size) => ({ shape: [1, size], data: new Float32Array(size).fill(1) });

const square = (engine, size, seed) => engine.linear({ inFeatures: size, outFeatures: size }, { seed });

/** Layers of falling sizes, until not even the smallest fits. */
async function fill(engine) {
  const layers = [];
  for (let size = 2048; size >= 16; ) {
    try {
      layers.push({ layer: await square(engine, size, layers.length), size });
    } catch (error) {
      must(error.code === 'out_of_memory', `${error}`);
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

async function mustBeAsBefore(layers, before) {
  const now = await results(layers);
  const isSame = now.every((data, i) => data.every((value, j) => Object.is(value, before[i][j])));
  must(isSame, 'layers that were there compute something else');
}

/**
 * @param library `createEngine` and `loadModel`
 * @returns how many layers were compared, and the engine's memory in bytes
 * @throws an error that says what does not hold
 */
export async function fillMemory({ createEngine, loadModel }, options) {
  const engine = await createEngine(options);
  await engine.softmax([1]);
  const heap = engine.info.heapBytes;
  const refuses = async (call) => {
    const { code, message } = await errorOf(call);
    must(code === 'out_of_memory', `${code}: ${message}`);
  };
  let endAll;
  const end = new Promise((resolve) => {
    endAll = () => resolve(new ArrayBuffer(0));
  });
  const held = [1.2, 1.2, 1.2, 0.2].map((size) =>
    errorOf(loadModel(folderThatEnds(size * gigabyte, end), { engine, dtype: 'f32' })),
  );
  while (engine.info.heapBytes < 3.7 * gigabyte) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await engine.softmax([1]);
  }
  const room = await square(engine, 512, 1);
  const layers = await fill(engine);
  const { memoryBytes, heapBytes } = engine.info;
  must(memoryBytes > 4 * gigabyte - 3 * pageBytes, `the memory has ${memoryBytes} bytes`);
  must(heapBytes > 3.99 * gigabyte, `${heapBytes} bytes are in use`);
  await room.dispose(); // for what a pass needs
  const before = await results(layers);

  for (const size of [0.05, 0.3, 1.2, 2.5, 3.9])
    await refuses(loadModel(folderThatEnds(size * gigabyte), { engine, dtype: 'f32' }));
  for (let i = 0; i < 4; i++) await refuses(square(engine, 15_000, 1));
  await mustBeAsBefore(layers, before);

  endAll();
  for (const { message } of await Promise.all(held)) must(/is cut off/.test(message), message);
  await mustBeAsBefore(layers, before);
  for (const { layer } of layers) await layer.dispose();
  await engine.softmax([1]);
  const left = engine.info.heapBytes - heap;
  must(left <= 8192, `${left} bytes are left behind`);
  const again = await errorOf(loadModel(folderThatEnds(3.5 * gigabyte), { engine, dtype: 'f32' }));
  must(/is cut off/.test(again.message), again.message);
  await engine.dispose();
  return { layers: layers.length, memoryBytes };
}
