// What the shapes of checkpoints are made of, and folders with random weights in these shapes.

import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomNumbers } from '../weights.mjs';

export const norm = (name, d) => ({ [`${name}.weight`]: [d], [`${name}.bias`]: [d] });
export const matrix = (name, out, into) => ({ [`${name}.weight`]: [out, into] });
export const linear = (name, out, into) => ({ ...matrix(name, out, into), [`${name}.bias`]: [out] });

/** The tensors of so many layers: `layer` gives those of one by its name. */
export const layersOf = (prefix, count, layer) =>
  Object.assign({}, ...Array.from({ length: count }, (_, i) => layer(`${prefix}.${i}`)));

const sizeOf = (shape) => shape.reduce((product, axis) => product * axis, 1);

/** @param tensors name to shape */
export const parametersOf = (tensors) =>
  Object.values(tensors).reduce((sum, shape) => sum + sizeOf(shape), 0);

const bytesOf = { F32: 4, BF16: 2 };

/** Numbers from -0.05 to 0.05, over and over. */
function filling(dtype) {
  const numbers = randomNumbers(1 << 20, 0.05, 1);
  if (dtype === 'F32') return new Uint8Array(numbers.buffer);
  const bits = new Uint32Array(numbers.buffer);
  return new Uint8Array(Uint16Array.from(bits, (one) => one >>> 16).buffer);
}

/**
 * Writes a folder with random weights as the hub has them.
 *
 * @param model `{ config, tensors }`: tensors name to shape
 * @returns the bytes of the weights
 */
export async function writeModel(folder, { config, tensors }, dtype = 'F32') {
  await mkdir(folder, { recursive: true });
  const header = {};
  let end = 0;
  for (const [name, shape] of Object.entries(tensors)) {
    const begin = end;
    end += bytesOf[dtype] * sizeOf(shape);
    header[name] = { dtype, shape, data_offsets: [begin, end] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const file = await open(join(folder, 'model.safetensors'), 'w');
  await file.write(length);
  await file.write(text);
  const numbers = filling(dtype);
  for (let left = end; left > 0; left -= numbers.length) await file.write(numbers.subarray(0, left));
  await file.close();
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  return end;
}
