/** How the engine stores matrices. */

import { choiceOf } from '../values/options.js';

/**
 * How matrices are stored: in float32; quantised to 8 bits, which takes a quarter of the memory and is several times
 * faster but less exact; or to 4 bits, for large models: a little more than an eighth of the memory, and faster where
 * reading the weights takes most of the time, as in decoding, but clearly less exact. With 4 bits, embeddings have 8.
 * Everything else stays float32.
 */
export type Dtype = 'f32' | 'int8' | 'int4';

export const toDtype = choiceOf(['f32', 'int8', 'int4']);

/**
 * How to store the matrices of a checkpoint. `'auto'`: as its files do, numbers of 16 bits (float16, bfloat16) in 16 bits.
 * They take half the memory of float32, and give bitwise the same results.
 */
export type LoadDtype = 'auto' | Dtype;

export const loadDtypes = ['auto', 'f32', 'int8', 'int4'] as const;
export const toLoadDtype = choiceOf(loadDtypes);

/** How the matrices of a model are stored. */
export type StoredDtype = Dtype | 'f16' | 'bf16';
