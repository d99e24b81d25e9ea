/** Gemma (Mesnard et al. 2024): Llama with GEGLU, a scaled embedding, and norms that store their weights minus 1. */

import type { Family } from '../plans/family.js';
import { onlyJson } from '../tokenizers/kinds.js';
import { llamaDefaults, llamaStack, planLlama } from './llama_like.js';

export const gemma: Family = {
  modelTypes: ['gemma'],
  tokenizer: onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 256000,
    hidden_size: 3072,
    intermediate_size: 24576,
    num_hidden_layers: 28,
    num_attention_heads: 16,
    num_key_value_heads: 16,
    head_dim: 256,
    max_position_embeddings: 8192,
    tie_word_embeddings: true,
    pad_token_id: 0,
    eos_token_id: 1,
    bos_token_id: 2,
  },
  plan(config, shapes) {
    // Older files say "gelu" and mean the tanh approximation.
    const { hidden_activation: named, hidden_act: old = 'gelu' } = config;
    const activation = named ?? (old === 'gelu' ? 'gelu_pytorch_tanh' : old);
    const plan = planLlama({ ...config, hidden_act: activation }, shapes, {
      classes: 'Gemma',
      stack: (fields) => llamaStack(fields, { bias: fields.flag('attention_bias') }),
      model: (fields) => ({ embeddingScale: Math.sqrt(fields.count('hidden_size')) }),
    });
    const isNorm = /norm\.weight$/;
    return {
      ...plan,
      slices: plan.slices.map((slice) => (isNorm.test(slice.name) ? { ...slice, added: 1 } : slice)),
    };
  },
};
