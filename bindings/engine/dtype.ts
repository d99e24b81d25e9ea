/** How the engine stores matrices. */

import { choiceOf } from './options.js';

/**
 * How matrices are stored: in float32, or quantised to 8 bits, which takes a quarter of the memory and is several times
 * faster but less exact. Everything else stays float32.
 */
export type Dtype = 'f32' | 'int8';

export const toDtype = choiceOf(['f32', 'int8']);

/**
 * How to store the matrices of a checkpoint. `'auto'`: as its files do, numbers of 16 bits (float16, bfloat16) in 16 bits.
 * They take half the memory of float32, and give bitwise the same results.
 */
export type LoadDtype = 'auto' | Dtype;

export const toLoadDtype = choiceOf(['auto', 'f32', 'int8']);

/** How the matrices of a model are stored. */
export type StoredDtype = Dtype | 'f16' | 'bf16';
