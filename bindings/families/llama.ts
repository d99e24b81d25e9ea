/** Llama (Touvron et al. 2023), versions 1 to 3, and what is built like it. */

import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { llamaDefaults, llamaStack, planLlama } from './llama_like.js';

export const llama: Family = {
  modelTypes: ['llama'],
  tokenizer: kinds.llamaPieces,
  defaults: llamaDefaults,
  plan: (config, shapes) =>
    planLlama(config, shapes, {
      classes: 'Llama',
      stack: (fields) => llamaStack(fields, { bias: fields.flag('attention_bias') }),
    }),
};
