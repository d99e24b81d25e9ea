/** OPT (Zhang et al. 2022): learned positions from the third row on; one size has norms after each block. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, type NameTable, positionsFrom } from '../plans/renaming.js';
import { preNorm, readSizes, type Stack, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { planDecoder } from './decoder_like.js';

const table: NameTable = {
  prefixes: ['model.decoder.', 'decoder.'],
  names: {
    embed_tokens: asEmbedding('decoder.embedding'),
    embed_positions: positionsFrom(2, 'decoder.positions'),
    project_in: 'decoder.embedding_projection',
    project_out: 'head.dense',
    'layers.#.self_attn.q_proj': 'decoder.layers.#.self_attn.q_proj',
    'layers.#.self_attn.k_proj': 'decoder.layers.#.self_attn.k_proj',
    'layers.#.self_attn.v_proj': 'decoder.layers.#.self_attn.v_proj',
    'layers.#.self_attn.out_proj': 'decoder.layers.#.self_attn.out_proj',
    'layers.#.self_attn_layer_norm': 'decoder.layers.#.self_attn_norm',
    'layers.#.fc1': 'decoder.layers.#.feed_forward.fc1',
    'layers.#.fc2': 'decoder.layers.#.feed_forward.fc2',
    'layers.#.final_layer_norm': 'decoder.layers.#.feed_forward_norm',
    final_layer_norm: 'decoder.norm',
    lm_head: 'projection',
  },
};

export const opt: Family = {
  modelTypes: ['opt'],
  tokenizer: kinds.gpt2Bytes,
  defaults: {
    vocab_size: 50272,
    hidden_size: 768,
    num_hidden_layers: 12,
    ffn_dim: 3072,
    num_attention_heads: 12,
    max_position_embeddings: 2048,
    activation_function: 'relu',
    do_layer_norm_before: true,
    _remove_final_layer_norm: false,
    enable_bias: true,
    tie_word_embeddings: true,
    pad_token_id: 1,
    bos_token_id: 2,
    eos_token_id: 2,
  },
  plan(config, shapes) {
    headOf(config, 'OPT', ['ForCausalLM']);
    const fields = fieldsOf(config);
    fields.only('layer_norm_elementwise_affine', true);
    fields.only('tie_word_embeddings', true);
    const maxLength = fields.count('max_position_embeddings');
    const sizes = readSizes(fields, {
      dFf: 'ffn_dim',
      activation: 'activation_function',
      fixed: { eps: 1e-5 },
    });
    const { dModel } = sizes;
    const stack = stackOf(sizes);
    const bias = fields.flag('enable_bias');
    const vocab = fields.count('vocab_size');
    const width = fields.count('word_embed_proj_dim', dModel);
    const isPre = fields.flag('do_layer_norm_before');
    const plain: Stack = {
      ...withLayer(stack, { attention: { bias }, feedForward: { bias } }),
      vocab,
      positions: { learned: { maxLength } },
      ...(width !== dModel && { embeddingWidth: width }),
    };
    const decoder = isPre ? { ...preNorm(plain), norm: !fields.flag('_remove_final_layer_norm') } : plain;
    const steps = [{ name: 'dense', outFeatures: width, bias: false }];
    const model = {
      decoder,
      ...(width !== dModel && { head: { steps } }),
      projection: { vocab, tied: true },
    };
    return planDecoder(fields, shapes, { model, table, maxPositions: maxLength });
  },
};
