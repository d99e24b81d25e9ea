/**
 * Command R (Cohere 2024): Llama's parts side by side after one layer norm without bias; neighbours rotate; the logits
 * have a factor. Cohere 2: windows, and no positions in the layers without one.
 */

import type { Fields } from '../files/fields.js';
import type { RotaryPositions } from '../modules/embind.js';
import type { Family } from '../plans/family.js';
import { engineName, type NameTable, type Target } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { normOfBoth } from './fused.js';

import { slidingLayers, windowsOf } from './layer_types.js';
import {
  headWidth,
  type LlamaStack,
  type LlamaVariant,
  llamaDefaults,
  llamaStack,
  llamaTable,
  planLlama,
  withOwn,
} from './llama_like.js';
import { readRotation } from './rope.js';
import { unrotated } from './rope_by_layer.js';

/** One weight for each head: [heads, dHead] -> [heads * dHead] */
const headsNorm =
  (target: string): Target =>
  (stored) => {
    const [heads = 0, width = 0] = stored.shape;
    const place = { from: stored.name, firstRow: 0, rows: null };
    return [{ ...place, name: engineName(target, stored), shape: [heads * width] }];
  };

const table: NameTable = {
  ...llamaTable,
  names: {
    ...llamaTable.names,
    'layers.#.input_layernorm': normOfBoth,
    'layers.#.self_attn.q_norm': headsNorm('decoder.layers.#.self_attn.q_norm'),
    'layers.#.self_attn.k_norm': headsNorm('decoder.layers.#.self_attn.k_norm'),
  },
};

/** Llama's rotary positions in pairs of neighbours. */
export function neighbours(fields: Fields, dHead: number): { rotary: Partial<RotaryPositions> } {
  const { rotary } = readRotation(fields, dHead);
  return { rotary: { ...rotary, layout: 'interleaved' } };
}

function cohereStack(fields: Fields): LlamaStack {
  const stack = withOwn(llamaStack(fields, { bias: fields.flag('attention_bias') }), {
    norm: { kind: 'layer', bias: false },
    attention: { queryKeyNorm: fields.flag('use_qk_norm', false) ? 'heads' : 'none' },
  });
  return { ...stack, positions: neighbours(fields, headWidth(fields)) };
}

const shared = {
  table,
  normPlace: 'parallel',
  projection: (fields: Fields) => ({ scale: fields.number('logit_scale') }),
} as const satisfies Partial<LlamaVariant>;

const defaults = {
  ...llamaDefaults,
  vocab_size: 256000,
  hidden_size: 8192,
  intermediate_size: 22528,
  num_hidden_layers: 40,
  num_attention_heads: 64,
  max_position_embeddings: 8192,
  layer_norm_eps: 1e-5,
  logit_scale: 0.0625,
  tie_word_embeddings: true,
  pad_token_id: 0,
  bos_token_id: 5,
  eos_token_id: 255001,
};

export const cohere: Family = {
  modelTypes: ['cohere'],
  tokenizer: kinds.onlyJson,
  defaults,
  plan: (config, shapes) =>
    planLlama({ ...config, rms_norm_eps: config.layer_norm_eps }, shapes, {
      ...shared,
      classes: 'Cohere',
      stack: cohereStack,
    }),
};

export const cohere2: Family = {
  modelTypes: ['cohere2'],
  tokenizer: kinds.onlyJson,
  defaults: { ...defaults, sliding_window: 4096, sliding_window_pattern: 4 },
  plan: (config, shapes) =>
    planLlama({ ...config, rms_norm_eps: config.layer_norm_eps }, shapes, {
      ...shared,
      classes: 'Cohere2',
      stack(fields) {
        const stack = cohereStack(fields);
        const every = fields.count('sliding_window_pattern');
        const sliding = slidingLayers(fields, stack.numLayers, (layer) => (layer + 1) % every !== 0);
        const full = sliding.map((isSliding) => !isSliding);
        return { ...stack, ...windowsOf(fields.count('sliding_window'), sliding), ...unrotated(full) };
      },
    }),
};
