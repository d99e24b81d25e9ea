/** Phi (Li et al. 2023): attention beside feed-forward after one norm; rotary positions on a part of each head. */

import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { decoderFamily } from './decoder_like.js';
import { normOfBoth } from './fused.js';
import { readRotation } from './rope.js';

const layer = 'decoder.layers.#';

const table: NameTable = {
  prefixes: ['model.'],
  names: {
    embed_tokens: asEmbedding('decoder.embedding'),
    'layers.#.input_layernorm': normOfBoth,
    'layers.#.self_attn.q_proj': `${layer}.self_attn.q_proj`,
    'layers.#.self_attn.k_proj': `${layer}.self_attn.k_proj`,
    'layers.#.self_attn.v_proj': `${layer}.self_attn.v_proj`,
    'layers.#.self_attn.dense': `${layer}.self_attn.out_proj`,
    'layers.#.mlp.fc1': `${layer}.feed_forward.fc1`,
    'layers.#.mlp.fc2': `${layer}.feed_forward.fc2`,
    final_layernorm: 'decoder.norm',
    lm_head: 'projection',
  },
};

export const phi = decoderFamily({
  modelTypes: ['phi'],
  classes: 'Phi',
  tokenizer: kinds.gpt2Bytes,
  defaults: {
    vocab_size: 51200,
    hidden_size: 2048,
    intermediate_size: 8192,
    num_hidden_layers: 24,
    num_attention_heads: 32,
    hidden_act: 'gelu_new',
    max_position_embeddings: 2048,
    layer_norm_eps: 1e-5,
    rope_theta: 10000,
    partial_rotary_factor: 0.5,
    tie_word_embeddings: false,
    bos_token_id: 1,
    eos_token_id: 2,
  },
  parts(fields, { numHeads, dHead }) {
    fields.only('qk_layernorm', false);
    const rotated = Math.floor(fields.number('partial_rotary_factor') * dHead);
    return {
      table,
      stack: { positions: readRotation(fields, dHead, rotated) },
      layer: { attention: { numKvHeads: fields.count('num_key_value_heads', numHeads) } },
      normPlace: 'parallel',
      projection: { bias: true },
    };
  },
});
