/** SmolLM3 (Bakouch et al. 2025): Llama without rotation in every fourth layer (Yang et al. 2025). */

import type { Fields } from '../files/fields.js';
import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { markedLayers } from './layer_types.js';
import { llamaDefaults, llamaStack, planLlama } from './llama_like.js';
import { unrotated } from './rope_by_layer.js';

function stackOf(fields: Fields) {
  fields.only('use_sliding_window', false);
  const stack = llamaStack(fields, { bias: fields.flag('attention_bias') });
  const every = fields.count('no_rope_layer_interval');
  // 1 for layers that rotate.
  const layers = markedLayers(
    fields,
    'no_rope_layers',
    stack.numLayers,
    (layer) => (layer + 1) % every !== 0,
  );
  return { ...stack, ...unrotated(layers.map((rotates) => !rotates)) };
}

export const smollm3: Family = {
  modelTypes: ['smollm3'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 128256,
    hidden_size: 2048,
    num_hidden_layers: 36,
    num_attention_heads: 16,
    num_key_value_heads: 4,
    max_position_embeddings: 32768,
    rope_theta: 2e6,
    no_rope_layer_interval: 4,
    tie_word_embeddings: true,
    pad_token_id: 128004,
    bos_token_id: 128000,
    eos_token_id: 128001,
  },
  plan: (config, shapes) => planLlama(config, shapes, { classes: 'SmolLM3', stack: stackOf }),
};
