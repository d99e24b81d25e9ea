/** MPT (MosaicML 2023): ALiBi, and no biases, in norms neither. */

import { Fields } from '../files/fields.js';
import { isJsonObject } from '../files/json_object.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { stackOf, withLayer } from '../plans/stack.js';
import { onlyJson } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder } from './decoder_like.js';
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

export const mpt: Family = {
  modelTypes: ['mpt'],
  tokenizer: onlyJson,
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
  plan(config, shapes) {
    headOf(config, 'Mpt', ['ForCausalLM']);
    const fields = fieldsOf(config);
    const dModel = fields.count('d_model');
    const numHeads = fields.count('n_heads');
    refuseOthers(fields);
    const stack = stackOf({
      dModel,
      numHeads,
      dFf: 4 * dModel,
      numLayers: fields.count('n_layers'),
      activation: 'gelu',
      eps: fields.number('layer_norm_epsilon'),
    });
    const decoder = {
      ...withLayer(stack, {
        attention: { bias: false },
        feedForward: { bias: false },
        norm: { bias: false },
      }),
      vocab: fields.count('vocab_size'),
      positions: { alibi: {} },
    };
    const model = decoderModel(decoder, fields.flag('tie_word_embeddings'));
    return planDecoder(fields, shapes, { model, table, maxPositions: null });
  },
};
