/** BLOOM (Le Scao et al. 2022): ALiBi, a norm after the embeddings; queries, keys and values interleaved by head. */

import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { decoderFamily, withNames } from './decoder_like.js';
import { perHead } from './fused.js';

const tableOf = (heads: number): NameTable => ({
  prefixes: ['transformer.'],
  names: {
    word_embeddings: asEmbedding('decoder.embedding'),
    word_embeddings_layernorm: 'decoder.embedding_norm',
    'h.#.input_layernorm': 'decoder.layers.#.self_attn_norm',
    'h.#.self_attention.query_key_value': perHead(heads),
    'h.#.self_attention.dense': 'decoder.layers.#.self_attn.out_proj',
    'h.#.post_attention_layernorm': 'decoder.layers.#.feed_forward_norm',
    'h.#.mlp.dense_h_to_4h': 'decoder.layers.#.feed_forward.fc1',
    'h.#.mlp.dense_4h_to_h': 'decoder.layers.#.feed_forward.fc2',
    ln_f: 'decoder.norm',
    lm_head: 'projection',
  },
});

export const bloom = decoderFamily({
  modelTypes: ['bloom'],
  classes: 'Bloom',
  tokenizer: kinds.onlyJson,
  defaults: {
    vocab_size: 250880,
    hidden_size: 64,
    n_layer: 2,
    n_head: 8,
    layer_norm_epsilon: 1e-5,
    tie_word_embeddings: true,
    bos_token_id: 1,
    eos_token_id: 2,
  },
  keys: {
    numHeads: 'n_head',
    numLayers: 'n_layer',
    dFf: null,
    eps: 'layer_norm_epsilon',
    fixed: { activation: 'gelu_tanh' },
  },
  // Published checkpoints use the names on the right.
  named: (config) =>
    withNames(config, {
      hidden_size: 'n_embed',
      n_layer: 'num_hidden_layers',
      n_head: 'num_attention_heads',
    }),
  parts: (fields, { numHeads }) => ({
    table: tableOf(numHeads),
    stack: { embeddingNorm: true, positions: { alibi: {} } },
    normPlace: fields.flag('apply_residual_connection_post_layernorm', false) ? 'pre_residual' : 'pre',
  }),
});
