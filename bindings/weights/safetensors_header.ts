/** Writes the header of a safetensors file; safetensors.ts reads it. */

import { elements } from '../values/tensor.js';
import { elementBytes, type StoredTensor } from './stored_tensor.js';

export type TensorPlace = Pick<StoredTensor, 'name' | 'dtype' | 'shape'>;

/** The file's first bytes, the offset of each tensor, and the file's size. Tensors are stored in the given order. */
export function writeHeader(tensors: readonly TensorPlace[]): {
  header: Uint8Array;
  begins: ReadonlyMap<string, number>;
  end: number;
} {
  let reached = 0;
  const entries = tensors.map((tensor) => {
    const { name, dtype, shape } = tensor;
    const begin = reached;
    reached += elements(shape) * elementBytes(tensor);
    return { name, begin, entry: { dtype, shape, data_offsets: [begin, reached] } };
  });
  const described = Object.fromEntries(entries.map(({ name, entry }) => [name, entry]));
  const json = JSON.stringify({ __metadata__: { format: 'pt' }, ...described });
  const bytes = new TextEncoder().encode(json);
  // Padded with spaces to a multiple of 8 bytes, to align the numbers.
  const length = Math.ceil(bytes.length / 8) * 8;
  const header = new Uint8Array(8 + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(bytes, 8);
  const begins = new Map(entries.map(({ name, begin }) => [name, header.length + begin]));
  return { header, begins, end: header.length + reached };
}
