/** M2M100 and NLLB: norms before each block and at the end of each stack; Fairseq's sinusoidal positions. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import { preNorm, type Stack } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { bartDefaults, bartLayers, bartProjection, planBartLike, sharedEmbedding } from './bart_like.js';

const table: NameTable = {
  prefixes: ['model.'],
  names: { ...sharedEmbedding, ...bartLayers, lm_head: bartProjection.lm_head ?? 'projection' },
};

/** The reference implementation grows its position table on demand; ours has at least this many rows. */
const leastPositions = 1024;

export const m2m100: Family = {
  modelTypes: ['m2m_100'],
  tokenizer: kinds.m2m100Pieces,
  defaults: {
    ...bartDefaults,
    vocab_size: 128112,
    activation_function: 'relu',
    scale_embedding: true,
    bos_token_id: 0,
    pad_token_id: 1,
    eos_token_id: 2,
    decoder_start_token_id: 2,
  },
  plan(config, shapes) {
    headOf(config, 'M2M100', ['ForConditionalGeneration']);
    const fields = fieldsOf(config);
    const maxLength = Math.max(fields.count('max_position_embeddings'), leastPositions);
    // The row before position 0 belongs to the padding.
    const offset = fields.count('pad_token_id', undefined, 0) + 1;
    const positions = { sinusoidal: { maxLength, layout: 'fairseq', offset } } as const;
    const complete = (stack: Stack) => preNorm({ ...stack, positions });
    return { ...planBartLike(fields, shapes, { table, maxLength, complete }), countsPositions: true };
  },
};
