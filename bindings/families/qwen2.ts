/**
 * Qwen2 (Yang et al. 2024): Llama with biases of queries, keys and values; a sliding window in its upper layers. Qwen3
 * (Yang et al. 2025): with norms of queries and keys in place of the biases.
 */

import type { Fields } from '../files/fields.js';
import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { slidingLayers, windowsOf } from './layer_types.js';
import {
  headNormsTable,
  type LlamaBiases,
  type LlamaStack,
  llamaDefaults,
  llamaStack,
  planLlama,
  withHeadNorms,
} from './llama_like.js';

const defaults = {
  ...llamaDefaults,
  vocab_size: 151936,
  intermediate_size: 22016,
  num_key_value_heads: 32,
  max_position_embeddings: 32768,
  use_sliding_window: false,
  max_window_layers: 28,
  bos_token_id: null,
  eos_token_id: null,
};

/** With the window in the layers that have one. */
function qwenStack(fields: Fields, biases: LlamaBiases): LlamaStack {
  const stack = llamaStack(fields, biases);
  if (!fields.flag('use_sliding_window')) return stack;
  const first = fields.count('max_window_layers', undefined, 0);
  const sliding = slidingLayers(fields, stack.numLayers, (layer) => layer >= first);
  return { ...stack, ...windowsOf(fields.count('sliding_window', 4096), sliding) };
}

export const qwen2: Family = {
  modelTypes: ['qwen2'],
  tokenizer: kinds.onlyJson,
  defaults,
  plan: (config, shapes) =>
    planLlama(config, shapes, {
      classes: 'Qwen2',
      stack: (fields) => qwenStack(fields, { bias: true, unbiased: 'o' }),
    }),
};

export const qwen3: Family = {
  modelTypes: ['qwen3'],
  tokenizer: kinds.onlyJson,
  defaults: { ...defaults, head_dim: 128 },
  plan: (config, shapes) =>
    planLlama(config, shapes, {
      classes: 'Qwen3',
      stack: (fields) => withHeadNorms(qwenStack(fields, { bias: fields.flag('attention_bias') }), 'head'),
      table: headNormsTable,
    }),
};
