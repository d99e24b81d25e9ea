/**
 * Falcon (Almazrouei et al. 2023): blocks side by side and few heads of keys and values, or, in the older models, ALiBi.
 * There, scores are `(q k + alibi) / sqrt(d)`, as the models were trained and as transformers computes them by default (sdpa);
 * `attn_implementation="eager"` of transformers 5.10 adds the bias a second time, with its mask.
 */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { LayerConfig } from '../modules/embind.js';
import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { stackOf, withLayer } from '../plans/stack.js';
import { onlyJson } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder } from './decoder_like.js';
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

/** Published files use the older names. */
const withNewerNames = ({ n_head: heads, n_layer: layers, n_head_kv: keys, ...config }: JsonObject) => {
  const named = { num_attention_heads: heads, num_hidden_layers: layers, num_kv_heads: keys };
  const given = Object.entries(named).filter(([, value]) => (value ?? null) !== null);
  return { ...config, ...Object.fromEntries(given) };
};

export const falcon: Family = {
  modelTypes: ['falcon'],
  tokenizer: onlyJson,
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
  plan(config, shapes) {
    headOf(config, 'Falcon', ['ForCausalLM']);
    const fields = fieldsOf(withNewerNames(config));
    const dModel = fields.count('hidden_size');
    const numHeads = fields.count('num_attention_heads');
    const layout = layoutOf(fields, numHeads);
    const bias = fields.flag('bias');
    const stack = stackOf({
      dModel,
      numHeads,
      dFf: fields.count('ffn_hidden_size', 4 * dModel),
      numLayers: fields.count('num_hidden_layers'),
      activation: readActivation(fields, 'activation'),
      eps: fields.number('layer_norm_epsilon'),
    });
    const dHead = Math.floor(dModel / numHeads);
    const positions = fields.flag('alibi')
      ? { alibi: { scale: dHead ** -0.5 } }
      : readRotation(fields, dHead);
    const decoder = {
      ...withLayer(stack, { attention: { bias, numKvHeads: layout.keys }, feedForward: { bias } }),
      vocab: fields.count('vocab_size'),
      positions,
    };
    return planDecoder(fields, shapes, {
      model: decoderModel(decoder, fields.flag('tie_word_embeddings'), layout.normPlace),
      table: tableOf(numHeads, layout),
      maxPositions: maxLengthOf(positions),
    });
  },
};
