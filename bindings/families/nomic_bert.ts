/** NomicBERT (Nussbaum et al. 2024): BERT with rotary positions and gated feed-forward layers without biases. */

import type { JsonObject } from '../files/json_object.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { asEmbedding, asTable, type NameTable } from '../plans/renaming.js';
import { readSizes, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { planEncoder } from './bert_like.js';
import { stacked } from './fused.js';
import { readRotation } from './rope.js';

const layer = 'encoder.layers.#';

const table: NameTable = {
  prefixes: ['bert.'],
  names: {
    'embeddings.word_embeddings': asEmbedding('encoder.embedding'),
    'embeddings.token_type_embeddings': asTable('encoder.token_types'),
    emb_ln: 'encoder.embedding_norm',
    'encoder.layers.#.attn.Wqkv': stacked({
      [`${layer}.self_attn.q_proj`]: 1,
      [`${layer}.self_attn.k_proj`]: 1,
      [`${layer}.self_attn.v_proj`]: 1,
    }),
    'encoder.layers.#.attn.out_proj': `${layer}.self_attn.out_proj`,
    'encoder.layers.#.norm1': `${layer}.self_attn_norm`,
    'encoder.layers.#.mlp.fc11': `${layer}.feed_forward.gate`,
    'encoder.layers.#.mlp.fc12': `${layer}.feed_forward.fc1`,
    'encoder.layers.#.mlp.fc2': `${layer}.feed_forward.fc2`,
    'encoder.layers.#.norm2': `${layer}.feed_forward_norm`,
  },
};

/** The fields of published files, whose code is their own, under the library's names. */
const newerNames: Readonly<Record<string, string>> = {
  n_embd: 'hidden_size',
  n_head: 'num_attention_heads',
  n_inner: 'intermediate_size',
  n_layer: 'num_hidden_layers',
  n_positions: 'max_position_embeddings',
  layer_norm_epsilon: 'layer_norm_eps',
  rotary_emb_base: 'rope_theta',
};

const withNewerNames = (config: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      Object.hasOwn(newerNames, name) ? [[newerNames[name], value]] : [],
    ),
  ),
  ...config,
});

export const nomicBert: Family = {
  modelTypes: ['nomic_bert'],
  tokenizer: kinds.bertWords,
  plan(config, shapes) {
    const head = headOf(config, 'NomicBert', []);
    const fields = fieldsOf({ layer_norm_eps: 1e-12, hidden_act: 'silu', ...withNewerNames(config) });
    fields.only('activation_function', 'swiglu');
    fields.only('rotary_emb_fraction', 1);
    fields.only('rotary_emb_interleaved', false);
    fields.only('prenorm', false);
    fields.only('parallel_block', false);
    fields.only('causal', false);
    fields.only('use_rms_norm', false);
    const sizes = readSizes(fields);
    const bias = fields.flag('qkv_proj_bias', false);
    const encoder = {
      ...withLayer(stackOf(sizes), {
        attention: { bias },
        feedForward: { gated: true, bias: fields.flag('mlp_fc1_bias', false) },
      }),
      vocab: fields.count('vocab_size'),
      tokenTypes: fields.count('type_vocab_size', 2),
      embeddingNorm: true,
      positions: readRotation(fields, Math.floor(sizes.dModel / sizes.numHeads)),
    };
    const maxPositions = maxLengthOf(encoder.positions);
    return planEncoder(fields, shapes, { head, table, model: { encoder }, maxPositions });
  },
};
