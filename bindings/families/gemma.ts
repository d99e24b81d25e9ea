/** Gemma (Mesnard et al. 2024): Llama with GEGLU, a scaled embedding, and norms that store their weights minus 1. */

import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { embeddingScale, gemmaDefaults, withNormsPlusOne } from './gemma_like.js';
import { llamaStack, planLlama } from './llama_like.js';

export const gemma: Family = {
  modelTypes: ['gemma'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...gemmaDefaults,
    hidden_size: 3072,
    intermediate_size: 24576,
    num_hidden_layers: 28,
    num_attention_heads: 16,
    num_key_value_heads: 16,
  },
  plan(config, shapes) {
    // Older files say "gelu" and mean the tanh approximation.
    const { hidden_activation: named, hidden_act: old = 'gelu' } = config;
    const activation = named ?? (old === 'gelu' ? 'gelu_pytorch_tanh' : old);
    return withNormsPlusOne(
      planLlama({ ...config, hidden_act: activation }, shapes, {
        classes: 'Gemma',
        stack: (fields) => llamaStack(fields, { bias: fields.flag('attention_bias') }),
        model: embeddingScale,
      }),
    );
  },
};
