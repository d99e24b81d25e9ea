/** GPT-BigCode (Allal et al. 2023; StarCoder): GPT-2 with one head of keys and values; weights as in linear layers. */

import { asEmbedding, asTable, type NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { decoderFamily } from './decoder_like.js';
import { attentionShares, perHead, stacked } from './fused.js';
import { gpt2Keys } from './gpt2.js';

const layer = 'decoder.layers.#';

/** @param isMulti whether all queries share one head of keys and values */
const tableOf = (heads: number, isMulti: boolean): NameTable => ({
  prefixes: ['transformer.'],
  names: {
    wte: asEmbedding('decoder.embedding'),
    wpe: asTable('decoder.positions'),
    'h.#.ln_1': `${layer}.self_attn_norm`,
    'h.#.attn.c_attn': isMulti ? stacked(attentionShares(heads, 1)) : perHead(heads),
    'h.#.attn.c_proj': `${layer}.self_attn.out_proj`,
    'h.#.ln_2': `${layer}.feed_forward_norm`,
    'h.#.mlp.c_fc': `${layer}.feed_forward.fc1`,
    'h.#.mlp.c_proj': `${layer}.feed_forward.fc2`,
    ln_f: 'decoder.norm',
    lm_head: 'projection',
  },
});

export const gptBigcode = decoderFamily({
  modelTypes: ['gpt_bigcode'],
  classes: 'GPTBigCode',
  tokenizer: kinds.gpt2Bytes,
  defaults: {
    vocab_size: 50257,
    n_positions: 1024,
    n_embd: 768,
    n_layer: 12,
    n_head: 12,
    activation_function: 'gelu_pytorch_tanh',
    layer_norm_epsilon: 1e-5,
    scale_attn_weights: true,
    multi_query: true,
    tie_word_embeddings: true,
    bos_token_id: 50256,
    eos_token_id: 50256,
  },
  keys: gpt2Keys,
  parts(fields, { numHeads }) {
    fields.only('scale_attn_weights', true);
    fields.only('add_cross_attention', false);
    const isMulti = fields.flag('multi_query');
    return {
      table: tableOf(numHeads, isMulti),
      stack: { positions: { learned: { maxLength: fields.count('n_positions') } } },
      layer: { attention: { numKvHeads: isMulti ? 1 : numHeads } },
    };
  },
});
