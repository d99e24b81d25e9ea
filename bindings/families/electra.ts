/** ELECTRA (Clark et al. 2020): BERT with a narrow embedding, and a discriminator that finds replaced tokens. */

import type { Fields } from '../files/fields.js';
import type { TransformerConfig } from '../modules/embind.js';
import { type Family, fieldsOf, headOf, type Plan } from '../plans/family.js';
import { asTable, type NameTable, type Target } from '../plans/renaming.js';
import type { StackSizes } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { bertDefaults, bertLayers, bertSizes } from './bert.js';
import {
  bertEncoder,
  commonHead,
  commonHeads,
  commonNames,
  maskedWords,
  outputMatrix,
  planEncoder,
} from './bert_like.js';

const heads = [...commonHeads, 'ForPreTraining'] as const;
type OutputHead = (typeof heads)[number] | 'Model';

const headNames: Readonly<Record<OutputHead, Readonly<Record<string, Target>>>> = {
  Model: {},
  ForMaskedLM: {
    'generator_predictions.dense': 'head.dense',
    'generator_predictions.LayerNorm': 'head.norm',
    generator_lm_head: outputMatrix,
  },
  ForPreTraining: {
    'discriminator_predictions.dense': 'head.dense',
    'discriminator_predictions.dense_prediction': 'head.classifier',
  },
  ForSequenceClassification: {
    'classifier.dense': 'head.dense',
    'classifier.out_proj': 'head.classifier',
  },
  ...commonNames,
};

function partsOf(head: OutputHead, fields: Fields, sizes: StackSizes): Partial<TransformerConfig> {
  if (head === 'Model') return {};
  // The classes fix these activations, whatever config.json says.
  if (head === 'ForMaskedLM') return maskedWords(fields, sizes, 'gelu');
  if (head !== 'ForPreTraining') return commonHead(head, fields, sizes, { words: 'gelu', text: 'gelu' });
  const { dModel, activation } = sizes;
  return {
    head: {
      steps: [
        { name: 'dense', outFeatures: dModel, activation },
        { name: 'classifier', outFeatures: 1 },
      ],
    },
  };
}

export const electra: Family = {
  modelTypes: ['electra'],
  tokenizer: kinds.bertWords,
  defaults: {
    ...bertDefaults,
    hidden_size: 256,
    embedding_size: 128,
    num_attention_heads: 4,
    intermediate_size: 1024,
  },
  plan(config, shapes): Plan {
    const head = headOf(config, 'Electra', heads);
    const fields = fieldsOf(config);
    const sizes = bertSizes(fields);
    const embeddingWidth = fields.count('embedding_size');
    const maxLength = fields.count('max_position_embeddings');
    const table: NameTable = {
      prefixes: ['electra.'],
      names: {
        ...bertLayers,
        'embeddings.position_embeddings': asTable('encoder.positions'),
        embeddings_project: 'encoder.embedding_projection',
        ...headNames[head],
      },
    };
    const encoder = planEncoder(fields, shapes, {
      head,
      table,
      model: {
        encoder: {
          ...bertEncoder(fields, sizes, maxLength),
          tokenTypes: fields.count('type_vocab_size'),
          ...(embeddingWidth !== sizes.dModel && { embeddingWidth }),
        },
        ...partsOf(head, fields, sizes),
      },
      maxPositions: maxLength,
    });
    return head === 'ForPreTraining' ? { ...encoder, logits: 'score' } : encoder;
  },
};
