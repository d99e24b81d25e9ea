/** The architectures of GGUF files, by the names of llama.cpp. */

import type { Architecture } from './architecture.js';
import { decoders } from './decoders.js';
import { encoders } from './encoders.js';

export const architectures: ReadonlyMap<string, Architecture> = new Map([...decoders, ...encoders]);
