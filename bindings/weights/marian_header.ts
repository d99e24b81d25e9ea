/**
 * The header of a Marian model file (`.bin`, version 1), little endian: the number of items, four numbers of 64 bits
 * for each (length of its name, type, axes, bytes), the names, the shapes, and padding up to the data.
 */

import { fail } from '../values/errors.js';

export interface MarianItem {
  readonly name: string;
  /** As the file numbers them. */
  readonly type: number;
  readonly shape: readonly number[];
  /** Offset of its data in the file. */
  readonly begin: number;
  /** Of its data, with what pads it. */
  readonly bytes: number;
}

const mostItems = 1 << 16;
const mostAxes = 8;
const longestName = 1 << 12;

/** Reads numbers at places of a file; each error names the byte, and what was expected there. */
class Places {
  readonly bytes: Uint8Array;
  readonly #data: DataView;
  readonly #file: string;

  constructor(bytes: Uint8Array, file: string) {
    this.bytes = bytes;
    this.#data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#file = file;
  }

  /** Checks that the file has this many bytes at a place. */
  require(place: number, count: number, what: string): void {
    if (place + count <= this.bytes.length) return;
    fail(
      'bad_checkpoint',
      `${this.#file} is cut off: it has ${this.bytes.length} bytes, but ${what} reach from byte ${place} to ${place + count}`,
    );
  }

  wrong(place: number, expected: string, got: unknown): never {
    return fail('bad_checkpoint', `${this.#file}: byte ${place}: expected ${expected}, got ${got}`);
  }

  /** An unsigned number of 64 bits. */
  count(place: number, what: string, [least, most]: readonly [number, number]): number {
    this.require(place, 8, what);
    const value = this.#data.getBigUint64(place, true);
    if (value >= BigInt(least) && value <= BigInt(most)) return Number(value);
    return this.wrong(place, least === most ? `${what} ${least}` : `${what} from ${least} to ${most}`, value);
  }

  size(place: number, what: string): number {
    this.require(place, 4, what);
    const value = this.#data.getInt32(place, true);
    return value >= 0 ? value : this.wrong(place, `${what} from 0 on`, value);
  }
}

/**
 * @param file name for messages
 * @throws TransformerError `bad_checkpoint`, naming the byte.
 */
export function readMarianHeader(bytes: Uint8Array, file: string): MarianItem[] {
  const places = new Places(bytes, file);
  places.count(0, 'the version', [1, 1]);
  const count = places.count(8, 'the number of items', [1, mostItems]);
  const end = bytes.length;
  const heads = Array.from({ length: count }, (_, i) => {
    const place = 16 + 32 * i;
    return {
      nameBytes: places.count(place, `the length of name ${i + 1}`, [2, longestName]),
      type: places.count(place + 8, `the type of item ${i + 1}`, [0, 0xffff]),
      axes: places.count(place + 16, `the number of axes of item ${i + 1}`, [0, mostAxes]),
      bytes: places.count(place + 24, `the bytes of item ${i + 1}`, [0, end]),
    };
  });
  let place = 16 + 32 * count;
  const names = heads.map(({ nameBytes }, i) => {
    places.require(place, nameBytes, `the characters of name ${i + 1}`);
    const last = place + nameBytes - 1;
    if (bytes[last] !== 0) places.wrong(last, `the 0 that ends name ${i + 1}`, bytes[last]);
    const name = new TextDecoder().decode(bytes.subarray(place, last));
    place = last + 1;
    return name;
  });
  const shapes = heads.map(({ axes }, i) =>
    Array.from({ length: axes }, (_, axis) => {
      const size = places.size(place, `axis ${axis + 1} of '${names[i]}'`);
      place += 4;
      return size;
    }),
  );
  place += 8 + places.count(place, 'the bytes of padding', [0, end]);
  const seen = new Set<string>();
  return heads.map(({ type, bytes: length }, i) => {
    const name = names[i] ?? '';
    if (seen.has(name)) fail('bad_checkpoint', `${file} has two items '${name}'`);
    seen.add(name);
    places.require(place, length, `the numbers of '${name}'`);
    const item = { name, type, shape: shapes[i] ?? [], begin: place, bytes: length };
    place += length;
    return item;
  });
}
