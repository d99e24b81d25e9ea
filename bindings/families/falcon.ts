/**
 * Falcon (Almazrouei et al. 2023): blocks side by side and few heads of keys and values, or, in the older models,
 * ALiBi. There, scores are `(q k + alibi) / sqrt(d)`, as the models were trained and as transformers computes them by
 * default (sdpa);
 * `attn_implementation="eager"` of transformers 5.10 adds the bias a second time, with its mask.
 */

import type { Fields } from '../files/fields.js';
import type { LayerConfig } from '../modules/embind.js';
import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { decoderFamily, withNames } from './decoder_like.js';
import { attentionShares, normOfBoth, stackedInGroups } from './fused.js';
import { readRotation } from './rope.js';

const layer = 'decoder.layers.#';

/** How the three layouts of Falcon differ. */
interface Layout {
  /** Heads of keys and values; the rows of each follow those of its queries. */
  readonly keys: number;
  /** Whether one norm is for both blocks. */
  readonly sharesNorm: boolean;
  readonly normPlace: NonNullable<LayerConfig['normPlace']>;
}

function layoutOf(fields: Fields, heads: number): Layout {
  const isNew = fields.flag('new_decoder_architecture');
  const isParallel = isNew || fields.flag('parallel_attn');
  const few = fields.flag('multi_query') ? 1 : heads;
  const norms = fields.count('num_ln_in_parallel_attn', isNew ? 2 : 1);
  return {
    keys: isNew ? fields.count('num_kv_heads', heads) : few,
    sharesNorm: isParallel && norms === 1,
    normPlace: isParallel ? 'parallel' : 'pre',
  };
}

const tableOf = (heads: number, { keys, sharesNorm }: Layout): NameTable => ({
  prefixes: ['transformer.'],
  names: {
    word_embeddings: asEmbedding('decoder.embedding'),
    'h.#.input_layernorm': sharesNorm ? normOfBoth : `${layer}.self_attn_norm`,
    'h.#.ln_attn': `${layer}.self_attn_norm`,
    'h.#.ln_mlp': `${layer}.feed_forward_norm`,
    'h.#.post_attention_layernorm': `${layer}.feed_forward_norm`,
    'h.#.self_attention.query_key_value': stackedInGroups(keys, attentionShares(heads / keys, 1)),
    'h.#.self_attention.dense': `${layer}.self_attn.out_proj`,
    'h.#.mlp.dense_h_to_4h': `${layer}.feed_forward.fc1`,
    'h.#.mlp.dense_4h_to_h': `${layer}.feed_forward.fc2`,
    ln_f: 'decoder.norm',
    lm_head: 'projection',
  },
});

export const falcon = decoderFamily({
  modelTypes: ['falcon'],
  classes: 'Falcon',
  tokenizer: kinds.onlyJson,
  defaults: {
    vocab_size: 65024,
    hidden_size: 4544,
    num_hidden_layers: 32,
    num_attention_heads: 71,
    activation: 'gelu',
    layer_norm_epsilon: 1e-5,
    max_position_embeddings: 2048,
    rope_theta: 10000,
    alibi: false,
    new_decoder_architecture: false,
    multi_query: true,
    parallel_attn: true,
    bias: false,
    tie_word_embeddings: true,
    bos_token_id: 11,
    eos_token_id: 11,
  },
  keys: { dFf: 'ffn_hidden_size', activation: 'activation', eps: 'layer_norm_epsilon' },
  // Published files use the older names, on the right.
  named: (config) =>
    withNames(config, {
      num_attention_heads: 'n_head',
      num_hidden_layers: 'n_layer',
      num_kv_heads: 'n_head_kv',
    }),
  parts(fields, { numHeads, dHead }) {
    const layout = layoutOf(fields, numHeads);
    const bias = fields.flag('bias');
    const positions = fields.flag('alibi')
      ? { alibi: { scale: dHead ** -0.5 } }
      : readRotation(fields, dHead);
    return {
      table: tableOf(numHeads, layout),
      stack: { positions },
      layer: { attention: { bias, numKvHeads: layout.keys }, feedForward: { bias } },
      normPlace: layout.normPlace,
    };
  },
});
