/** MPT (MosaicML 2023): ALiBi, and no biases, in norms neither. */

import { Fields } from '../files/fields.js';
import { isJsonObject } from '../files/json_object.js';
import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { decoderFamily } from './decoder_like.js';
import { attentionShares, stacked } from './fused.js';

const layer = 'decoder.layers.#';

const table: NameTable = {
  prefixes: ['transformer.'],
  names: {
    wte: asEmbedding('decoder.embedding'),
    'blocks.#.norm_1': `${layer}.self_attn_norm`,
    'blocks.#.attn.Wqkv': stacked(attentionShares(1, 1)),
    'blocks.#.attn.out_proj': `${layer}.self_attn.out_proj`,
    'blocks.#.norm_2': `${layer}.feed_forward_norm`,
    'blocks.#.ffn.up_proj': `${layer}.feed_forward.fc1`,
    'blocks.#.ffn.down_proj': `${layer}.feed_forward.fc2`,
    norm_f: 'decoder.norm',
    lm_head: 'projection',
  },
};

/** Refuses settings that would change the computation. */
function refuseOthers(fields: Fields): void {
  fields.only('no_bias', true);
  fields.only('logit_scale', null);
  const given = fields.raw('attn_config');
  const attention = new Fields(isJsonObject(given) ? given : {}, 'config.json: attn_config');
  attention.only('alibi', true);
  attention.only('alibi_bias_max', 8);
  attention.only('clip_qkv', null);
  attention.only('qk_ln', false);
  attention.only('softmax_scale', null);
}

export const mpt = decoderFamily({
  modelTypes: ['mpt'],
  classes: 'Mpt',
  tokenizer: kinds.onlyJson,
  defaults: {
    vocab_size: 50368,
    d_model: 2048,
    n_heads: 16,
    n_layers: 24,
    expansion_ratio: 4,
    layer_norm_epsilon: 1e-5,
    tie_word_embeddings: true,
    eos_token_id: 0,
  },
  keys: {
    dModel: 'd_model',
    numHeads: 'n_heads',
    numLayers: 'n_layers',
    dFf: null,
    eps: 'layer_norm_epsilon',
    fixed: { activation: 'gelu' },
  },
  parts(fields) {
    refuseOthers(fields);
    return {
      table,
      stack: { positions: { alibi: {} } },
      layer: { attention: { bias: false }, feedForward: { bias: false }, norm: { bias: false } },
    };
  },
});
