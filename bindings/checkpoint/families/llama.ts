/**
 * Llama (Touvron et al. 2023): rotary positions, RMS norms, SwiGLU, and fewer key/value heads than query heads.
 */

import { fail } from '../../engine/errors.js';
import type { Fields } from '../json/fields.js';
import type { JsonObject } from '../json/json_object.js';
import { showJson } from '../json/show_json.js';
import { llamaPieces } from '../tokenizers/kinds.js';
import { readActivation } from './activations.js';
import { decoderModel } from './decoder_like.js';
import { type Family, fieldsOf, headOf, readTokens } from './family.js';
import { type NameTable, nameBefore, renamed, tied } from './renaming.js';
import { stackOf, withLayer } from './stack.js';

const table: NameTable = {
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

/** The base of the rotary positions. Scaled variants (`rope_scaling` for longer contexts) are rejected. */
function readRotation(fields: Fields): number {
  for (const name of ['rope_scaling', 'rope_parameters']) {
    const given = fields.raw(name);
    if (given === undefined) continue;
    const rope: JsonObject = Object(given);
    const { rope_type: type, type: oldType, rope_theta: theta } = rope;
    if ((type ?? oldType ?? 'default') !== 'default') {
      fail('unsupported', `config.json: ${name} ${showJson(given)} is not supported`);
    }
    if (typeof theta === 'number') return theta;
  }
  return fields.number('rope_theta');
}

export const llama: Family = {
  modelTypes: ['llama'],
  tokenizer: llamaPieces,
  defaults: {
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
  },
  plan(config, shapes) {
    headOf(config, 'Llama', ['ForCausalLM']);
    const fields = fieldsOf(config);
    const maxLength = fields.count('max_position_embeddings');
    const tieEmbeddings = fields.flag('tie_word_embeddings');
    const stack = stackOf({
      dModel: fields.count('hidden_size'),
      numHeads: fields.count('num_attention_heads'),
      dFf: fields.count('intermediate_size'),
      numLayers: fields.count('num_hidden_layers'),
      activation: readActivation(fields, 'hidden_act'),
      eps: fields.number('rms_norm_eps'),
    });
    const layer = {
      attention: {
        bias: fields.flag('attention_bias'),
        ...(fields.has('num_key_value_heads') && { numKvHeads: fields.count('num_key_value_heads') }),
        ...(fields.has('head_dim') && { dHead: fields.count('head_dim') }),
      },
      feedForward: { gated: true, bias: fields.flag('mlp_bias') },
      norm: { kind: 'rms' },
    } as const;
    const decoder = {
      ...withLayer(stack, layer),
      vocab: fields.count('vocab_size'),
      positions: { rotary: { maxLength, base: readRotation(fields) } },
    };
    return {
      model: decoderModel(decoder, tieEmbeddings),
      slices: tied(renamed(shapes, table), tieEmbeddings && 'decoder.embedding.weight'),
      tokens: readTokens(fields, false),
      maxPositions: maxLength,
      storedName: (name) => nameBefore(name, table),
    };
  },
};
