/**
 * The blocks in which a GGUF file stores numbers (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): 32 or 256
 * consecutive numbers of a row, as integers q of a few bits with scales d and perhaps minimums m of float16. Blocks of 256
 * ("K") have 8 or 16 parts, each with a factor of 6 or 8 bits for d and m.
 */

import { fromHalf } from './floats.js';

/** A type of blocks. */
export interface BlockType {
  readonly name: string;
  /** Numbers of a block, and its bytes. */
  readonly numbers: number;
  readonly bytes: number;
  /** Writes the numbers of a block as float32. Products are exact in it, and a sum is rounded once. */
  widen(block: DataView, begin: number, to: Float32Array, place: number): void;
}

/** A little-endian float16. */
const half = (block: DataView, place: number) => fromHalf(block.getUint16(place, true));

/** The lower halves of 16 bytes are the first 16 numbers, the upper halves the others; `high`: their fifth bits. */
function nibbles(name: string, zero: number | 'minimum', hasHigh: boolean): BlockType {
  const front = zero === 'minimum' ? 4 : 2;
  const integers = front + (hasHigh ? 4 : 0);
  return {
    name,
    numbers: 32,
    bytes: integers + 16,
    widen(block, begin, to, place) {
      const scale = half(block, begin);
      const minimum = zero === 'minimum' ? half(block, begin + 2) : 0;
      const shift = zero === 'minimum' ? 0 : zero;
      const high = hasHigh ? block.getUint32(begin + front, true) : 0;
      for (let i = 0; i < 32; i++) {
        const byte = block.getUint8(begin + integers + (i & 15));
        const q = (i < 16 ? byte & 15 : byte >> 4) | (((high >>> i) & 1) << 4);
        to[place + i] = scale * (q - shift) + minimum;
      }
    },
  };
}

const bytes: BlockType = {
  name: 'Q8_0',
  numbers: 32,
  bytes: 34,
  widen(block, begin, to, place) {
    const scale = half(block, begin);
    for (let i = 0; i < 32; i++) to[place + i] = scale * block.getInt8(begin + 2 + i);
  },
};

/** The factor of part `part` and that of its minimum, of 6 bits: eight of each in 12 bytes. */
function sixBits(block: DataView, begin: number, part: number): readonly [factor: number, ofMinimum: number] {
  const low = block.getUint8(begin + (part & 3));
  const middle = block.getUint8(begin + 4 + (part & 3));
  if (part < 4) return [low & 63, middle & 63];
  const both = block.getUint8(begin + 4 + part);
  return [(both & 15) | ((low >> 6) << 4), (both >> 4) | ((middle >> 6) << 4)];
}

/** Eight parts of 32 numbers: d * factor * q - m * factor. Two parts share 32 bytes, as their lower and upper halves. */
function eightParts(name: string, hasHigh: boolean): BlockType {
  const integers = hasHigh ? 48 : 16;
  return {
    name,
    numbers: 256,
    bytes: integers + 128,
    widen(block, begin, to, place) {
      const scale = half(block, begin);
      const minimum = half(block, begin + 2);
      for (let part = 0; part < 8; part++) {
        const [factor, ofMinimum] = sixBits(block, begin + 4, part);
        const d = scale * factor;
        const m = minimum * ofMinimum;
        const from = begin + integers + 32 * (part >> 1);
        for (let i = 0; i < 32; i++) {
          const nibble = (block.getUint8(from + i) >> (4 * (part & 1))) & 15;
          const high = hasHigh ? (block.getUint8(begin + 16 + i) >> part) & 1 : 0;
          to[place + 32 * part + i] = d * (nibble | (high << 4)) - m;
        }
      }
    },
  };
}

/** Sixteen parts of 16 numbers of 2 bits: d * factor * q - m * factor, with factors of 4 bits. */
const twoBits: BlockType = {
  name: 'Q2_K',
  numbers: 256,
  bytes: 84,
  widen(block, begin, to, place) {
    const scale = half(block, begin + 80);
    const minimum = half(block, begin + 82);
    for (let i = 0; i < 256; i++) {
      const factors = block.getUint8(begin + (i >> 4));
      const byte = block.getUint8(begin + 16 + 32 * (i >> 7) + (i & 31));
      const q = (byte >> (2 * ((i >> 5) & 3))) & 3;
      to[place + i] = scale * (factors & 15) * q - minimum * (factors >> 4);
    }
  },
};

/** Sixteen parts of 16 numbers of 3 bits, the third in `hmask`: d * (factor - 32) * (q - 4), with factors of 6 bits. */
const threeBits: BlockType = {
  name: 'Q3_K',
  numbers: 256,
  bytes: 110,
  widen(block, begin, to, place) {
    const scale = half(block, begin + 108);
    for (let i = 0; i < 256; i++) {
      const part = i >> 4;
      const low = block.getUint8(begin + 96 + (part & 7)) >> (part < 8 ? 0 : 4);
      const high = block.getUint8(begin + 104 + (part & 3)) >> (2 * (part >> 2));
      const d = scale * (((low & 15) | ((high & 3) << 4)) - 32);
      const third = (block.getUint8(begin + (i & 31)) >> (i >> 5)) & 1;
      const byte = block.getUint8(begin + 32 + 32 * (i >> 7) + (i & 31));
      to[place + i] = d * (((byte >> (2 * ((i >> 5) & 3))) & 3) + 4 * third - 4);
    }
  },
};

/** Sixteen parts of 16 numbers of 6 bits, their upper two apart: d * factor * (q - 32), with factors of 8 bits. */
const sixBitNumbers: BlockType = {
  name: 'Q6_K',
  numbers: 256,
  bytes: 210,
  widen(block, begin, to, place) {
    const scale = half(block, begin + 208);
    for (let i = 0; i < 256; i++) {
      const quarter = (i >> 5) & 3;
      const low = block.getUint8(begin + 64 * (i >> 7) + (i & 63)) >> (quarter < 2 ? 0 : 4);
      const high = block.getUint8(begin + 128 + 32 * (i >> 7) + (i & 31)) >> (2 * quarter);
      const factor = block.getInt8(begin + 192 + (i >> 4));
      to[place + i] = scale * factor * (((low & 15) | ((high & 3) << 4)) - 32);
    }
  },
};

/** By the numbers that stand for them in a file. */
export const blockTypes: ReadonlyMap<number, BlockType> = new Map([
  [2, nibbles('Q4_0', 8, false)],
  [3, nibbles('Q4_1', 'minimum', false)],
  [6, nibbles('Q5_0', 16, true)],
  [7, nibbles('Q5_1', 'minimum', true)],
  [8, bytes],
  [10, twoBits],
  [11, threeBits],
  [12, eightParts('Q4_K', false)],
  [13, eightParts('Q5_K', true)],
  [14, sixBitNumbers],
]);

/** Types of plain numbers. */
export const plainTypes: ReadonlyMap<number, 'F32' | 'F16' | 'BF16'> = new Map([
  [0, 'F32'],
  [1, 'F16'],
  [30, 'BF16'],
]);

const others: ReadonlyMap<number, string> = new Map([
  [9, 'Q8_1'],
  [15, 'Q8_K'],
  [16, 'IQ2_XXS'],
  [17, 'IQ2_XS'],
  [18, 'IQ3_XXS'],
  [19, 'IQ1_S'],
  [20, 'IQ4_NL'],
  [21, 'IQ3_S'],
  [22, 'IQ2_S'],
  [23, 'IQ4_XS'],
  [24, 'I8'],
  [25, 'I16'],
  [26, 'I32'],
  [27, 'I64'],
  [28, 'F64'],
  [29, 'IQ1_M'],
  [34, 'TQ1_0'],
  [35, 'TQ2_0'],
  [39, 'MXFP4'],
]);

/** The name of a type that is not read, for messages. */
export const otherType = (type: number): string | undefined => others.get(type);

/** All names of types that are read. */
export const readTypes: readonly string[] = [
  ...plainTypes.values(),
  ...Array.from(blockTypes.values(), ({ name }) => name),
];
