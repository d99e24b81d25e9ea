// The weights of a folder as the package's readers return them, without an engine.

import { openFolder } from '../../build/modules/files/open_folder.js';
import { elements } from '../../build/modules/values/tensor.js';
import { openWeights } from '../../build/modules/weights/open_weights.js';
import { readTensors } from '../../build/modules/weights/read_tensors.js';

/** @returns {Promise<Map<string, { dtype: string, shape: number[], bytes: Buffer, file: string }>>} */
export async function readWeights(source, isWanted = () => true) {
  const weights = await openWeights(await openFolder(source));
  const found = new Map();
  try {
    for (const file of weights.files) {
      for await (const { tensor, first, isLast, bytes } of readTensors(file, isWanted)) {
        const { name, dtype, shape } = tensor;
        const before = found.get(name) ?? { dtype, shape, file: file.name, parts: [], count: 0 };
        if (first !== before.count)
          throw new Error(`a piece of '${name}' begins at ${first}, not ${before.count}`);
        before.parts.push(Buffer.from(bytes));
        before.count += bytes.length / (bytesOf[dtype] ?? 1);
        if (isLast !== (before.count === elements(shape))) throw new Error(`'${name}' ends elsewhere`);
        found.set(name, before);
      }
    }
  } finally {
    await weights.close();
  }
  return new Map(
    [...found].map(([name, { dtype, shape, file, parts }]) => [
      name,
      { dtype, shape, file, bytes: Buffer.concat(parts) },
    ]),
  );
}

const bytesOf = { F64: 8, I64: 8, F32: 4, I32: 4, F16: 2, BF16: 2, I16: 2 };
