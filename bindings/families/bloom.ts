/** BLOOM (Le Scao et al. 2022): ALiBi, a norm after the embeddings; queries, keys and values interleaved by head. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { stackOf } from '../plans/stack.js';
import { onlyJson } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder } from './decoder_like.js';
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

export const bloom: Family = {
  modelTypes: ['bloom'],
  tokenizer: onlyJson,
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
  plan(given, shapes) {
    headOf(given, 'Bloom', ['ForCausalLM']);
    // Published checkpoints use the first set of names, the class the second.
    const { n_embed: width, num_hidden_layers: layers, num_attention_heads: heads } = given;
    const named = { hidden_size: width, n_layer: layers, n_head: heads };
    const renames = Object.entries(named).filter(([, value]) => (value ?? null) !== null);
    const fields = fieldsOf({ ...given, ...Object.fromEntries(renames) });
    const dModel = fields.count('hidden_size');
    const numHeads = fields.count('n_head');
    const tieEmbeddings = fields.flag('tie_word_embeddings');
    const table = tableOf(numHeads);
    const stack = stackOf({
      dModel,
      numHeads,
      dFf: 4 * dModel,
      numLayers: fields.count('n_layer'),
      activation: 'gelu_tanh',
      eps: fields.number('layer_norm_epsilon'),
    });
    const vocab = fields.count('vocab_size');
    const decoder = { ...stack, vocab, embeddingNorm: true, positions: { alibi: {} } };
    const isNormed = fields.flag('apply_residual_connection_post_layernorm', false);
    const model = decoderModel(decoder, tieEmbeddings, isNormed ? 'pre_residual' : 'pre');
    return planDecoder(fields, shapes, { model, table, maxPositions: null });
  },
};
