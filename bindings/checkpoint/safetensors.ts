/**
 * The safetensors format: the length of the header (8 bytes, little-endian), the header (JSON: tensor names to dtype,
 * shape and place), the tensors' bytes. A header may come from anywhere, so nothing in it is believed before it is checked.
 */

import { fail } from '../engine/errors.js';
import type { ByteReader } from './byte_reader.js';
import { repeatedName } from './json_names.js';

/** A tensor as a file holds it. */
export interface StoredTensor {
  readonly name: string;
  /** `F32`, `BF16`, ... */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Where its bytes are, counted from the beginning of the file. */
  readonly begin: number;
  readonly end: number;
}

/** Bytes of an element, of all that the format knows. */
export const dtypeBytes: ReadonlyMap<string, number> = new Map([
  ...(['F64', 'I64', 'U64', 'C64'] as const).map((dtype) => [dtype, 8] as const),
  ...(['F32', 'I32', 'U32'] as const).map((dtype) => [dtype, 4] as const),
  ...(['F16', 'BF16', 'I16', 'U16'] as const).map((dtype) => [dtype, 2] as const),
  ...(['I8', 'U8', 'BOOL', 'F8_E4M3', 'F8_E5M2', 'F8_E8M0'] as const).map((dtype) => [dtype, 1] as const),
]);

const maxHeaderBytes = 100_000_000;

/**
 * Reads the header and leaves the reader at the first tensor.
 *
 * @param fileSize in bytes, where it is known
 * @returns the tensors in the order in which the file holds them
 * @throws TransformerError `bad_checkpoint` that names the file, and the tensor where it is about one.
 */
export async function readHeader(
  reader: ByteReader,
  file: string,
  fileSize: number | null,
): Promise<StoredTensor[]> {
  const lengthBytes = await reader.read(8, 'the length of the header');
  const length = new DataView(lengthBytes.buffer).getBigUint64(0, true);
  if (length > BigInt(maxHeaderBytes)) {
    fail('bad_checkpoint', `${file} is no safetensors file: its header would be ${length} bytes long`);
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
    .sort((a, b) => a.begin - b.begin || a.end - b.end);
  checkPlaces(tensors, file, dataBegin, fileSize);
  return tensors;
}

function parseHeader(bytes: Uint8Array, file: string): Record<string, unknown> {
  let header: unknown;
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    header = JSON.parse(text);
  } catch (error) {
    fail(
      'bad_checkpoint',
      `${file} is no safetensors file: its header cannot be read: ${(error as Error).message}`,
    );
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    fail('bad_checkpoint', `${file} is no safetensors file: its header is not a JSON object`);
  }
  const repeated = repeatedName(text);
  if (repeated !== null) fail('bad_checkpoint', `${file}: the header names '${repeated}' twice`);
  return header as Record<string, unknown>;
}

function checkTensor(name: string, entry: unknown, file: string, dataBegin: number): StoredTensor {
  const wrong = (what: string) => fail('bad_checkpoint', `${file}: the tensor '${name}' ${what}`);
  if (typeof entry !== 'object' || entry === null) return wrong('has no description');
  const { dtype, shape, data_offsets: offsets } = entry as Record<string, unknown>;
  const bytes = typeof dtype === 'string' ? dtypeBytes.get(dtype) : undefined;
  if (bytes === undefined) return wrong(`has an unknown dtype, ${JSON.stringify(dtype)}`);
  if (!isSizes(shape)) return wrong(`has no valid shape: ${JSON.stringify(shape)}`);
  if (!isSizes(offsets) || offsets.length !== 2)
    return wrong(`has no valid place: ${JSON.stringify(offsets)}`);
  const [begin, end] = offsets as [number, number];
  const needed = shape.reduce((product, size) => product * size, bytes);
  if (end - begin !== needed) {
    return wrong(
      `of shape [${shape}] in ${dtype} needs ${needed} bytes, but ${end - begin} are set aside for it`,
    );
  }
  return { name, dtype: dtype as string, shape, begin: dataBegin + begin, end: dataBegin + end };
}

/** The tensors must lie one after the other, without holes, up to the end of the file. */
function checkPlaces(
  tensors: StoredTensor[],
  file: string,
  dataBegin: number,
  fileSize: number | null,
): void {
  let reached = dataBegin;
  for (const { name, begin, end } of tensors) {
    if (begin < reached) fail('bad_checkpoint', `${file}: the tensor '${name}' overlaps the one before it`);
    if (begin > reached) {
      fail(
        'bad_checkpoint',
        `${file}: nothing is known of the ${begin - reached} bytes before the tensor '${name}'`,
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
      `${file}: nothing is known of the ${fileSize - reached} bytes after the last tensor`,
    );
  }
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}
