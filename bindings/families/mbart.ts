/** mBART: BART with norms before each block, and a final norm at the end of each stack. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { preNorm } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { planBart } from './bart.js';
import { bartDefaults } from './bart_like.js';

export const mbart: Family = {
  modelTypes: ['mbart'],
  tokenizer: kinds.mbartPieces,
  defaults: {
    ...bartDefaults,
    vocab_size: 50265,
    bos_token_id: 0,
    pad_token_id: 1,
    eos_token_id: 2,
    forced_eos_token_id: 2,
  },
  plan(config, shapes) {
    headOf(config, 'MBart', ['ForConditionalGeneration']);
    return planBart(fieldsOf(config), shapes, { withNorms: preNorm });
  },
};
