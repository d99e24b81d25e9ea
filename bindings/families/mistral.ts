/** Mistral (Jiang et al. 2023): Llama with a sliding window. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { llamaPieces } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder, windowsOf } from './decoder_like.js';
import { llamaDefaults, llamaStack, llamaTable } from './llama_like.js';

export const mistral: Family = {
  modelTypes: ['mistral'],
  tokenizer: llamaPieces,
  defaults: {
    ...llamaDefaults,
    intermediate_size: 14336,
    num_key_value_heads: 8,
    max_position_embeddings: 4096 * 32,
    sliding_window: 4096,
  },
  plan(config, shapes) {
    headOf(config, 'Mistral', ['ForCausalLM']);
    const fields = fieldsOf(config);
    const stack = llamaStack(fields, { bias: false });
    const window = config.sliding_window === null ? null : fields.count('sliding_window');
    const decoder = {
      ...stack,
      ...(window !== null && windowsOf(stack.numLayers, window, () => true)),
    };
    const model = decoderModel(decoder, fields.flag('tie_word_embeddings'));
    const maxPositions = maxLengthOf(decoder.positions);
    return planDecoder(fields, shapes, { model, table: llamaTable, maxPositions });
  },
};
