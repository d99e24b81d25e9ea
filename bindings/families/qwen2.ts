/** Qwen2 (Yang et al. 2024): Llama with biases of queries, keys and values; a sliding window in its upper layers. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { onlyJson } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder, windowsOf } from './decoder_like.js';
import { llamaDefaults, llamaStack, llamaTable } from './llama_like.js';

export const qwen2: Family = {
  modelTypes: ['qwen2'],
  tokenizer: onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 151936,
    intermediate_size: 22016,
    num_key_value_heads: 32,
    max_position_embeddings: 32768,
    use_sliding_window: false,
    max_window_layers: 28,
    bos_token_id: null,
    eos_token_id: null,
  },
  plan(config, shapes) {
    headOf(config, 'Qwen2', ['ForCausalLM']);
    const fields = fieldsOf(config);
    const stack = llamaStack(fields, { bias: true, unbiased: 'o' });
    const first = fields.count('max_window_layers', undefined, 0);
    const decoder = {
      ...stack,
      ...(fields.flag('use_sliding_window') &&
        windowsOf(stack.numLayers, fields.count('sliding_window', 4096), (layer) => layer >= first)),
    };
    const model = decoderModel(decoder, fields.flag('tie_word_embeddings'));
    const maxPositions = maxLengthOf(decoder.positions);
    return planDecoder(fields, shapes, { model, table: llamaTable, maxPositions });
  },
};
