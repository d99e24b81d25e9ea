/** Pegasus (Zhang et al. 2020): norms before each block and at the end of each stack; Marian's sinusoidal positions. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import { preNorm } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { bartDefaults, bartLayers, bartProjection, planBartLike, sharedEmbedding } from './bart_like.js';

const table: NameTable = {
  prefixes: ['model.'],
  names: { ...sharedEmbedding, ...bartLayers, ...bartProjection },
};

export const pegasus: Family = {
  modelTypes: ['pegasus'],
  tokenizer: kinds.pegasusPieces,
  defaults: {
    ...bartDefaults,
    vocab_size: 50265,
    pad_token_id: 0,
    eos_token_id: 1,
    decoder_start_token_id: 0,
    forced_eos_token_id: 1,
  },
  plan(config, shapes) {
    headOf(config, 'Pegasus', ['ForConditionalGeneration']);
    const fields = fieldsOf(config);
    const maxLength = fields.count('max_position_embeddings');
    const positions = { sinusoidal: { maxLength, layout: 'halves' } } as const;
    return planBartLike(fields, shapes, {
      table,
      maxLength,
      complete: (stack) => preNorm({ ...stack, positions }),
    });
  },
};
