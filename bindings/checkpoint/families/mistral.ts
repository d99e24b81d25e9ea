/** Mistral (Jiang et al. 2023): Llama, whose window, if it has one, must hold the longest text. */

import { llamaPieces } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder } from './decoder_like.js';
import { type Family, fieldsOf, headOf } from './family.js';
import { llamaDefaults, llamaStack, llamaTable } from './llama_like.js';
import { maxLengthOf } from './positions.js';

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
    const decoder = llamaStack(fields, false);
    const length = fields.count('max_position_embeddings');
    // A window as long as the longest text hides nothing.
    if (config.sliding_window !== null && fields.count('sliding_window') < length)
      fields.only('sliding_window', null);
    const model = decoderModel(decoder, fields.flag('tie_word_embeddings'));
    const maxPositions = maxLengthOf(decoder.positions);
    return planDecoder(fields, shapes, { model, table: llamaTable, maxPositions });
  },
};
