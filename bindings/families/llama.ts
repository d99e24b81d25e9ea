/** Llama (Touvron et al. 2023), versions 1 to 3, and what is built like it. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { llamaPieces } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder } from './decoder_like.js';
import { llamaDefaults, llamaStack, llamaTable } from './llama_like.js';

export const llama: Family = {
  modelTypes: ['llama'],
  tokenizer: llamaPieces,
  defaults: llamaDefaults,
  plan(config, shapes) {
    headOf(config, 'Llama', ['ForCausalLM']);
    const fields = fieldsOf(config);
    const decoder = llamaStack(fields, { bias: fields.flag('attention_bias') });
    const model = decoderModel(decoder, fields.flag('tie_word_embeddings'));
    const maxPositions = maxLengthOf(decoder.positions);
    return planDecoder(fields, shapes, { model, table: llamaTable, maxPositions });
  },
};
