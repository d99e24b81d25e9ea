/** BART: norms after each block and after the embedding; learned positions, whose table begins with two unused rows. */

import type { Fields } from '../files/fields.js';
import { type Family, fieldsOf, headOf, type Plan, type TransformerPlan } from '../plans/family.js';
import { type NameTable, positionsFrom } from '../plans/renaming.js';
import type { Stack, StackName } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import type { Shapes } from '../weights/slices.js';
import { bartDefaults, bartLayers, bartProjection, planBartLike, sharedEmbedding } from './bart_like.js';
import { countLabels } from './bert_like.js';

/** How a relative of BART differs from it. */
interface Differences {
  /** Row of the position table for position 0; 2 is a legacy of Fairseq's padding id. */
  readonly offset?: number;
  /** Places the norms of a stack, which by default are those of BART. */
  withNorms?(stack: Stack, name: StackName): Stack;
}

const tableOf = (offset: number): NameTable => ({
  prefixes: ['model.'],
  names: {
    ...sharedEmbedding,
    ...bartLayers,
    ...bartProjection,
    'encoder.embed_positions': positionsFrom(offset, 'encoder.positions'),
    'decoder.embed_positions': positionsFrom(offset, 'decoder.positions'),
    'classification_head.dense': 'head.dense',
    'classification_head.out_proj': 'head.classifier',
  },
});

/** The head that reads the decoder's state at the last end token of the source. */
function classifying({ model, slices, ...plan }: TransformerPlan, fields: Fields): Plan {
  const { projection: _, ...rest } = model;
  const dense = { name: 'dense', outFeatures: fields.count('d_model'), activation: 'tanh' } as const;
  const steps = [dense, { name: 'classifier', outFeatures: countLabels(fields) }];
  return {
    ...plan,
    model: { ...rest, head: { steps, reads: 'last_is', id: fields.count('eos_token_id', undefined, 0) } },
    slices: slices.filter(({ name }) => !name.startsWith('projection.')),
    readsSource: true,
  };
}

/** Plans BART and its relatives, which differ in their norms and in where the positions begin. */
export function planBart(
  fields: Fields,
  shapes: Shapes,
  { offset = 2, withNorms = (stack) => stack }: Differences = {},
): TransformerPlan {
  const maxLength = fields.count('max_position_embeddings');
  const added = { embeddingNorm: true, positions: { learned: { maxLength } } };
  return planBartLike(fields, shapes, {
    table: tableOf(offset),
    maxLength,
    complete: (stack, name) => withNorms({ ...stack, ...added }, name),
  });
}

export const bart: Family = {
  modelTypes: ['bart'],
  tokenizer: kinds.robertaBytes,
  defaults: {
    ...bartDefaults,
    vocab_size: 50265,
    bos_token_id: 0,
    pad_token_id: 1,
    eos_token_id: 2,
    decoder_start_token_id: 2,
    forced_eos_token_id: 2,
  },
  plan(config, shapes) {
    const head = headOf(config, 'Bart', ['ForConditionalGeneration', 'ForSequenceClassification']);
    const fields = fieldsOf(config);
    const plan = planBart(fields, shapes);
    return head === 'ForSequenceClassification' ? classifying(plan, fields) : plan;
  },
};
