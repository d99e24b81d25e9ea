/** The numbers of a file's tensors, in pieces small enough that the weights never exist twice. */

import { fail } from '../../engine/errors.js';
import type { ByteReader } from '../source/byte_reader.js';
import { elementBytes, elements, extent, type StoredTensor, type TensorStorage } from './stored_tensor.js';
import type { WeightFile } from './weight_file.js';

/** Elements of a tensor, row after row, as the file stores them. A tensor without elements comes as one empty piece. */
export interface TensorPiece {
  readonly tensor: StoredTensor;
  /** The index in the tensor of the first of them. */
  readonly first: number;
  /** Whether the tensor ends with them. */
  readonly isLast: boolean;
  /** Valid until the next piece is requested. */
  readonly bytes: Uint8Array;
  /** Bytes of the file that have been read or skipped. */
  readonly position: number;
}

/** The most bytes in a piece; a multiple of every element's size. */
const pieceBytes = 4 << 20;

/**
 * Reads the wanted tensors in the order of the file, so that one stream from front to back is enough; another is only
 * opened for tensors that share bytes.
 *
 * @throws TransformerError `bad_checkpoint` if the file ends too early or too late.
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

/** In the order of the file. */
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
  const size = elementBytes(tensor);
  const count = elements(tensor.shape);
  let first = 0;
  do {
    const bytes = buffer.subarray(0, Math.min(buffer.length, (count - first) * size));
    await reader.readInto(bytes, `the tensor '${tensor.name}'`);
    const begin = first;
    first += bytes.length / size;
    yield { tensor, first: begin, isLast: first === count, bytes, position: reader.position };
  } while (first < count);
}

interface Words {
  [place: number]: unknown;
  readonly length: number;
}

/** Elements as integers of their size, only to be moved. */
function wordsOf({ buffer }: Uint8Array<ArrayBuffer>, size: number): Words {
  if (size === 8) return new BigUint64Array(buffer);
  if (size === 4) return new Uint32Array(buffer);
  return size === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
}

/**
 * The elements of a transposed or otherwise scattered tensor, put in order. All of its bytes are held in the meantime,
 * which makes this the only tensor that exists twice. Checkpoints rarely have such tensors, if ever.
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
    // Counts the index up like an odometer, from its last digit.
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const stride = strides[axis] as number;
      const next = (index[axis] as number) + 1;
      place += stride;
      index[axis] = next;
      if (next < (shape[axis] as number)) break;
      place -= stride * next;
      index[axis] = 0;
    }
    if (filled < to.length && done < count) continue;
    const bytes = buffer.subarray(0, filled * size);
    yield { tensor, first: done - filled, isLast: done === count, bytes, position: reader.position };
    filled = 0;
  }
}
