/**
 * The types of numbers in GGUF files (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), which the engine
 * widens.
 */

import type { WrittenType } from './slice_writer.js';
import type { StoredBlock } from './stored_tensor.js';

/** A type of numbers, plain or in blocks. */
export interface GgufType extends StoredBlock {
  readonly name: WrittenType;
}

const type = (name: WrittenType, numbers: number, bytes: number): GgufType => ({ name, numbers, bytes });

/** By the numbers that stand for them in a file. */
export const ggufTypes: ReadonlyMap<number, GgufType> = new Map([
  [0, type('F32', 1, 4)],
  [1, type('F16', 1, 2)],
  [30, type('BF16', 1, 2)],
  [2, type('Q4_0', 32, 18)],
  [3, type('Q4_1', 32, 20)],
  [6, type('Q5_0', 32, 22)],
  [7, type('Q5_1', 32, 24)],
  [8, type('Q8_0', 32, 34)],
  [10, type('Q2_K', 256, 84)],
  [11, type('Q3_K', 256, 110)],
  [12, type('Q4_K', 256, 144)],
  [13, type('Q5_K', 256, 176)],
  [14, type('Q6_K', 256, 210)],
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
export const readTypes: readonly string[] = Array.from(ggufTypes.values(), ({ name }) => name);
