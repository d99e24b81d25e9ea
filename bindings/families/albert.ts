import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, asTable, type NameTable, type Target } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { bertDefaults, bertParts, bertSizes, poolerOf } from './bert.js';
import { bertEncoder, commonHeads, commonNames, outputMatrix, planEncoder } from './bert_like.js';

/** The name of a layer that a whole group shares. */
const layer = 'encoder.albert_layer_groups.#.albert_layers.0';

const encoderNames: Readonly<Record<string, Target>> = {
  'embeddings.word_embeddings': asEmbedding('encoder.embedding'),
  'embeddings.token_type_embeddings': asTable('encoder.token_types'),
  'embeddings.position_embeddings': asTable('encoder.positions'),
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
type OutputHead = (typeof heads)[number] | 'Model';

const pooler = { pooler: 'pooler.dense' };
const words: Readonly<Record<string, Target>> = {
  'predictions.dense': 'head.dense',
  'predictions.LayerNorm': 'head.norm',
  predictions: 'projection',
  'predictions.decoder': outputMatrix,
};
const headNames: Readonly<Record<OutputHead, Readonly<Record<string, Target>>>> = {
  Model: pooler,
  ForMaskedLM: words,
  ForPreTraining: { ...words, ...pooler },
  ForSequenceClassification: { pooler: 'head.dense', classifier: 'head.classifier' },
  ...commonNames,
};

export const albert: Family = {
  modelTypes: ['albert'],
  tokenizer: kinds.onlyJson,
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
    return planEncoder(fields, shapes, {
      head,
      table,
      model: {
        encoder: {
          ...bertEncoder(fields, sizes, maxLength),
          tokenTypes: fields.count('type_vocab_size'),
          embeddingWidth: fields.count('embedding_size'),
          layerGroups: fields.count('num_hidden_groups'),
        },
        ...bertParts(head, { fields, sizes, pooler: poolerOf(shapes, sizes, /(^|\.)pooler\.weight$/) }),
      },
      maxPositions: maxLength,
    });
  },
};
