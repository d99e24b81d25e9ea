/** Granite 3 (IBM 2024): Llama with factors of the embedding, the scores, what each block adds, and the logits. */

import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { llamaDefaults, llamaStack, planLlama, withOwn } from './llama_like.js';
import { positive } from './positive.js';

export const granite: Family = {
  modelTypes: ['granite'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...llamaDefaults,
    embedding_multiplier: 1,
    attention_multiplier: 1,
    residual_multiplier: 1,
    logits_scaling: 1,
  },
  plan: (config, shapes) =>
    planLlama(config, shapes, {
      classes: 'Granite',
      stack: (fields) =>
        withOwn(llamaStack(fields, { bias: fields.flag('attention_bias') }), {
          residualScale: fields.number('residual_multiplier'),
          attention: { scale: positive(fields, 'attention_multiplier') },
        }),
      model: (fields) => ({ embeddingScale: fields.number('embedding_multiplier') }),
      projection: (fields) => ({ scale: 1 / positive(fields, 'logits_scaling') }),
    }),
};
