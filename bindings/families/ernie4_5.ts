/** ERNIE 4.5, its dense models (Baidu 2025): Llama whose neighbours rotate. */

import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { neighbours } from './cohere.js';
import { headWidth, llamaDefaults, llamaStack, planLlama, withOwn } from './llama_like.js';

export const ernie45: Family = {
  modelTypes: ['ernie4_5'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 103424,
    hidden_size: 1024,
    intermediate_size: 3072,
    num_hidden_layers: 18,
    num_attention_heads: 16,
    num_key_value_heads: 2,
    head_dim: 128,
    max_position_embeddings: 131072,
    rms_norm_eps: 1e-5,
    rope_theta: 5e5,
    use_bias: false,
    tie_word_embeddings: true,
    pad_token_id: 0,
  },
  plan: (config, shapes) =>
    planLlama(config, shapes, {
      classes: 'Ernie4_5',
      stack(fields) {
        const bias = fields.flag('use_bias');
        const stack = withOwn(llamaStack(fields, { bias }), { feedForward: { bias } });
        return { ...stack, positions: neighbours(fields, headWidth(fields)) };
      },
    }),
};
