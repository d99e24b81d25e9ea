/** Reads a file's tensors in pieces, so that the weights never exist twice. */

import type { ByteReader } from '../files/byte_reader.js';
import { fail } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import { blockOf, elementBytes, extent, type StoredTensor, type TensorStorage } from './stored_tensor.js';
import type { WeightFile } from './weight_file.js';

/** Consecutive elements of a tensor in row-major order, as stored. A tensor without elements is one empty piece. */
export interface TensorPiece {
  readonly tensor: StoredTensor;
  /** Index of its first element in the tensor. */
  readonly first: number;
  /** Whether it is the tensor's last piece. */
  readonly isLast: boolean;
  /** Valid until the next piece is requested. */
  readonly bytes: Uint8Array;
  /** Bytes of the file that have been read or skipped. */
  readonly position: number;
}

/** Maximum bytes per piece; a multiple of every element size, of blocks nearly as many. */
const pieceBytes = 2 << 20;

/**
 * Reads the wanted tensors in file order, so that one stream from front to back suffices; it is restarted only
 * for tensors that share bytes.
 *
 * @throws TransformerError `bad_checkpoint` if the file ends too early or continues after the last tensor.
 */
export async function* readTensors(
  file: WeightFile,
  isWanted: (tensor: StoredTensor) => boolean,
): AsyncGenerator<TensorPiece, void, void> {
  const buffer = new Uint8Array(pieceBytes);
  let reader: ByteReader | undefined;
  for (const [storage, tensors] of byStorage(file.tensors.filter(isWanted))) {
    reader = await file.readFrom(storage.begin);
    const what = `the tensor '${tensors[0]?.name}'`;
    await reader.skipTo(storage.begin, what);
    await storage.enter?.(reader);
    const data = reader.position;
    for (const tensor of tensors) {
      const begin = data + tensor.offset * elementBytes(tensor);
      if (reader.position > begin) reader = await file.readFrom(begin);
      await reader.skipTo(begin, `the tensor '${tensor.name}'`);
      yield* tensor.strides ? gather(reader, tensor, buffer) : stream(reader, tensor, buffer);
    }
  }
  if (file.end === null) return;
  reader ??= await file.readFrom(file.end);
  await reader.skipTo(file.end, 'the last tensor');
  if (!(await reader.atEnd())) fail('bad_checkpoint', `${file.name} continues after its last tensor`);
}

/** Groups the tensors by storage, in file order. */
function byStorage(tensors: readonly StoredTensor[]): [TensorStorage, StoredTensor[]][] {
  const groups = new Map<TensorStorage, StoredTensor[]>();
  for (const tensor of tensors) {
    const group = groups.get(tensor.storage);
    if (group) group.push(tensor);
    else groups.set(tensor.storage, [tensor]);
  }
  const place = (tensor: StoredTensor) => tensor.offset * elementBytes(tensor);
  for (const group of groups.values()) group.sort((a, b) => place(a) - place(b));
  return [...groups].sort(([a], [b]) => a.begin - b.begin);
}

async function* stream(
  reader: ByteReader,
  tensor: StoredTensor,
  buffer: Uint8Array,
): AsyncGenerator<TensorPiece> {
  const block = blockOf(tensor);
  const count = elements(tensor.shape);
  const most = Math.floor(buffer.length / block.bytes);
  let first = 0;
  do {
    const blocks = Math.min(most, (count - first) / block.numbers);
    const bytes = buffer.subarray(0, blocks * block.bytes);
    await reader.readInto(bytes, `the tensor '${tensor.name}'`);
    const begin = first;
    first += blocks * block.numbers;
    yield { tensor, first: begin, isLast: first === count, bytes, position: reader.position };
  } while (first < count);
}

interface Words {
  [place: number]: unknown;
  readonly length: number;
}

/** Elements as integers of the same size, for copying only. */
function wordsOf({ buffer }: Uint8Array<ArrayBuffer>, size: number): Words {
  if (size === 8) return new BigUint64Array(buffer);
  if (size === 4) return new Uint32Array(buffer);
  return size === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
}

/**
 * Copies the elements of a transposed or otherwise strided tensor in order. All of its bytes are in memory meanwhile:
 * the only case in which a tensor exists twice. Checkpoints rarely have such tensors.
 */
async function* gather(
  reader: ByteReader,
  tensor: StoredTensor,
  buffer: Uint8Array<ArrayBuffer>,
): AsyncGenerator<TensorPiece> {
  const { name, shape } = tensor;
  const strides = tensor.strides ?? [];
  const size = elementBytes(tensor);
  const stored = await reader.read(extent(tensor) * size, `the tensor '${name}'`);
  const from = wordsOf(stored, size);
  const to = wordsOf(buffer, size);
  const count = elements(shape);
  const index = shape.map(() => 0);
  let place = 0;
  let filled = 0;
  for (let done = 1; done <= count; done++) {
    to[filled++] = from[place];
    // Increments the index like an odometer, from the last axis.
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const stride = strides[axis] ?? 0;
      const next = (index[axis] ?? 0) + 1;
      place += stride;
      index[axis] = next;
      if (next < (shape[axis] ?? 0)) break;
      place -= stride * next;
      index[axis] = 0;
    }
    if (filled < to.length && done < count) continue;
    const bytes = buffer.subarray(0, filled * size);
    yield { tensor, first: done - filled, isLast: done === count, bytes, position: reader.position };
    filled = 0;
  }
}
