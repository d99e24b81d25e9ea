/** GPT-NeoX and Pythia (Black et al. 2022): attention beside feed-forward; rotary positions on a part of a head. */

import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { decoderFamily } from './decoder_like.js';
import { perHead } from './fused.js';
import { readRotation } from './rope.js';

const tableOf = (heads: number): NameTable => ({
  prefixes: ['gpt_neox.'],
  names: {
    embed_in: asEmbedding('decoder.embedding'),
    'layers.#.input_layernorm': 'decoder.layers.#.self_attn_norm',
    'layers.#.attention.query_key_value': perHead(heads),
    'layers.#.attention.dense': 'decoder.layers.#.self_attn.out_proj',
    'layers.#.post_attention_layernorm': 'decoder.layers.#.feed_forward_norm',
    'layers.#.mlp.dense_h_to_4h': 'decoder.layers.#.feed_forward.fc1',
    'layers.#.mlp.dense_4h_to_h': 'decoder.layers.#.feed_forward.fc2',
    final_layer_norm: 'decoder.norm',
    embed_out: 'projection',
  },
});

export const gptNeox = decoderFamily({
  modelTypes: ['gpt_neox'],
  classes: 'GPTNeoX',
  tokenizer: kinds.onlyJson,
  defaults: {
    vocab_size: 50432,
    hidden_size: 6144,
    intermediate_size: 24576,
    num_hidden_layers: 44,
    num_attention_heads: 64,
    hidden_act: 'gelu',
    max_position_embeddings: 2048,
    layer_norm_eps: 1e-5,
    rotary_pct: 0.25,
    rotary_emb_base: 10000,
    use_parallel_residual: true,
    attention_bias: true,
    tie_word_embeddings: false,
    bos_token_id: 0,
    eos_token_id: 2,
  },
  named: (config) => ({ rope_theta: config.rotary_emb_base, ...config }),
  parts: (fields, { numHeads, dHead }) => ({
    table: tableOf(numHeads),
    stack: {
      positions: readRotation(fields, dHead, Math.floor(fields.number('rotary_pct') * dHead)),
    },
    layer: { attention: { bias: fields.flag('attention_bias') } },
    normPlace: fields.flag('use_parallel_residual') ? 'parallel' : 'pre',
  }),
});
