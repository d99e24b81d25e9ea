/**
 * Gemma 3 (Gemma Team 2025), its text models: Gemma 2 with norms of queries and keys in place of the caps; layers with
 * a window have angles of their own. EmbeddingGemma (Vera et al. 2025) sees later tokens too.
 */

import type { Fields } from '../files/fields.js';
import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { asEncoder } from './decoder_like.js';
import {
  embeddingScale,
  gemma2Stack,
  gemmaDefaults,
  logitsCap,
  sandwichTable,
  withActivation,
  withNormsPlusOne,
} from './gemma_like.js';
import { slidingLayers, windowsOf } from './layer_types.js';
import { headWidth, type LlamaStack, planLlama, withHeadNorms } from './llama_like.js';
import { rotationsByLayer } from './rope_by_layer.js';

function gemma3Stack(fields: Fields, isEncoder: boolean): LlamaStack {
  const stack = withHeadNorms(gemma2Stack(fields), 'head');
  const every = fields.count('sliding_window_pattern', fields.count('_sliding_window_pattern', 6));
  const sliding = slidingLayers(fields, stack.numLayers, (layer) => (layer + 1) % every !== 0);
  const window = fields.count('sliding_window');
  return {
    ...stack,
    ...windowsOf(isEncoder ? Math.floor(window / 2) + 1 : window, sliding),
    ...rotationsByLayer(fields, headWidth(fields), sliding, {
      full: { rope_theta: fields.raw('rope_theta'), rope_scaling: fields.raw('rope_scaling') },
      sliding: { rope_theta: fields.raw('rope_local_base_freq') },
    }),
  };
}

export const gemma3: Family = {
  modelTypes: ['gemma3_text'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...gemmaDefaults,
    vocab_size: 262208,
    hidden_size: 2304,
    intermediate_size: 9216,
    num_hidden_layers: 26,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    max_position_embeddings: 131072,
    rope_theta: 1e6,
    rope_local_base_freq: 10000,
    query_pre_attn_scalar: 256,
    sliding_window: 4096,
  },
  plan(config, shapes) {
    const isEncoder = config.use_bidirectional_attention === true;
    const [name] = Array.isArray(config.architectures) ? config.architectures : [];
    const plan = planLlama(withActivation(config), shapes, {
      classes: String(name).startsWith('Gemma3Text') ? 'Gemma3Text' : 'Gemma3',
      stack: (fields) => gemma3Stack(fields, isEncoder),
      table: sandwichTable,
      normPlace: 'sandwich',
      model: embeddingScale,
      projection: logitsCap,
    });
    return withNormsPlusOne(isEncoder ? asEncoder(plan) : plan);
  },
};
