/**
 * RoBERTa (Liu et al. 2019), XLM-RoBERTa and CamemBERT: BERT with positions that begin after the padding id, and heads
 * of its own.
 */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { TransformerConfig } from '../modules/embind.js';
import { type Family, fieldsOf, headOf, type Plan } from '../plans/family.js';
import { type NameTable, positionsFrom, type Target } from '../plans/renaming.js';
import type { StackSizes } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import type { Shapes } from '../weights/slices.js';
import { bertDefaults, bertLayers, bertSizes, poolerOf } from './bert.js';
import {
  bertEncoder,
  type CommonOutputHead,
  commonHead,
  commonHeads,
  commonNames,
  outputMatrix,
  planEncoder,
} from './bert_like.js';

type OutputHead = CommonOutputHead | 'Model';

/** The names of the heads, which MPNet shares. */
export const robertaNames: Readonly<Record<OutputHead, Readonly<Record<string, Target>>>> = {
  Model: { 'pooler.dense': 'pooler.dense' },
  ForMaskedLM: {
    'lm_head.dense': 'head.dense',
    'lm_head.layer_norm': 'head.norm',
    lm_head: 'projection',
    'lm_head.decoder': outputMatrix,
  },
  ForSequenceClassification: {
    'classifier.dense': 'head.dense',
    'classifier.out_proj': 'head.classifier',
  },
  ...commonNames,
};

export function robertaParts(
  head: OutputHead,
  fields: Fields,
  shapes: Shapes,
  sizes: StackSizes,
): Partial<TransformerConfig> {
  if (head === 'Model') return poolerOf(shapes, sizes);
  return commonHead(head, fields, sizes, { words: 'gelu', text: 'tanh' });
}

const defaults = { ...bertDefaults, vocab_size: 50265, bos_token_id: 0, pad_token_id: 1, eos_token_id: 2 };

/** @param family prefix of its classes */
function plan(config: JsonObject, shapes: Shapes, family: string): Plan {
  const head = headOf(config, family, commonHeads);
  const fields = fieldsOf(config);
  const sizes = bertSizes(fields);
  // Rows up to and including the padding id are not positions of tokens.
  const firstRow = fields.count('pad_token_id', undefined, 0) + 1;
  const maxLength = fields.count('max_position_embeddings') - firstRow;
  const table: NameTable = {
    prefixes: ['roberta.'],
    names: {
      ...bertLayers,
      'embeddings.position_embeddings': positionsFrom(firstRow, 'encoder.positions'),
      ...robertaNames[head],
    },
  };
  const encoder = planEncoder(fields, shapes, {
    head,
    table,
    model: {
      encoder: {
        ...bertEncoder(fields, sizes, maxLength),
        tokenTypes: fields.count('type_vocab_size'),
      },
      ...robertaParts(head, fields, shapes, sizes),
    },
    maxPositions: maxLength,
  });
  return { ...encoder, countsPositions: true };
}

export const roberta: Family = {
  modelTypes: ['roberta'],
  tokenizer: kinds.robertaBytes,
  defaults,
  plan: (config, shapes) => plan(config, shapes, 'Roberta'),
};

export const xlmRoberta: Family = {
  modelTypes: ['xlm-roberta'],
  tokenizer: kinds.fairseqPieces,
  defaults,
  plan: (config, shapes) => plan(config, shapes, 'XLMRoberta'),
};

export const camembert: Family = {
  modelTypes: ['camembert'],
  tokenizer: kinds.camembertPieces,
  defaults,
  plan: (config, shapes) => plan(config, shapes, 'Camembert'),
};
