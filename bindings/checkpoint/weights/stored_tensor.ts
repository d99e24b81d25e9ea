/** What a file of weights holds, whatever its format: names, types, shapes, and where the bytes are. */

import type { ByteReader } from '../source/byte_reader.js';

/** A run of bytes in a file. */
export interface TensorStorage {
  /** Where it begins, or the record in front of it. */
  readonly begin: number;
  readonly bytes: number;
  /** Reads the record in front of the bytes; absent where there is none. */
  enter?(reader: ByteReader): Promise<void>;
}

/** A tensor as a file holds it: numbers in a storage, which several tensors can share. */
export interface StoredTensor {
  readonly name: string;
  /** `F32`, `BF16`, ... */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly storage: TensorStorage;
  /** Elements of the storage before the tensor's first. */
  readonly offset: number;
  /** For each axis the distance between neighbours, in elements; `null`: row after row, without gaps. */
  readonly strides: readonly number[] | null;
}

/** Bytes in an element, for every dtype that files have. */
export const dtypeBytes: ReadonlyMap<string, number> = new Map([
  ...(['F64', 'I64', 'U64', 'C64'] as const).map((dtype) => [dtype, 8] as const),
  ...(['F32', 'I32', 'U32'] as const).map((dtype) => [dtype, 4] as const),
  ...(['F16', 'BF16', 'I16', 'U16'] as const).map((dtype) => [dtype, 2] as const),
  ...(['I8', 'U8', 'BOOL', 'F8_E4M3', 'F8_E5M2', 'F8_E8M0'] as const).map((dtype) => [dtype, 1] as const),
]);

export const elementBytes = ({ dtype }: Pick<StoredTensor, 'dtype'>) => dtypeBytes.get(dtype) ?? 1;

export const elements = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);

/** How many elements its storage has from a tensor's first to its last. */
export function extent({ shape, strides }: Pick<StoredTensor, 'shape' | 'strides'>): number {
  const count = elements(shape);
  if (strides === null || count === 0) return count;
  return shape.reduce((last, size, axis) => last + (size - 1) * (strides[axis] ?? 0), 1);
}
