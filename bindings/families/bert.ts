/** BERT (Devlin et al. 2019): an encoder, optionally with a pooler, a classifier or a masked-language-model head. */

import type { Fields } from '../files/fields.js';
import type { TransformerConfig } from '../modules/embind.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, asTable, type NameTable, type Target } from '../plans/renaming.js';
import { readSizes, type StackSizes } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import type { Shapes } from '../weights/slices.js';
import { bertEncoder, commonHead, commonHeads, commonNames, outputMatrix, planEncoder } from './bert_like.js';

/** The encoder's tensors, which RoBERTa stores under the same names. */
export const bertLayers: Readonly<Record<string, Target>> = {
  'embeddings.word_embeddings': asEmbedding('encoder.embedding'),
  'embeddings.token_type_embeddings': asTable('encoder.token_types'),
  'embeddings.LayerNorm': 'encoder.embedding_norm',
  'encoder.layer.#.attention.self.query': 'encoder.layers.#.self_attn.q_proj',
  'encoder.layer.#.attention.self.key': 'encoder.layers.#.self_attn.k_proj',
  'encoder.layer.#.attention.self.value': 'encoder.layers.#.self_attn.v_proj',
  'encoder.layer.#.attention.output.dense': 'encoder.layers.#.self_attn.out_proj',
  'encoder.layer.#.attention.output.LayerNorm': 'encoder.layers.#.self_attn_norm',
  // Of a decoder in a pair of stacks.
  'encoder.layer.#.crossattention.self.query': 'encoder.layers.#.cross_attn.q_proj',
  'encoder.layer.#.crossattention.self.key': 'encoder.layers.#.cross_attn.k_proj',
  'encoder.layer.#.crossattention.self.value': 'encoder.layers.#.cross_attn.v_proj',
  'encoder.layer.#.crossattention.output.dense': 'encoder.layers.#.cross_attn.out_proj',
  'encoder.layer.#.crossattention.output.LayerNorm': 'encoder.layers.#.cross_attn_norm',
  'encoder.layer.#.intermediate.dense': 'encoder.layers.#.feed_forward.fc1',
  'encoder.layer.#.output.dense': 'encoder.layers.#.feed_forward.fc2',
  'encoder.layer.#.output.LayerNorm': 'encoder.layers.#.feed_forward_norm',
};

export const bertDefaults = {
  vocab_size: 30522,
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  hidden_act: 'gelu',
  max_position_embeddings: 512,
  type_vocab_size: 2,
  layer_norm_eps: 1e-12,
  pad_token_id: 0,
};

/** Reads the sizes in config.json and rejects settings that would change the computation. */
export function bertSizes(fields: Fields): StackSizes {
  fields.only('position_embedding_type', 'absolute');
  fields.only('is_decoder', false);
  fields.only('add_cross_attention', false);
  return readSizes(fields);
}

/** The pooler, whose matrix has a name that ends so; not every checkpoint has one. */
export function poolerOf(
  shapes: Shapes,
  { dModel }: StackSizes,
  weight = /(^|\.)pooler\.dense\.weight$/,
): Partial<TransformerConfig> {
  const isThere = [...shapes.keys()].some((name) => weight.test(name));
  if (!isThere) return {};
  return { pooler: { reads: 'first', steps: [{ name: 'dense', outFeatures: dModel, activation: 'tanh' }] } };
}

const heads = [...commonHeads, 'ForPreTraining'] as const;
type OutputHead = (typeof heads)[number] | 'Model';

const headNames: Readonly<Record<OutputHead, Readonly<Record<string, Target>>>> = {
  Model: { 'pooler.dense': 'pooler.dense' },
  ForMaskedLM: {
    'cls.predictions.transform.dense': 'head.dense',
    'cls.predictions.transform.LayerNorm': 'head.norm',
    'cls.predictions': 'projection',
    'cls.predictions.decoder': outputMatrix,
  },
  ForPreTraining: {},
  ForSequenceClassification: { 'pooler.dense': 'head.dense', classifier: 'head.classifier' },
  ...commonNames,
};

function tableOf(head: OutputHead): NameTable {
  const names =
    head === 'ForPreTraining' ? { ...headNames.ForMaskedLM, ...headNames.Model } : headNames[head];
  return {
    prefixes: ['bert.'],
    names: { ...bertLayers, 'embeddings.position_embeddings': asTable('encoder.positions'), ...names },
  };
}

/** The pooler, a head, or both, as ALBERT has them too. */
export function bertParts(
  head: OutputHead,
  { fields, sizes, pooler }: { fields: Fields; sizes: StackSizes; pooler: Partial<TransformerConfig> },
): Partial<TransformerConfig> {
  if (head === 'Model') return pooler;
  const activations = { words: sizes.activation, text: 'tanh' } as const;
  if (head !== 'ForPreTraining') return commonHead(head, fields, sizes, activations);
  return { ...commonHead('ForMaskedLM', fields, sizes, activations), ...pooler };
}

export const bert: Family = {
  modelTypes: ['bert'],
  tokenizer: kinds.bertWords,
  defaults: bertDefaults,
  plan(config, shapes) {
    const head = headOf(config, 'Bert', heads);
    const fields = fieldsOf(config);
    const sizes = bertSizes(fields);
    const table = tableOf(head);
    const maxLength = fields.count('max_position_embeddings');
    return planEncoder(fields, shapes, {
      head,
      table,
      model: {
        encoder: {
          ...bertEncoder(fields, sizes, maxLength),
          tokenTypes: fields.count('type_vocab_size'),
        },
        ...bertParts(head, { fields, sizes, pooler: poolerOf(shapes, sizes) }),
      },
      maxPositions: maxLength,
    });
  },
};
