/** Mistral (Jiang et al. 2023): Llama with a sliding window. */

import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { slidingLayers, windowsOf } from './layer_types.js';
import { llamaDefaults, llamaStack, planLlama } from './llama_like.js';

export const mistral: Family = {
  modelTypes: ['mistral'],
  tokenizer: kinds.llamaPieces,
  defaults: {
    ...llamaDefaults,
    intermediate_size: 14336,
    num_key_value_heads: 8,
    max_position_embeddings: 4096 * 32,
    sliding_window: 4096,
  },
  plan: (config, shapes) =>
    planLlama(config, shapes, {
      classes: 'Mistral',
      stack(fields) {
        const stack = llamaStack(fields, { bias: false });
        if (config.sliding_window === null) return stack;
        const sliding = slidingLayers(fields, stack.numLayers, () => true);
        return { ...stack, ...windowsOf(fields.count('sliding_window'), sliding) };
      },
    }),
};
