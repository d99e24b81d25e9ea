/** What Llama, Mistral, Qwen2 and Gemma share: rotary positions, RMS norms, gated feed-forward layers, few key heads. */

import type { RotaryPositions, StackConfig } from '../../engine/embind.js';
import { fail } from '../../engine/errors.js';
import type { Fields } from '../json/fields.js';
import type { JsonObject } from '../json/json_object.js';
import { showJson } from '../json/show_json.js';
import { readActivation } from './activations.js';
import type { NameTable } from './renaming.js';
import { type Stack, stackOf, withLayer } from './stack.js';

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
    embed_tokens: 'decoder.embedding',
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

/** Rotary positions, whose length is known. Scaled variants (`rope_scaling` for longer texts) are refused. */
function readRotation(fields: Fields): Partial<RotaryPositions> & Pick<RotaryPositions, 'maxLength'> {
  const maxLength = fields.count('max_position_embeddings');
  for (const name of ['rope_scaling', 'rope_parameters']) {
    const given = fields.raw(name);
    if (given === undefined) continue;
    const rope: JsonObject = Object(given);
    const { rope_type: type, type: oldType, rope_theta: theta } = rope;
    if ((type ?? oldType ?? 'default') !== 'default')
      fail('unsupported', `config.json: ${name} ${showJson(given)} is not supported`);
    if (typeof theta === 'number') return { maxLength, base: theta };
  }
  return { maxLength, base: fields.number('rope_theta') };
}

/** @param bias whether the projections of attention have biases */
export function llamaStack(fields: Fields, bias: boolean): Stack & Pick<StackConfig, 'vocab' | 'numLayers'> {
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
  const layer = {
    attention: {
      bias,
      ...(fields.has('num_key_value_heads') && { numKvHeads: fields.count('num_key_value_heads') }),
      ...(fields.has('head_dim') && { dHead: fields.count('head_dim') }),
    },
    feedForward: { gated: true, bias: fields.flag('mlp_bias', false) },
    norm: { kind: 'rms' },
  } as const;
  return {
    ...withLayer(stack, layer),
    numLayers,
    vocab: fields.count('vocab_size'),
    positions: { rotary: readRotation(fields) },
  };
}
