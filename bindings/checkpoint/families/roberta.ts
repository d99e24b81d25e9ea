/** RoBERTa (Liu et al. 2019): BERT with positions that begin after the padding id, and its own heads. */

import type { TransformerConfig } from '../../engine/embind.js';
import type { Fields } from '../json/fields.js';
import { robertaBytes } from '../tokenizers/kinds.js';
import type { Shapes } from '../weights/slices.js';
import { bertDefaults, bertLayers, bertSizes, poolerOf } from './bert.js';
import { bertEncoder, type CommonHead, commonHead, commonHeads, outputMatrix } from './bert_like.js';
import { type Family, fieldsOf, headOf, readTokens } from './family.js';
import { type NameTable, nameBefore, positionsFrom, renamed, type Target } from './renaming.js';
import type { StackSizes } from './stack.js';

type Head = CommonHead | 'Model';

const headNames: Readonly<Record<Head, Readonly<Record<string, Target>>>> = {
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
  ForTokenClassification: { classifier: 'head.classifier' },
};

function partsOf(head: Head, fields: Fields, shapes: Shapes, sizes: StackSizes): Partial<TransformerConfig> {
  if (head === 'Model') return poolerOf(shapes, sizes);
  return commonHead(head, fields, sizes, { words: 'gelu', text: 'tanh' });
}

export const roberta: Family = {
  modelTypes: ['roberta'],
  tokenizer: robertaBytes,
  defaults: { ...bertDefaults, vocab_size: 50265, bos_token_id: 0, pad_token_id: 1, eos_token_id: 2 },
  plan(config, shapes) {
    const head = headOf(config, 'Roberta', commonHeads);
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
        ...headNames[head],
      },
    };
    return {
      model: {
        encoder: {
          ...bertEncoder(fields, sizes, maxLength),
          tokenTypes: fields.count('type_vocab_size'),
        },
        ...partsOf(head, fields, shapes, sizes),
      },
      slices: renamed(shapes, table),
      tokens: readTokens(fields, false),
      maxPositions: maxLength,
      countsPositions: true,
      storedName: (name) => nameBefore(name, table),
    };
  },
};
