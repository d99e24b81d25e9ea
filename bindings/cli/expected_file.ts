/** Reads a safetensors file of inputs and expected results. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ByteReader } from '../files/byte_reader.js';
import { fail } from '../values/errors.js';
import { readHeader } from '../weights/safetensors.js';
import type { StoredTensor } from '../weights/stored_tensor.js';
import { reasonOf } from './system_error.js';

export interface ExpectedTensor {
  readonly shape: readonly number[];
  /** In double precision, which represents every value of the formats below exactly. */
  readonly data: Float64Array;
}

type Read = (view: DataView, at: number) => number;

const readers: Readonly<Record<string, readonly [bytes: number, read: Read]>> = {
  F64: [8, (view, at) => view.getFloat64(at, true)],
  F32: [4, (view, at) => view.getFloat32(at, true)],
  BF16: [2, (view, at) => asFloat(view.getUint16(at, true) << 16)],
  I64: [8, (view, at) => Number(view.getBigInt64(at, true))],
  I32: [4, (view, at) => view.getInt32(at, true)],
  I16: [2, (view, at) => view.getInt16(at, true)],
  U8: [1, (view, at) => view.getUint8(at)],
  BOOL: [1, (view, at) => view.getUint8(at)],
};

function asFloat(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setInt32(0, bits);
  return view.getFloat32(0);
}

/** @throws TransformerError `missing_file`, `bad_checkpoint`, `unsupported` */
export async function readExpectedFile(path: string): Promise<Map<string, ExpectedTensor>> {
  const file = await stat(path).catch((error: Error) =>
    fail('missing_file', `${path}: ${reasonOf(error)}`, error),
  );
  if (!file.isFile()) fail('missing_file', `${path}: is not a file; a safetensors file was expected`);
  const { size } = file;
  const reader = new ByteReader(createReadStream(path), path);
  try {
    const tensors = new Map<string, ExpectedTensor>();
    for (const tensor of await readHeader(reader, path, size)) {
      const bytes = await reader.read(tensor.storage.bytes, `the tensor '${tensor.name}'`);
      tensors.set(tensor.name, { shape: tensor.shape, data: numbersOf(bytes, tensor, path) });
    }
    return tensors;
  } finally {
    await reader.close();
  }
}

function numbersOf(
  bytes: Uint8Array<ArrayBuffer>,
  { name, dtype }: StoredTensor,
  path: string,
): Float64Array {
  const [size, read] =
    readers[dtype] ?? fail('unsupported', `${path}: the tensor '${name}' is stored as ${dtype}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.length / size }, (_, i) => read(view, i * size));
}
