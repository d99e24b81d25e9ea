/**
 * OLMo 2 (Walsh et al. 2024): Llama with norms of what each block adds, and of queries and keys as a whole. OLMo 3:
 * with a window in three of four layers. EXAONE 4 (Bae et al. 2025): norms of each head; layers without a window do not
 * rotate.
 */

import type { Fields } from '../files/fields.js';
import type { Family } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { slidingLayers, windowsOf } from './layer_types.js';
import {
  headNormsTable,
  headWidth,
  type LlamaStack,
  llamaDefaults,
  llamaStack,
  planLlama,
  withHeadNorms,
} from './llama_like.js';
import { rotationsByLayer, unrotated } from './rope_by_layer.js';

const { 'layers.#.input_layernorm': _, ...names } = headNormsTable.names;

const table: NameTable = {
  ...headNormsTable,
  names: {
    ...names,
    'layers.#.post_attention_layernorm': 'decoder.layers.#.self_attn_norm',
    'layers.#.post_feedforward_layernorm': 'decoder.layers.#.feed_forward_norm',
  },
};

const olmoStack = (fields: Fields): LlamaStack =>
  withHeadNorms(llamaStack(fields, { bias: fields.flag('attention_bias') }), 'width');

const defaults = {
  ...llamaDefaults,
  vocab_size: 50304,
  rms_norm_eps: 1e-5,
  pad_token_id: 1,
  bos_token_id: null,
  eos_token_id: 50279,
};

export const olmo2: Family = {
  modelTypes: ['olmo2'],
  tokenizer: kinds.onlyJson,
  defaults,
  plan: (config, shapes) =>
    planLlama(config, shapes, { classes: 'Olmo2', stack: olmoStack, table, normPlace: 'branch' }),
};

export const olmo3: Family = {
  modelTypes: ['olmo3'],
  tokenizer: kinds.onlyJson,
  defaults: { ...defaults, sliding_window: 4096 },
  plan: (config, shapes) =>
    planLlama(config, shapes, {
      classes: 'Olmo3',
      stack(fields) {
        const stack = olmoStack(fields);
        const sliding = slidingLayers(fields, stack.numLayers, (layer) => (layer + 1) % 4 !== 0);
        const base = { rope_theta: fields.raw('rope_theta') };
        return {
          ...stack,
          ...windowsOf(fields.count('sliding_window'), sliding),
          ...rotationsByLayer(fields, headWidth(fields), sliding, {
            full: { ...base, rope_scaling: fields.raw('rope_scaling') },
            sliding: base,
          }),
        };
      },
      table,
      normPlace: 'branch',
    }),
};

export const exaone4: Family = {
  modelTypes: ['exaone4'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 102400,
    intermediate_size: 16384,
    rms_norm_eps: 1e-5,
    sliding_window: 4096,
    sliding_window_pattern: 4,
    bos_token_id: 0,
  },
  plan: (config, shapes) =>
    planLlama(config, shapes, {
      classes: 'Exaone4',
      stack(fields) {
        const stack = withHeadNorms(llamaStack(fields, { bias: false }), 'head');
        if (config.sliding_window === null) return stack;
        const every = fields.count('sliding_window_pattern');
        const sliding = slidingLayers(fields, stack.numLayers, (layer) => (layer + 1) % every !== 0);
        const full = sliding.map((isSliding) => !isSliding);
        return { ...stack, ...windowsOf(fields.count('sliding_window'), sliding), ...unrotated(full) };
      },
      table,
      normPlace: 'branch',
    }),
};
