// What arrives in the engine of a checkpoint's tensors: the hash of the bits of all their numbers, as float32.

import { createHash } from 'node:crypto';
import { asFolder, weightsOf, withoutPacking } from '../../build/modules/checkpoint/folder_weights.js';
import { familyOf } from '../../build/modules/families/index.js';
import { openFolder } from '../../build/modules/files/open_folder.js';
import { readJson } from '../../build/modules/files/read_json.js';
import { hostOf } from '../../build/modules/layers/engine.js';
import { loadWeights } from '../../build/modules/weights/load_weights.js';

async function withWeights(source, work) {
  const folder = await asFolder(await openFolder(source, {}));
  try {
    const stored = await weightsOf(folder, {});
    const config = await readJson(folder, 'config.json');
    const { files } = await withoutPacking(stored, { config, family: await familyOf(config) });
    try {
      return await work(files);
    } finally {
      await files.close();
    }
  } finally {
    await folder.close?.();
  }
}

/** The numbers of each tensor of floats, by its name; `matrices`: only those. */
export const numbersOf = (engine, source) =>
  withWeights(source, async (files) => {
    const host = hostOf(engine);
    const weights = await host.create('Weights', 'f32', undefined);
    try {
      const floats = files.tensors.filter(({ dtype }) => !/^[IU]\d/.test(dtype));
      const sizes = new Map(floats.map(({ name, shape }) => [name, shape.reduce((a, b) => a * b, 1)]));
      const slices = [...sizes].map(([name, size]) => ({
        name,
        from: name,
        firstRow: 0,
        rows: null,
        shape: [size],
      }));
      await loadWeights(files, slices, { host, weights, isQuantized: true });
      const numbers = new Map();
      for (const [name, size] of [...sizes].sort(([a], [b]) => (a < b ? -1 : 1)))
        numbers.set(name, (await host.invoke(weights, 'take', name, [size])).data);
      return numbers;
    } finally {
      await host.release(weights);
    }
  });

/** One number for all of them. */
export async function hashOf(engine, source) {
  const hash = createHash('sha256');
  for (const [name, { buffer, byteOffset, byteLength }] of await numbersOf(engine, source))
    hash.update(name).update(new Uint8Array(buffer, byteOffset, byteLength));
  return hash.digest('hex').slice(0, 16);
}
