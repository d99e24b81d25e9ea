/** What Gemma's generations share: GEGLU, a scaled embedding, norms that store their weights minus 1. */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { TransformerConfig } from '../modules/embind.js';
import type { TransformerPlan } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import type { Slice } from '../weights/slices.js';
import { headNormsTable, type LlamaStack, llamaDefaults, llamaStack, withOwn } from './llama_like.js';
import { positive } from './positive.js';

export const gemmaDefaults: JsonObject = {
  ...llamaDefaults,
  vocab_size: 256000,
  head_dim: 256,
  max_position_embeddings: 8192,
  tie_word_embeddings: true,
  pad_token_id: 0,
  eos_token_id: 1,
  bos_token_id: 2,
};

/** The names of layers with norms before and after each block; those of queries and keys are Gemma 3's. */
export const sandwichTable: NameTable = {
  ...headNormsTable,
  names: {
    ...headNormsTable.names,
    'layers.#.post_attention_layernorm': 'decoder.layers.#.self_attn_post_norm',
    'layers.#.pre_feedforward_layernorm': 'decoder.layers.#.feed_forward_norm',
    'layers.#.post_feedforward_layernorm': 'decoder.layers.#.feed_forward_post_norm',
  },
};

export const embeddingScale = (fields: Fields): Partial<TransformerConfig> => ({
  embeddingScale: Math.sqrt(fields.count('hidden_size')),
});

/** Gemma 2 and 3: the scores have a scale of their own, and perhaps a cap. */
export function gemma2Stack(fields: Fields): LlamaStack {
  const stack = llamaStack(fields, { bias: fields.flag('attention_bias') });
  const scale = positive(fields, 'query_pre_attn_scalar') ** -0.5;
  const scoreCap = fields.number('attn_logit_softcapping', 0);
  return withOwn(stack, { attention: { scale, scoreCap } });
}

/** Cap of the logits of Gemma 2. */
export const logitsCap = (fields: Fields) => ({ cap: fields.number('final_logit_softcapping', 0) });

/** The slices with 1 added to the weights of all norms. */
export const plusOne = (slices: readonly Slice[]): Slice[] =>
  slices.map((slice) => (/norm\.weight$/.test(slice.name) ? { ...slice, added: 1 } : slice));

export const withNormsPlusOne = (plan: TransformerPlan): TransformerPlan => ({
  ...plan,
  slices: plusOne(plan.slices),
});

/** Gemma 2 and 3 name the activation otherwise than Llama. */
export const withActivation = (config: JsonObject): JsonObject => ({
  ...config,
  hidden_act: config.hidden_activation ?? 'gelu_pytorch_tanh',
});
