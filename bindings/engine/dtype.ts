/** How the engine stores matrices. */

import { choiceOf } from './options.js';

/**
 * How matrices are stored: in float32, or quantised to 8 bits, which takes a quarter of the memory and is several times
 * faster but less exact. Everything else stays float32.
 */
export type Dtype = 'f32' | 'int8';

export const toDtype = choiceOf(['f32', 'int8']);
