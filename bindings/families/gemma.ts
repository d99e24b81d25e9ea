/** Gemma (Mesnard et al. 2024): Llama with GEGLU, a scaled embedding, and norms that store their weights minus 1. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { onlyJson } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder } from './decoder_like.js';
import { llamaDefaults, llamaStack, llamaTable } from './llama_like.js';

export const gemma: Family = {
  modelTypes: ['gemma'],
  tokenizer: onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 256000,
    hidden_size: 3072,
    intermediate_size: 24576,
    num_hidden_layers: 28,
    num_attention_heads: 16,
    num_key_value_heads: 16,
    head_dim: 256,
    max_position_embeddings: 8192,
    tie_word_embeddings: true,
    pad_token_id: 0,
    eos_token_id: 1,
    bos_token_id: 2,
  },
  plan(config, shapes) {
    headOf(config, 'Gemma', ['ForCausalLM']);
    // Older files say "gelu" and mean the tanh approximation.
    const { hidden_activation: named, hidden_act: old = 'gelu' } = config;
    const activation = named ?? (old === 'gelu' ? 'gelu_pytorch_tanh' : old);
    const fields = fieldsOf({ ...config, hidden_act: activation });
    const decoder = llamaStack(fields, { bias: fields.flag('attention_bias') });
    const plan = planDecoder(fields, shapes, {
      model: {
        ...decoderModel(decoder, fields.flag('tie_word_embeddings')),
        embeddingScale: Math.sqrt(fields.count('hidden_size')),
      },
      table: llamaTable,
      maxPositions: maxLengthOf(decoder.positions),
    });
    const isNorm = /norm\.weight$/;
    return {
      ...plan,
      slices: plan.slices.map((slice) => (isNorm.test(slice.name) ? { ...slice, added: 1 } : slice)),
    };
  },
};
