/**
 * GPT-2 (Radford et al. 2019): learned positions; weights stored as [in, out]; queries, keys and values side by side.
 */

import { asEmbedding, asTable, engineName, type NameTable, type Target } from '../plans/renaming.js';
import type { SizeKeys } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { decoderFamily, transposed } from './decoder_like.js';

const transposedTo =
  (...targets: string[]): Target =>
  (stored) =>
    transposed(
      stored,
      targets.map((target) => engineName(`decoder.layers.#.${target}`, stored)),
    );

const table: NameTable = {
  prefixes: ['transformer.'],
  names: {
    wte: asEmbedding('decoder.embedding'),
    wpe: asTable('decoder.positions'),
    'h.#.ln_1': 'decoder.layers.#.self_attn_norm',
    'h.#.attn.c_attn': transposedTo('self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'),
    'h.#.attn.c_proj': transposedTo('self_attn.out_proj'),
    'h.#.ln_cross_attn': 'decoder.layers.#.cross_attn_norm',
    'h.#.crossattention.q_attn': transposedTo('cross_attn.q_proj'),
    'h.#.crossattention.c_attn': transposedTo('cross_attn.k_proj', 'cross_attn.v_proj'),
    'h.#.crossattention.c_proj': transposedTo('cross_attn.out_proj'),
    'h.#.ln_2': 'decoder.layers.#.feed_forward_norm',
    'h.#.mlp.c_fc': transposedTo('feed_forward.fc1'),
    'h.#.mlp.c_proj': transposedTo('feed_forward.fc2'),
    ln_f: 'decoder.norm',
    lm_head: 'projection',
  },
};

/** Where GPT-2 and its kin have their sizes. */
export const gpt2Keys: SizeKeys = {
  dModel: 'n_embd',
  numHeads: 'n_head',
  numLayers: 'n_layer',
  dFf: 'n_inner',
  activation: 'activation_function',
  eps: 'layer_norm_epsilon',
};

export const gpt2 = decoderFamily({
  modelTypes: ['gpt2'],
  classes: 'GPT2',
  head: 'LMHeadModel',
  tokenizer: kinds.gpt2Bytes,
  inputsFirst: /(^|\.)h\.\d+\./,
  defaults: {
    vocab_size: 50257,
    n_positions: 1024,
    n_embd: 768,
    n_layer: 12,
    n_head: 12,
    activation_function: 'gelu_new',
    layer_norm_epsilon: 1e-5,
    scale_attn_weights: true,
    tie_word_embeddings: true,
    bos_token_id: 50256,
    eos_token_id: 50256,
  },
  keys: gpt2Keys,
  parts(fields) {
    fields.only('scale_attn_by_inverse_layer_idx', false);
    fields.only('add_cross_attention', false);
    return {
      table,
      stack: { positions: { learned: { maxLength: fields.count('n_positions') } } },
      ...(!fields.flag('scale_attn_weights') && { layer: { attention: { scale: 1 } } }),
    };
  },
});
