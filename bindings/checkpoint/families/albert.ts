/** ALBERT (Lan et al. 2020): BERT with a narrow embedding and layers that share their weights. */

import type { TransformerConfig } from '../../engine/embind.js';
import type { Fields } from '../json/fields.js';
import { onlyJson } from '../tokenizers/kinds.js';
import type { Shapes } from '../weights/slices.js';
import { bertDefaults, bertSizes } from './bert.js';
import { bertEncoder, commonHead, commonHeads, logitsOf, outputMatrix } from './bert_like.js';
import { type Family, fieldsOf, headOf, readTokens } from './family.js';
import { type NameTable, nameBefore, renamed, type Target } from './renaming.js';
import type { StackSizes } from './stack.js';

/** The name of a layer that a whole group shares. */
const layer = 'encoder.albert_layer_groups.#.albert_layers.0';

const encoderNames: Readonly<Record<string, Target>> = {
  'embeddings.word_embeddings': 'encoder.embedding',
  'embeddings.token_type_embeddings': 'encoder.token_types',
  'embeddings.position_embeddings': 'encoder.positions',
  'embeddings.LayerNorm': 'encoder.embedding_norm',
  'encoder.embedding_hidden_mapping_in': 'encoder.embedding_projection',
  [`${layer}.attention.query`]: 'encoder.layers.#.self_attn.q_proj',
  [`${layer}.attention.key`]: 'encoder.layers.#.self_attn.k_proj',
  [`${layer}.attention.value`]: 'encoder.layers.#.self_attn.v_proj',
  [`${layer}.attention.dense`]: 'encoder.layers.#.self_attn.out_proj',
  [`${layer}.attention.LayerNorm`]: 'encoder.layers.#.self_attn_norm',
  [`${layer}.ffn`]: 'encoder.layers.#.feed_forward.fc1',
  [`${layer}.ffn_output`]: 'encoder.layers.#.feed_forward.fc2',
  [`${layer}.full_layer_layer_norm`]: 'encoder.layers.#.feed_forward_norm',
};

const heads = [...commonHeads, 'ForPreTraining'] as const;
type Head = (typeof heads)[number] | 'Model';

const pooler = { pooler: 'pooler.dense' };
const words: Readonly<Record<string, Target>> = {
  'predictions.dense': 'head.dense',
  'predictions.LayerNorm': 'head.norm',
  predictions: 'projection',
  'predictions.decoder': outputMatrix,
};
const headNames: Readonly<Record<Head, Readonly<Record<string, Target>>>> = {
  Model: pooler,
  ForMaskedLM: words,
  ForPreTraining: { ...words, ...pooler },
  ForSequenceClassification: { pooler: 'head.dense', classifier: 'head.classifier' },
  ForTokenClassification: { classifier: 'head.classifier' },
  ForQuestionAnswering: { qa_outputs: 'head.classifier' },
};

function poolerOf(shapes: Shapes, { dModel }: StackSizes): Partial<TransformerConfig> {
  const isThere = [...shapes.keys()].some((name) => /(^|\.)pooler\.weight$/.test(name));
  if (!isThere) return {};
  return { pooler: { firstOnly: true, steps: [{ name: 'dense', outFeatures: dModel, activation: 'tanh' }] } };
}

function partsOf(head: Head, fields: Fields, shapes: Shapes, sizes: StackSizes): Partial<TransformerConfig> {
  if (head === 'Model') return poolerOf(shapes, sizes);
  const activations = { words: sizes.activation, text: 'tanh' } as const;
  if (head !== 'ForPreTraining') return commonHead(head, fields, sizes, activations);
  return { ...commonHead('ForMaskedLM', fields, sizes, activations), ...poolerOf(shapes, sizes) };
}

export const albert: Family = {
  modelTypes: ['albert'],
  tokenizer: onlyJson,
  defaults: {
    ...bertDefaults,
    vocab_size: 30000,
    embedding_size: 128,
    hidden_size: 4096,
    num_hidden_groups: 1,
    num_attention_heads: 64,
    intermediate_size: 16384,
    hidden_act: 'gelu_new',
    bos_token_id: 2,
    eos_token_id: 3,
  },
  plan(config, shapes) {
    const head = headOf(config, 'Albert', heads);
    const fields = fieldsOf(config);
    fields.only('inner_group_num', 1);
    const sizes = bertSizes(fields);
    const maxLength = fields.count('max_position_embeddings');
    const table: NameTable = { prefixes: ['albert.'], names: { ...encoderNames, ...headNames[head] } };
    return {
      model: {
        encoder: {
          ...bertEncoder(fields, sizes, maxLength),
          tokenTypes: fields.count('type_vocab_size'),
          embeddingWidth: fields.count('embedding_size'),
          layerGroups: fields.count('num_hidden_groups'),
        },
        ...partsOf(head, fields, shapes, sizes),
      },
      slices: renamed(shapes, table),
      tokens: readTokens(fields, false),
      maxPositions: maxLength,
      ...logitsOf(head),
      storedName: (name) => nameBefore(name, table),
    };
  },
};
