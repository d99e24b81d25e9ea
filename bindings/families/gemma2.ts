/**
 * Gemma 2 (Gemma Team 2024): norms before and after each block, soft caps of scores and logits, a window in every other
 * layer.
 */

import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import {
  embeddingScale,
  gemma2Stack,
  gemmaDefaults,
  logitsCap,
  sandwichTable,
  withActivation,
  withNormsPlusOne,
} from './gemma_like.js';
import { slidingLayers, windowsOf } from './layer_types.js';
import { planLlama } from './llama_like.js';

export const gemma2Defaults = {
  ...gemmaDefaults,
  hidden_size: 2304,
  intermediate_size: 9216,
  num_hidden_layers: 26,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  query_pre_attn_scalar: 256,
  sliding_window: 4096,
  attn_logit_softcapping: 50,
  final_logit_softcapping: 30,
};

export const gemma2: Family = {
  modelTypes: ['gemma2'],
  tokenizer: kinds.onlyJson,
  defaults: gemma2Defaults,
  plan: (config, shapes) =>
    withNormsPlusOne(
      planLlama(withActivation(config), shapes, {
        classes: 'Gemma2',
        stack(fields) {
          const stack = gemma2Stack(fields);
          const sliding = slidingLayers(fields, stack.numLayers, (layer) => layer % 2 === 0);
          return { ...stack, ...windowsOf(fields.count('sliding_window'), sliding) };
        },
        table: sandwichTable,
        normPlace: 'sandwich',
        model: embeddingScale,
        projection: logitsCap,
      }),
    ),
};
