/**
 * Blenderbot (Roller et al. 2021): BART with norms before each block and at the end of each stack. BlenderbotSmall:
 * BART whose decoder normalises its embedding before the positions are added. Positions begin in the first row of both.
 */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { preNorm } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { planBart } from './bart.js';
import { bartDefaults } from './bart_like.js';

const defaults = {
  ...bartDefaults,
  vocab_size: 8008,
  bos_token_id: 1,
  pad_token_id: 0,
  eos_token_id: 2,
  decoder_start_token_id: 1,
  forced_eos_token_id: 2,
};

export const blenderbot: Family = {
  modelTypes: ['blenderbot'],
  tokenizer: kinds.blenderbotBytes,
  defaults: {
    ...defaults,
    d_model: 2560,
    encoder_layers: 2,
    encoder_attention_heads: 32,
    encoder_ffn_dim: 10240,
    decoder_layers: 24,
    decoder_attention_heads: 32,
    decoder_ffn_dim: 10240,
    max_position_embeddings: 128,
    encoder_no_repeat_ngram_size: 3,
  },
  plan(config, shapes) {
    headOf(config, 'Blenderbot', ['ForConditionalGeneration']);
    return planBart(fieldsOf(config), shapes, {
      offset: 0,
      withNorms: (stack) => ({ ...preNorm(stack), embeddingNorm: false }),
    });
  },
};

export const blenderbotSmall: Family = {
  modelTypes: ['blenderbot-small'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...defaults,
    vocab_size: 50265,
    d_model: 512,
    encoder_layers: 8,
    encoder_ffn_dim: 2048,
    decoder_layers: 8,
    decoder_ffn_dim: 2048,
    max_position_embeddings: 512,
  },
  plan(config, shapes) {
    headOf(config, 'BlenderbotSmall', ['ForConditionalGeneration']);
    return planBart(fieldsOf(config), shapes, {
      offset: 0,
      withNorms: (stack, name) => ({ ...stack, normBeforePositions: name === 'decoder' }),
    });
  },
};
