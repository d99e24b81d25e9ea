/**
 * The safetensors format: the length of the header (8 bytes, little-endian), the header (JSON that maps tensor names to
 * dtype, shape and offsets), the tensors' bytes. The header is untrusted: everything in it is checked first.
 */

import type { ByteReader } from '../files/byte_reader.js';
import { isNestedDeeper } from '../files/json_depth.js';
import { repeatedName } from '../files/json_names.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { showJson } from '../files/show_json.js';
import { fail, messageOf } from '../values/errors.js';
import { elements, isIndex } from '../values/tensor.js';
import { dtypeBytes, type StoredTensor } from './stored_tensor.js';

/** Enough for a hundred thousand tensors. */
const maxHeaderBytes = 16 << 20;
const maxTensors = 100_000;

/** Levels: the header, a tensor's entry, its shape. */
const headerDepth = 3;

/**
 * Reads the header and leaves the reader at the first tensor.
 *
 * @param fileSize in bytes, if known
 * @returns the tensors in file order
 * @throws TransformerError `bad_checkpoint`, naming the file and, where one is at fault, the tensor.
 */
export async function readHeader(
  reader: ByteReader,
  file: string,
  fileSize: number | null,
): Promise<StoredTensor[]> {
  const lengthBytes = await reader.read(8, 'the length of the header');
  const length = new DataView(lengthBytes.buffer).getBigUint64(0, true);
  if (length > BigInt(maxHeaderBytes)) {
    fail(
      'bad_checkpoint',
      `${file} is not a safetensors file: its header would be ${length} bytes long, more than ${maxHeaderBytes}`,
    );
  }
  const headerBytes = Number(length);
  if (fileSize !== null && 8 + headerBytes > fileSize) {
    fail(
      'bad_checkpoint',
      `${file} is cut off: a header of ${headerBytes} bytes in a file of ${fileSize} bytes`,
    );
  }
  const header = parseHeader(await reader.read(headerBytes, 'the header'), file);
  const dataBegin = 8 + headerBytes;
  const tensors = Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, entry]) => checkTensor(name, entry, file, dataBegin))
    .sort((a, b) => a.storage.begin - b.storage.begin || a.storage.bytes - b.storage.bytes);
  checkPlaces(tensors, file, dataBegin, fileSize);
  return tensors;
}

function parseHeader(bytes: Uint8Array, file: string): JsonObject {
  let header: unknown;
  let text = '';
  // Counted in the bytes, which takes a tenth of the time that parsing a million names does.
  if (countOf(bytes, 0x7b) > maxTensors + 2) {
    fail(
      'bad_checkpoint',
      `${file} is not a safetensors file: its header names more than ${maxTensors} tensors`,
    );
  }
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (isNestedDeeper(text, headerDepth)) throw new Error('it is nested too deeply');
    header = JSON.parse(text);
  } catch (error) {
    fail(
      'bad_checkpoint',
      `${file} is not a safetensors file: its header cannot be read: ${messageOf(error)}`,
    );
  }
  if (!isJsonObject(header)) {
    fail('bad_checkpoint', `${file} is not a safetensors file: its header is not a JSON object`);
  }
  const repeated = repeatedName(text);
  if (repeated !== null) fail('bad_checkpoint', `${file}: the header names '${repeated}' twice`);
  return header;
}

function countOf(bytes: Uint8Array, wanted: number): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === wanted) count++;
  return count;
}

function checkTensor(name: string, entry: unknown, file: string, dataBegin: number): StoredTensor {
  const wrong = (what: string) => fail('bad_checkpoint', `${file}: the tensor '${name}' ${what}`);
  if (!isJsonObject(entry)) return wrong('has no description');
  const { dtype, shape, data_offsets: offsets } = entry;
  const bytes = typeof dtype === 'string' ? dtypeBytes.get(dtype) : undefined;
  if (typeof dtype !== 'string' || bytes === undefined)
    return wrong(`has an unknown dtype, ${showJson(dtype)}`);
  if (!isCounts(shape)) return wrong(`has no valid shape: ${showJson(shape)}`);
  const [begin, end, ...more] = isCounts(offsets) ? offsets : [];
  if (begin === undefined || end === undefined || more.length > 0)
    return wrong(`has no valid data_offsets: ${showJson(offsets)}`);
  const needed = elements(shape) * bytes;
  if (end - begin !== needed) {
    return wrong(
      `of shape [${shape}] in ${dtype} needs ${needed} bytes, but its data_offsets span ${end - begin}`,
    );
  }
  if (!shape.every(isIndex)) return wrong(`has an axis of 2^31 or more: [${shape}]`);
  const storage = { begin: dataBegin + begin, bytes: needed };
  return { name, dtype, shape, storage, offset: 0, strides: null };
}

/** The tensors must be contiguous and end where the file does. */
function checkPlaces(
  tensors: StoredTensor[],
  file: string,
  dataBegin: number,
  fileSize: number | null,
): void {
  let reached = dataBegin;
  for (const { name, storage } of tensors) {
    const { begin } = storage;
    const end = begin + storage.bytes;
    if (begin < reached) fail('bad_checkpoint', `${file}: the tensor '${name}' overlaps the one before it`);
    if (begin > reached) {
      fail(
        'bad_checkpoint',
        `${file}: the ${begin - reached} bytes before the tensor '${name}' belong to no tensor`,
      );
    }
    if (fileSize !== null && end > fileSize) {
      fail(
        'bad_checkpoint',
        `${file} is cut off: the tensor '${name}' ends at byte ${end}, the file at ${fileSize}`,
      );
    }
    reached = end;
  }
  if (fileSize !== null && reached < fileSize) {
    fail(
      'bad_checkpoint',
      `${file}: the ${fileSize - reached} bytes after the last tensor belong to no tensor`,
    );
  }
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);
}
