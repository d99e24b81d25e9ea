/** Phi-3 and Phi-4-mini (Abdin et al. 2024): Llama with fused projections, and other angles for long texts. */

import type { Fields } from '../files/fields.js';
import type { Family } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { attentionShares, stacked } from './fused.js';

import { slidingLayers, windowsOf } from './layer_types.js';
import { type LlamaStack, llamaDefaults, llamaStack, llamaTable, planLlama } from './llama_like.js';

const layer = 'decoder.layers.#';

function tableOf(fields: Fields): NameTable {
  const heads = fields.count('num_attention_heads');
  const keys = fields.count('num_key_value_heads', heads);
  return {
    ...llamaTable,
    names: {
      ...llamaTable.names,
      'layers.#.self_attn.qkv_proj': stacked(attentionShares(heads, keys)),
      'layers.#.mlp.gate_up_proj': stacked({
        [`${layer}.feed_forward.fc1`]: 1,
        [`${layer}.feed_forward.gate`]: 1,
      }),
    },
  };
}

function phiStack(fields: Fields): LlamaStack {
  const stack = llamaStack(fields, { bias: false });
  if (!fields.has('sliding_window')) return stack;
  const sliding = slidingLayers(fields, stack.numLayers, () => true);
  return { ...stack, ...windowsOf(fields.count('sliding_window'), sliding) };
}

export const phi3: Family = {
  modelTypes: ['phi3'],
  tokenizer: kinds.llamaPieces,
  defaults: {
    ...llamaDefaults,
    vocab_size: 32064,
    hidden_size: 3072,
    intermediate_size: 8192,
    max_position_embeddings: 4096,
    original_max_position_embeddings: 4096,
    rms_norm_eps: 1e-5,
    pad_token_id: 32000,
    eos_token_id: 32000,
  },
  plan: (config, shapes) => planLlama(config, shapes, { classes: 'Phi3', stack: phiStack, table: tableOf }),
};
