/** How the engine stores matrices. */

import { fail } from '../values/errors.js';
import { choiceOf } from '../values/options.js';
import type { ConstructorArgs } from './calls.js';

/**
 * How to store the matrices of a checkpoint. `'auto'`: as its files do, numbers of 16 bits (float16, bfloat16) in 16
 * bits. They take half the memory of float32, and give bitwise the same results. `'bergamot'`: for Firefox's
 * translation models with the multipliers of activations (`intgemm.alphas`), 8 bits with the rounding and the
 * saturation of Bergamot in WebAssembly.
 */
export type LoadDtype = 'auto' | Dtype | 'bergamot';

/**
 * How matrices are stored: in float32; quantised to 8 bits, which takes a quarter of the memory and is several times
 * faster but less exact; or to 4 bits, for large models: a little more than an eighth of the memory, and faster where
 * reading the weights takes most of the time, as in decoding, but clearly less exact. With 4 bits, embeddings have 8.
 * Everything else stays float32.
 */
export type Dtype = 'f32' | 'int8' | 'int4';

/** How the matrices of a model are stored. */
export type StoredDtype = Dtype | 'bergamot' | 'f16' | 'bf16';

/** The dtypes of integers. */
export type QuantizedDtype = Exclude<Dtype, 'f32'>;

interface DtypeFacts {
  /** Bytes of a number, with its share of the scales. */
  readonly bytes: number;
  /** The name in Transformers.js. */
  readonly alias: string;
  /** For integers: their bits, and what they save where the memory does not hold another dtype. */
  readonly bits?: number;
  readonly saves?: (from: StoredDtype) => string;
}

type EngineDtype = Exclude<ConstructorArgs<'Weights'>[0], 'auto' | 'bergamot'>;

/** Each with more savings than the one before. */
const facts: Readonly<Record<EngineDtype, DtypeFacts>> = {
  f32: { bytes: 4, alias: 'fp32' },
  int8: { bytes: 1, alias: 'q8', bits: 8, saves: (from) => (from === 'f32' ? 'a quarter' : 'half') },
  int4: { bytes: 0.5625, alias: 'q4', bits: 4, saves: () => '60 %' },
};

const dtypes: readonly Dtype[] = Object.keys(facts) as EngineDtype[];

export const isQuantizedDtype = (dtype: StoredDtype | 'auto'): dtype is QuantizedDtype =>
  dtype in facts && facts[dtype as Dtype].bits !== undefined;

export const quantizedDtypes: readonly QuantizedDtype[] = dtypes.filter(isQuantizedDtype);

export const loadDtypes: readonly LoadDtype[] = ['auto', ...dtypes, 'bergamot'];

export const toDtype = choiceOf(dtypes);
export const toLoadDtype = choiceOf(loadDtypes);

/** The names of Transformers.js. */
export const aliasedDtypes: Readonly<Record<string, Dtype>> = Object.fromEntries(
  dtypes.map((dtype) => [facts[dtype].alias, dtype]),
);

export const bytesOfNumber = (dtype: StoredDtype): number =>
  dtype === 'f16' || dtype === 'bf16' ? 2 : facts[dtype === 'bergamot' ? 'int8' : dtype].bytes;

/** The bits of a dtype of integers. */
export const bitsOf = (dtype: QuantizedDtype): number => facts[dtype].bits ?? 0;

/** The dtype whose integers have this number of bits. */
export const dtypeOfBits = (bits: number): QuantizedDtype =>
  quantizedDtypes.find((dtype) => bitsOf(dtype) === bits) ?? fail('internal', `no dtype has ${bits} bits`);

/** The dtype to try for weights that do not fit, and which part of the memory it takes; `null` for the smallest. */
export function smallerDtype(dtype: StoredDtype): { dtype: Dtype; share: string } | null {
  const next = dtypes[dtypes.indexOf(dtype as Dtype) + 1];
  const smaller = isQuantizedDtype(dtype) ? next : quantizedDtypes[0];
  const share = smaller && facts[smaller].saves?.(dtype);
  return share ? { dtype: smaller, share } : null;
}
