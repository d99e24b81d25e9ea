/** How the engine keeps matrices. */

import { choiceOf } from './options.js';

/**
 * How matrices are kept: in float32, or quantised to 8 bits, which takes a quarter of the memory, is several times as fast
 * and less exact. Everything else stays float32.
 */
export type Dtype = 'f32' | 'int8';

export const toDtype = choiceOf(['f32', 'int8']);
