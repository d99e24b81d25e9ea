/** A GGUF file for loading: its header, then its tensors from front to back, those in blocks widened to float32. */

import { ByteReader, bytesOf } from '../files/byte_reader.js';
import type { Folder } from '../files/folder.js';
import { openFile } from '../files/read_json.js';
import { elements } from '../values/tensor.js';
import { toFloats } from './floats.js';
import { GgufBytes } from './gguf_bytes.js';
import { type GgufHeader, type GgufTensor, readGgufHeader } from './gguf_header.js';
import { elementBytes, type StoredTensor } from './stored_tensor.js';
import type { WeightFile } from './weight_file.js';

/** Numbers that are widened at a time, at least a row of them. */
const pieceNumbers = 1 << 18;

/** A tensor under the name that the model's family knows. */
export interface NamedTensor {
  readonly name: string;
  readonly tensor: GgufTensor;
  /** Rows of a head, if each head's rows are in pairs: row 2 j + h of the file is row j + h * headRows / 2 of the model. */
  readonly headRows?: number | undefined;
  /** Is added to each number. */
  readonly added?: number | undefined;
}

export interface OpenGguf {
  readonly name: string;
  readonly header: GgufHeader;
  /** The numbers of a tensor. */
  numbers(tensor: GgufTensor): Promise<Float32Array>;
  /** Its tensors, for loading. */
  weights(tensors: readonly NamedTensor[]): WeightFile;
  close(): Promise<void>;
}

/**
 * Opens a file and reads its header. It is one stream, which starts again only for what lies before its place.
 *
 * @throws TransformerError `missing_file`, `bad_checkpoint`, `unsupported`
 */
export async function openGguf(folder: Folder, name: string, signal?: AbortSignal): Promise<OpenGguf> {
  const file = await openFile(folder, name, signal);
  const bytes = new GgufBytes(bytesOf(file), name);
  let reader: ByteReader | null = null;
  const readerAt = async (place: number): Promise<ByteReader> => {
    if (reader && reader.position <= place) return reader;
    await reader?.close();
    reader = new ByteReader(bytesOf(await openFile(folder, name, signal)), name);
    return reader;
  };
  const close = async () => {
    await reader?.close();
    reader = null;
  };
  try {
    const header = await readGgufHeader(bytes, file.size);
    reader = bytes.rest();
    return {
      name,
      header,
      async numbers(tensor) {
        const whole = new Float32Array(elements(tensor.shape));
        let place = 0;
        const named = { name: tensor.name, tensor, added: 0 };
        for await (const piece of handedOn([named], readerAt)) {
          whole.set(toFloats(piece, 'F32'), place);
          place += piece.length / 4;
        }
        return whole;
      },
      weights: (tensors) =>
        weightFile({ name, readerAt, close, position: () => reader?.position ?? 0 }, tensors),
      close,
    };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

type ReaderAt = (place: number) => Promise<ByteReader>;

interface Stream {
  readonly name: string;
  readonly readerAt: ReaderAt;
  readonly position: () => number;
  close(): Promise<void>;
}

/** Its tensors one after the other, as they are handed on. */
function weightFile(stream: Stream, named: readonly NamedTensor[]): WeightFile {
  const { name, readerAt, position } = stream;
  const inOrder = [...named].sort((a, b) => a.tensor.begin - b.tensor.begin);
  let size = 0;
  const tensors = inOrder.map((one): StoredTensor => {
    const { tensor } = one;
    const dtype = dtypeOf(one);
    const bytes = elements(tensor.shape) * elementBytes({ dtype });
    const storage = { begin: size, bytes };
    size += bytes;
    return {
      name: one.name,
      dtype,
      shape: tensor.shape,
      storage,
      offset: 0,
      strides: null,
      ...(typeof tensor.stored === 'object' && { storedAs: tensor.stored.name }),
    };
  });
  const last = inOrder.at(-1)?.tensor;
  let reader: ByteReader | null = null;
  return {
    name,
    size: last ? last.begin + last.bytes : 0,
    tensors,
    end: null,
    bytesRead: position,
    async readFrom(place) {
      if (reader && reader.position <= place) return reader;
      await reader?.close();
      const before = tensors.filter(({ storage }) => storage.begin + storage.bytes <= place);
      const begin = tensors[before.length]?.storage.begin ?? place;
      reader = new ByteReader(handedOn(inOrder.slice(before.length), readerAt), name, begin);
      return reader;
    },
    async close() {
      await reader?.close();
      reader = null;
      await stream.close();
    },
  };
}

/** The type in which its numbers are handed on. */
const dtypeOf = ({ tensor: { stored }, added }: NamedTensor) =>
  typeof stored === 'object' || added !== undefined ? 'F32' : stored;

/** The bytes of the tensors, one after the other; each piece is valid until the next one is requested. */
async function* handedOn(
  tensors: readonly NamedTensor[],
  readerAt: ReaderAt,
): AsyncGenerator<Uint8Array, void, void> {
  for (const { name, tensor, headRows, added } of tensors) {
    const { shape, stored, begin, bytes } = tensor;
    const what = `the tensor '${name}'`;
    const reader = await readerAt(begin);
    await reader.skipTo(begin, what);
    // A bias, whose rows are single numbers, is in the order of its matrix.
    const cols = shape.length === 1 && headRows ? 1 : (shape.at(-1) ?? 1);
    const rows = elements(shape) / cols;
    const rowBytes = bytes / rows;
    const step = headRows ?? Math.max(1, Math.floor(pieceNumbers / cols));
    const buffer = new Uint8Array(Math.min(step, rows) * rowBytes);
    const floats = typeof stored === 'object' ? new Float32Array(Math.min(step, rows) * cols) : null;
    for (let row = 0; row < rows; row += step) {
      const raw = buffer.subarray(0, Math.min(step, rows - row) * rowBytes);
      await reader.readInto(raw, what);
      const ordered = headRows ? halvesApart(raw, rowBytes) : raw;
      if (added !== undefined) yield plus(ordered, tensor, added);
      else if (typeof stored === 'object' && floats) yield widened(ordered, stored, floats);
      else yield ordered;
    }
  }
}

/** Rows 0, 2, 4, ..., then rows 1, 3, 5, .... */
function halvesApart(rows: Uint8Array, rowBytes: number): Uint8Array {
  const ordered = new Uint8Array(rows.length);
  const half = rows.length / rowBytes / 2;
  for (let row = 0; row < 2 * half; row++) {
    const to = (row >> 1) + (row % 2) * half;
    ordered.set(rows.subarray(row * rowBytes, (row + 1) * rowBytes), to * rowBytes);
  }
  return ordered;
}

type Blocks = Exclude<GgufTensor['stored'], string>;

function widened(
  raw: Uint8Array,
  { numbers, bytes, widen }: Blocks,
  floats: Float32Array<ArrayBuffer>,
): Uint8Array {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.length);
  const blocks = raw.length / bytes;
  for (let block = 0; block < blocks; block++) widen(view, block * bytes, floats, block * numbers);
  return new Uint8Array(floats.buffer, 0, blocks * numbers * 4);
}

function plus(raw: Uint8Array, { stored }: GgufTensor, added: number): Uint8Array {
  const floats =
    typeof stored === 'string'
      ? toFloats(raw, stored)
      : toFloats(widened(raw, stored, new Float32Array((raw.length / stored.bytes) * stored.numbers)), 'F32');
  return new Uint8Array(floats.map((number) => number + added).buffer);
}
