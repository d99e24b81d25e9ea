/** The header of a safetensors file that is to be written: checkpoint/safetensors.ts reads such. */

import { elementBytes, elements, type StoredTensor } from '../checkpoint/weights/stored_tensor.js';

export type TensorPlace = Pick<StoredTensor, 'name' | 'dtype' | 'shape'>;

/** The file's first bytes, where in the file each tensor begins, and where it ends. The tensors lie in the given order. */
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
    return [name, { dtype, shape, data_offsets: [begin, reached] }] as const;
  });
  const json = JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) });
  const bytes = new TextEncoder().encode(json);
  // Blanks up to a multiple of 8 bytes, so that the numbers are aligned.
  const length = Math.ceil(bytes.length / 8) * 8;
  const header = new Uint8Array(8 + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(bytes, 8);
  const begins = new Map(
    entries.map(
      ([
        name,
        {
          data_offsets: [begin],
        },
      ]) => [name, header.length + (begin as number)],
    ),
  );
  return { header, begins, end: header.length + reached };
}
