/** Tensors in a weight file of any format: names, types, shapes and byte positions. */

import type { ByteReader } from '../files/byte_reader.js';
import type { PackedLayout } from '../modules/embind.js';
import { elements } from '../values/tensor.js';

/** A range of bytes in a file. */
export interface TensorStorage {
  /** Its offset, or that of the header in front of it. */
  readonly begin: number;
  readonly bytes: number;
  /** Reads that header; absent if `begin` is the offset of the bytes themselves. */
  enter?(reader: ByteReader): Promise<void>;
}

/** A stored tensor: a view of a storage, which several tensors can share. */
export interface StoredTensor {
  readonly name: string;
  /** `F32`, `BF16`, ... */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly storage: TensorStorage;
  /** Offset of its first element in the storage, in elements. */
  readonly offset: number;
  /** Distance between neighbours along each axis, in elements; `null`: contiguous in row-major order. */
  readonly strides: readonly number[] | null;
  /** Numbers that are stored together; absent: each by itself. */
  readonly block?: StoredBlock;
  /** Is added to each number. */
  readonly added?: number | undefined;
  /** Rows of a head, if row 2 j + h of each is row j + h * headRows / 2 of the model. */
  readonly headRows?: number | undefined;
  /** For a matrix of several tensors, which the engine puts together. */
  readonly packed?: PackedTensor;
  /** For integers whose scales are not tensors of their own. */
  readonly integers?: FixedScales;
}

/** Consecutive numbers, and the bytes that they take. */
export interface StoredBlock {
  readonly numbers: number;
  readonly bytes: number;
}

/** A matrix whose numbers are in several tensors. */
export interface PackedTensor {
  readonly layout: PackedLayout;
  readonly parts: readonly StoredTensor[];
}

/** Integers that stay as they are. */
interface FixedScales {
  /** The factor of the numbers before they were rounded. */
  readonly weights: number;
  /** The factor of activations before they are rounded, in programs that fix it; `null`: not known. */
  readonly activations: number | null;
}

/** Element size in bytes, for every data type that files use. */
export const dtypeBytes: ReadonlyMap<string, number> = new Map([
  ...(['F64', 'I64', 'U64', 'C64'] as const).map((dtype) => [dtype, 8] as const),
  ...(['F32', 'I32', 'U32'] as const).map((dtype) => [dtype, 4] as const),
  ...(['F16', 'BF16', 'I16', 'U16'] as const).map((dtype) => [dtype, 2] as const),
  ...(['I8', 'U8', 'BOOL', 'F8_E4M3', 'F8_E5M2', 'F8_E8M0'] as const).map((dtype) => [dtype, 1] as const),
]);

/** What a tensor is read in: a block of numbers, or a single one. */
export const blockOf = ({ dtype, block }: Pick<StoredTensor, 'dtype' | 'block'>): StoredBlock =>
  block ?? { numbers: 1, bytes: elementBytes({ dtype }) };

export const elementBytes = ({ dtype }: Pick<StoredTensor, 'dtype'>) => dtypeBytes.get(dtype) ?? 1;

/** Number of storage elements from a tensor's first to its last, inclusive. */
export function extent({ shape, strides }: Pick<StoredTensor, 'shape' | 'strides'>): number {
  const count = elements(shape);
  if (strides === null || count === 0) return count;
  return shape.reduce((last, size, axis) => last + (size - 1) * (strides[axis] ?? 0), 1);
}
