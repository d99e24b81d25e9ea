/** What Llama, Mistral, Qwen2 and Gemma share: rotary positions, RMS norms, gated feed-forward layers, few key heads. */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { AttentionConfig, StackConfig } from '../modules/embind.js';
import { readActivation } from '../plans/activations.js';
import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { type Stack, stackOf, withLayer } from '../plans/stack.js';
import { readRotation } from './rope.js';

/** Defaults that the config classes of these families fill in. */
export const llamaDefaults: JsonObject = {
  vocab_size: 32000,
  hidden_size: 4096,
  intermediate_size: 11008,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  hidden_act: 'silu',
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  attention_bias: false,
  mlp_bias: false,
  tie_word_embeddings: false,
  bos_token_id: 1,
  eos_token_id: 2,
};

export const llamaTable: NameTable = {
  prefixes: ['model.'],
  names: {
    embed_tokens: asEmbedding('decoder.embedding'),
    'layers.#.input_layernorm': 'decoder.layers.#.self_attn_norm',
    'layers.#.self_attn.q_proj': 'decoder.layers.#.self_attn.q_proj',
    'layers.#.self_attn.k_proj': 'decoder.layers.#.self_attn.k_proj',
    'layers.#.self_attn.v_proj': 'decoder.layers.#.self_attn.v_proj',
    'layers.#.self_attn.o_proj': 'decoder.layers.#.self_attn.out_proj',
    'layers.#.post_attention_layernorm': 'decoder.layers.#.feed_forward_norm',
    'layers.#.mlp.gate_proj': 'decoder.layers.#.feed_forward.fc1',
    'layers.#.mlp.up_proj': 'decoder.layers.#.feed_forward.gate',
    'layers.#.mlp.down_proj': 'decoder.layers.#.feed_forward.fc2',
    norm: 'decoder.norm',
    lm_head: 'projection',
  },
};

/** @param biases of the projections of attention */
export function llamaStack(
  fields: Fields,
  biases: Partial<Pick<AttentionConfig, 'bias' | 'unbiased'>>,
): Stack & Pick<StackConfig, 'vocab' | 'numLayers'> {
  const dModel = fields.count('hidden_size');
  const numHeads = fields.count('num_attention_heads');
  const numLayers = fields.count('num_hidden_layers');
  const stack = stackOf({
    dModel,
    numHeads,
    dFf: fields.count('intermediate_size'),
    numLayers,
    activation: readActivation(fields, 'hidden_act'),
    eps: fields.number('rms_norm_eps'),
  });
  const hasWidth = fields.has('head_dim');
  const dHead = hasWidth ? fields.count('head_dim') : Math.floor(dModel / numHeads);
  const layer = {
    attention: {
      ...biases,
      ...(fields.has('num_key_value_heads') && { numKvHeads: fields.count('num_key_value_heads') }),
      ...(hasWidth && { dHead }),
    },
    feedForward: { gated: true, bias: fields.flag('mlp_bias', false) },
    norm: { kind: 'rms' },
  } as const;
  return {
    ...withLayer(stack, layer),
    numLayers,
    vocab: fields.count('vocab_size'),
    positions: readRotation(fields, dHead),
  };
}
