/**
 * DeBERTa, versions 2 and 3 (He et al. 2021): BERT whose scores relate tokens to distances, and distances to tokens.
 */

import type { Fields } from '../files/fields.js';
import type { DisentangledPositions, TransformerConfig } from '../modules/embind.js';
import { activationOf } from '../plans/activations.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, asTable, type NameTable, type Target } from '../plans/renaming.js';
import { type Stack, type StackSizes, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import type { Slice } from '../weights/slices.js';
import { bertDefaults, bertSizes } from './bert.js';
import {
  bertEncoder,
  type CommonOutputHead,
  commonHead,
  commonHeads,
  commonNames,
  outputMatrix,
  planEncoder,
} from './bert_like.js';

const encoderNames: Readonly<Record<string, Target>> = {
  'embeddings.word_embeddings': asEmbedding('encoder.embedding'),
  'embeddings.position_embeddings': asTable('encoder.input_positions'),
  'embeddings.token_type_embeddings': asTable('encoder.token_types'),
  'embeddings.LayerNorm': 'encoder.embedding_norm',
  'encoder.rel_embeddings': asTable('encoder.positions'),
  'encoder.LayerNorm': 'encoder.positions.norm',
  'encoder.layer.#.attention.self.query_proj': 'encoder.layers.#.self_attn.q_proj',
  'encoder.layer.#.attention.self.key_proj': 'encoder.layers.#.self_attn.k_proj',
  'encoder.layer.#.attention.self.value_proj': 'encoder.layers.#.self_attn.v_proj',
  'encoder.layer.#.attention.self.pos_key_proj': 'encoder.layers.#.self_attn.pos_key_proj',
  'encoder.layer.#.attention.self.pos_query_proj': 'encoder.layers.#.self_attn.pos_query_proj',
  'encoder.layer.#.attention.output.dense': 'encoder.layers.#.self_attn.out_proj',
  'encoder.layer.#.attention.output.LayerNorm': 'encoder.layers.#.self_attn_norm',
  'encoder.layer.#.intermediate.dense': 'encoder.layers.#.feed_forward.fc1',
  'encoder.layer.#.output.dense': 'encoder.layers.#.feed_forward.fc2',
  'encoder.layer.#.output.LayerNorm': 'encoder.layers.#.feed_forward_norm',
};

type OutputHead = CommonOutputHead | 'Model';

const headNames: Readonly<Record<OutputHead, Readonly<Record<string, Target>>>> = {
  Model: {},
  ForMaskedLM: {
    'cls.predictions.transform.dense': 'head.dense',
    'cls.predictions.transform.LayerNorm': 'head.norm',
    'cls.predictions': 'projection',
    'cls.predictions.decoder': outputMatrix,
  },
  ForSequenceClassification: { 'pooler.dense': 'head.dense', classifier: 'head.classifier' },
  ...commonNames,
};

function partsOf(head: OutputHead, fields: Fields, sizes: StackSizes): Partial<TransformerConfig> {
  if (head === 'Model') return {};
  const text = activationOf(fields.text('pooler_hidden_act', 'gelu'), 'pooler_hidden_act');
  return commonHead(head, fields, sizes, { words: sizes.activation, text });
}

/** "p2c|c2p", or a list of these. */
function kindsOf(fields: Fields): readonly string[] {
  const given = fields.raw('pos_att_type') ?? [];
  const kinds = typeof given === 'string' ? given.toLowerCase().split('|') : given;
  return Array.isArray(kinds) ? kinds.map(String) : [];
}

/** Without `relative_attention`, tokens are related to tokens only. */
function withDistances(stack: Stack, fields: Fields, sizes: StackSizes): Stack {
  if (!fields.flag('relative_attention', false)) return { ...stack, positions: { none: {} } };
  const kinds = kindsOf(fields);
  const given = fields.number('max_relative_positions', -1);
  const maxDistance = given < 1 ? fields.count('max_position_embeddings') : given;
  const buckets = Math.max(0, fields.number('position_buckets', -1));
  const hasNorm = fields.text('norm_rel_ebd', 'none').toLowerCase().split('|').includes('layer_norm');
  const disentangled: DisentangledPositions = {
    buckets,
    maxDistance,
    span: buckets > 0 ? buckets : maxDistance,
    normEps: hasNorm ? (sizes.eps ?? 0) : 0,
    contentToPosition: kinds.includes('c2p'),
    positionToContent: kinds.includes('p2c'),
    shareProjections: fields.flag('share_att_key', false),
  };
  const terms = 1 + Number(disentangled.contentToPosition) + Number(disentangled.positionToContent);
  const scale = (terms * Math.floor(sizes.dModel / sizes.numHeads)) ** -0.5;
  return { ...withLayer(stack, { attention: { scale } }), positions: { disentangled } };
}

export const debertaV2: Family = {
  modelTypes: ['deberta-v2'],
  tokenizer: kinds.debertaPieces,
  defaults: {
    ...bertDefaults,
    vocab_size: 128100,
    hidden_size: 1536,
    num_hidden_layers: 24,
    num_attention_heads: 24,
    intermediate_size: 6144,
    type_vocab_size: 0,
    layer_norm_eps: 1e-7,
    position_biased_input: true,
  },
  plan(config, shapes) {
    const head = headOf(config, 'DebertaV2', commonHeads);
    const fields = fieldsOf(config);
    fields.only('conv_kernel_size', 0);
    const sizes = bertSizes(fields);
    fields.only('embedding_size', sizes.dModel);
    fields.only('attention_head_size', sizes.dModel / sizes.numHeads);
    if (head === 'ForSequenceClassification') fields.only('pooler_hidden_size', sizes.dModel);
    const maxLength = fields.count('max_position_embeddings');
    const tokenTypes = fields.count('type_vocab_size', undefined, 0);
    const isBiased = fields.flag('position_biased_input');
    const table: NameTable = { prefixes: ['deberta.'], names: { ...encoderNames, ...headNames[head] } };
    const stack = { ...bertEncoder(fields, sizes, maxLength), tokenTypes };
    const encoder = planEncoder(fields, shapes, {
      head,
      table,
      model: {
        encoder: {
          ...withDistances(stack, fields, sizes),
          ...(isBiased && { inputPositions: maxLength }),
        },
        ...partsOf(head, fields, sizes),
      },
      maxPositions: isBiased ? maxLength : null,
    });
    const isUsed = ({ name }: Slice) => isBiased || !name.startsWith('encoder.input_positions');
    return { ...encoder, slices: encoder.slices.filter(isUsed) };
  },
};
