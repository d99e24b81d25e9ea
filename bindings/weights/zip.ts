/**
 * Zip archives with uncompressed entries: the central directory at the archive's end, and the entries' offsets,
 * including the 64-bit records of large archives. Nothing is trusted: entries must not overlap, and each local header
 * must agree with the directory.
 */

import { ByteReader } from '../files/byte_reader.js';
import type { SeekableFile } from '../files/folder.js';
import { showJson } from '../files/show_json.js';
import { fail } from '../values/errors.js';

export interface ZipEntry {
  readonly name: string;
  readonly bytes: number;
  /** Offset of its local header, which precedes its bytes. */
  readonly begin: number;
  /** Offset of the next entry or of the directory. */
  readonly limit: number;
}

const endBytes = 22;
const locatorBytes = 20;
const end64Bytes = 56;
const listHeaderBytes = 46;
const localHeaderBytes = 30;
const longestComment = 0xffff;
/** Enough for a hundred thousand entries with names of three hundred characters. */
const maxListBytes = 32 << 20;

/** @throws TransformerError `bad_checkpoint`, `unsupported` (compressed, encrypted, in several parts) */
export async function readZip(file: SeekableFile, name: string): Promise<Map<string, ZipEntry>> {
  const { count, begin, bytes } = await findList(file, name);
  const list = await readRange(file, { begin, end: begin + bytes, name, what: 'its central directory' });
  const entries: Omit<ZipEntry, 'limit'>[] = [];
  let place = 0;
  for (let i = 0; i < count; i++) {
    const { entry, end } = parseEntry(list, place, name);
    entries.push(entry);
    place = end;
  }
  if (place !== list.length) fail('bad_checkpoint', `${name}: its central directory is longer than declared`);
  return withLimits(entries, begin, name);
}

/** Reads an entry's local header and leaves the reader at its bytes. */
export async function enterEntry(reader: ByteReader, entry: ZipEntry, file: string): Promise<void> {
  const what = `the entry '${entry.name}'`;
  const wrong = (why: string) => fail('bad_checkpoint', `${file}: ${what} ${why}`);
  const header = view(await reader.read(localHeaderBytes, what));
  if (header.getUint32(0, true) !== 0x04034b50) wrong('is not where the directory says');
  if (header.getUint16(8, true) !== 0) wrong('is compressed, but the directory says it is not');
  const nameBytes = header.getUint16(26, true);
  const extraBytes = header.getUint16(28, true);
  const end = entry.begin + localHeaderBytes + nameBytes + extraBytes + entry.bytes;
  if (end > entry.limit) wrong('reaches into the next one');
  const stored = new TextDecoder().decode(await reader.read(nameBytes, what));
  if (stored !== entry.name) wrong(`is called ${showJson(stored)} in its local header`);
  await reader.skipTo(reader.position + extraBytes, what);
}

/** The bytes of a small entry. */
export async function readEntry(
  archive: SeekableFile,
  entry: ZipEntry,
  { file, maxBytes }: { file: string; maxBytes: number },
): Promise<Uint8Array> {
  if (entry.bytes > maxBytes)
    fail(
      'bad_checkpoint',
      `${file}: the entry '${entry.name}' has ${entry.bytes} bytes, more than ${maxBytes}`,
    );
  const reader = new ByteReader(archive.bytes(entry.begin, entry.limit), file, entry.begin);
  try {
    await enterEntry(reader, entry, file);
    return await reader.read(entry.bytes, `the entry '${entry.name}'`);
  } finally {
    await reader.close();
  }
}

/** The offset and size of the central directory. */
async function findList(
  file: SeekableFile,
  name: string,
): Promise<{ count: number; begin: number; bytes: number }> {
  const tailBegin = Math.max(0, file.size - endBytes - longestComment - locatorBytes - end64Bytes);
  const tail = await readRange(file, { begin: tailBegin, end: file.size, name, what: 'its end' });
  const data = view(tail);
  const end = findEnd(data);
  if (end === null) return fail('bad_checkpoint', `${name} is cut off: its central directory is missing`);
  const at = { count: data.getUint16(end + 10, true), bytes: data.getUint32(end + 12, true) };
  let list = { ...at, begin: data.getUint32(end + 16, true), end: tailBegin + end };
  let parts = data.getUint16(end + 4, true) + data.getUint16(end + 6, true);
  if (list.count === 0xffff || list.bytes === 0xffffffff || list.begin === 0xffffffff) {
    // The locator's offset is ignored: the 64-bit record can only be right before the locator.
    const large = end - locatorBytes - end64Bytes;
    if (
      large < 0 ||
      data.getUint32(large + end64Bytes, true) !== 0x07064b50 ||
      data.getUint32(large, true) !== 0x06064b50
    )
      fail('bad_checkpoint', `${name}: the 64-bit record of its central directory is missing`);
    parts = data.getUint32(large + 16, true) + data.getUint32(large + 20, true);
    list = {
      count: uint64(data, large + 32),
      bytes: uint64(data, large + 40),
      begin: uint64(data, large + 48),
      end: tailBegin + large,
    };
  }
  if (parts !== 0) fail('unsupported', `${name} is a multi-part archive`);
  if (
    !(list.begin + list.bytes <= list.end) ||
    list.bytes > maxListBytes ||
    list.count * listHeaderBytes > list.bytes
  )
    fail('bad_checkpoint', `${name}: the declared position of its central directory is impossible`);
  return list;
}

/** The last end record whose comment reaches exactly to the end of the file. */
function findEnd(data: DataView): number | null {
  for (let place = data.byteLength - endBytes; place >= 0; place--) {
    const isRecord = data.getUint32(place, true) === 0x06054b50;
    if (isRecord && place + endBytes + data.getUint16(place + 20, true) === data.byteLength) return place;
  }
  return null;
}

function parseEntry(
  list: Uint8Array,
  place: number,
  file: string,
): { entry: Omit<ZipEntry, 'limit'>; end: number } {
  const data = view(list);
  if (place + listHeaderBytes > list.length || data.getUint32(place, true) !== 0x02014b50)
    fail('bad_checkpoint', `${file}: its central directory is damaged`);
  const nameEnd = place + listHeaderBytes + data.getUint16(place + 28, true);
  const extraEnd = nameEnd + data.getUint16(place + 30, true);
  const end = extraEnd + data.getUint16(place + 32, true);
  if (end > list.length) fail('bad_checkpoint', `${file}: its central directory is damaged`);
  const name = new TextDecoder().decode(list.subarray(place + listHeaderBytes, nameEnd));
  const what = `${file}: the entry ${showJson(name)}`;
  if (data.getUint16(place + 8, true) & 1) fail('unsupported', `${what} is encrypted`);
  if (data.getUint16(place + 10, true) !== 0) fail('unsupported', `${what} is compressed`);
  const large = largeFields(data, { begin: nameEnd, end: extraEnd });
  // Present in this order, and only for values that do not fit into 32 bits.
  const field = (offset: number) => {
    const value = data.getUint32(place + offset, true);
    return value === 0xffffffff ? (large.shift() ?? Number.NaN) : value;
  };
  const bytes = field(24);
  const compressed = field(20);
  const begin = field(42);
  if (![bytes, begin].every(Number.isSafeInteger) || compressed !== bytes)
    fail('bad_checkpoint', `${what} has an impossible size or position`);
  return { entry: { name, bytes, begin }, end };
}

/** The 64-bit values in an entry's extra fields. */
function largeFields(data: DataView, { begin, end }: { begin: number; end: number }): number[] {
  for (let place = begin; place + 4 <= end; ) {
    const next = place + 4 + data.getUint16(place + 2, true);
    if (data.getUint16(place, true) === 1 && next <= end) {
      const values: number[] = [];
      for (let value = place + 4; value + 8 <= next; value += 8) values.push(uint64(data, value));
      return values;
    }
    place = next;
  }
  return [];
}

function withLimits(
  entries: readonly Omit<ZipEntry, 'limit'>[],
  listBegin: number,
  file: string,
): Map<string, ZipEntry> {
  const sorted = [...entries].sort((a, b) => a.begin - b.begin);
  const found = new Map<string, ZipEntry>();
  for (const [i, entry] of sorted.entries()) {
    const what = `${file}: the entry ${showJson(entry.name)}`;
    const limit = sorted[i + 1]?.begin ?? listBegin;
    if (entry.begin + localHeaderBytes + entry.bytes > limit)
      fail('bad_checkpoint', `${what} overlaps another one`);
    if (found.has(entry.name)) fail('bad_checkpoint', `${what} occurs twice`);
    found.set(entry.name, { ...entry, limit });
  }
  return found;
}

export async function readRange(
  file: SeekableFile,
  { begin, end, name, what }: { begin: number; end: number; name: string; what: string },
): Promise<Uint8Array> {
  const reader = new ByteReader(file.bytes(begin, end), name, begin);
  try {
    return await reader.read(end - begin, what);
  } finally {
    await reader.close();
  }
}

const view = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength);

/** Values beyond 2^53 become NaN: no file is that long. */
function uint64(data: DataView, place: number): number {
  const value = Number(data.getBigUint64(place, true));
  return Number.isSafeInteger(value) ? value : Number.NaN;
}
