/**
 * GPT-2 (Radford et al. 2019): learned positions; weights stored as [in, out]; queries, keys and values side by side.
 */

import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, asTable, engineName, type NameTable, type Target } from '../plans/renaming.js';
import { stackOf, withLayer } from '../plans/stack.js';
import { gpt2Bytes } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder, transposed } from './decoder_like.js';

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

export const gpt2: Family = {
  modelTypes: ['gpt2'],
  tokenizer: gpt2Bytes,
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
  plan(config, shapes) {
    headOf(config, 'GPT2', ['LMHeadModel']);
    const fields = fieldsOf(config);
    fields.only('scale_attn_by_inverse_layer_idx', false);
    fields.only('add_cross_attention', false);
    const dModel = fields.count('n_embd');
    const maxLength = fields.count('n_positions');
    const tieEmbeddings = fields.flag('tie_word_embeddings');
    const stack = stackOf({
      dModel,
      numHeads: fields.count('n_head'),
      dFf: fields.count('n_inner', 4 * dModel),
      numLayers: fields.count('n_layer'),
      activation: readActivation(fields, 'activation_function'),
      eps: fields.number('layer_norm_epsilon'),
    });
    const decoder = {
      ...(fields.flag('scale_attn_weights') ? stack : withLayer(stack, { attention: { scale: 1 } })),
      vocab: fields.count('vocab_size'),
      positions: { learned: { maxLength } },
    };
    const model = decoderModel(decoder, tieEmbeddings);
    return planDecoder(fields, shapes, { model, table, maxPositions: maxLength });
  },
};
