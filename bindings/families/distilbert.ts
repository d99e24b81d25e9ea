/** DistilBERT (Sanh et al. 2019): BERT without token types or pooler, under its own tensor names. */

import type { Fields } from '../files/fields.js';
import type { TransformerConfig } from '../modules/embind.js';
import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, asTable, type NameTable, type Target } from '../plans/renaming.js';
import type { StackSizes } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
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

const layers: Readonly<Record<string, Target>> = {
  'embeddings.word_embeddings': asEmbedding('encoder.embedding'),
  'embeddings.position_embeddings': asTable('encoder.positions'),
  'embeddings.LayerNorm': 'encoder.embedding_norm',
  'transformer.layer.#.attention.q_lin': 'encoder.layers.#.self_attn.q_proj',
  'transformer.layer.#.attention.k_lin': 'encoder.layers.#.self_attn.k_proj',
  'transformer.layer.#.attention.v_lin': 'encoder.layers.#.self_attn.v_proj',
  'transformer.layer.#.attention.out_lin': 'encoder.layers.#.self_attn.out_proj',
  'transformer.layer.#.sa_layer_norm': 'encoder.layers.#.self_attn_norm',
  'transformer.layer.#.ffn.lin1': 'encoder.layers.#.feed_forward.fc1',
  'transformer.layer.#.ffn.lin2': 'encoder.layers.#.feed_forward.fc2',
  'transformer.layer.#.output_layer_norm': 'encoder.layers.#.feed_forward_norm',
};

const headNames: Readonly<Record<OutputHead, Readonly<Record<string, Target>>>> = {
  Model: {},
  ForMaskedLM: {
    vocab_transform: 'head.dense',
    vocab_layer_norm: 'head.norm',
    vocab_projector: outputMatrix,
  },
  ForSequenceClassification: { pre_classifier: 'head.dense', classifier: 'head.classifier' },
  ...commonNames,
};

function partsOf(head: OutputHead, fields: Fields, sizes: StackSizes): Partial<TransformerConfig> {
  if (head === 'Model') return {};
  return commonHead(head, fields, sizes, { words: sizes.activation, text: 'relu' });
}

export const distilbert: Family = {
  modelTypes: ['distilbert'],
  tokenizer: kinds.bertWords,
  defaults: {
    vocab_size: 30522,
    max_position_embeddings: 512,
    n_layers: 6,
    n_heads: 12,
    dim: 768,
    hidden_dim: 3072,
    activation: 'gelu',
    pad_token_id: 0,
  },
  plan(config, shapes) {
    const head = headOf(config, 'DistilBert', commonHeads);
    const fields = fieldsOf(config);
    const sizes: StackSizes = {
      dModel: fields.count('dim'),
      numHeads: fields.count('n_heads'),
      dFf: fields.count('hidden_dim'),
      numLayers: fields.count('n_layers'),
      activation: readActivation(fields, 'activation'),
      eps: 1e-12,
    };
    const table: NameTable = { prefixes: ['distilbert.'], names: { ...layers, ...headNames[head] } };
    const maxLength = fields.count('max_position_embeddings');
    return planEncoder(fields, shapes, {
      head,
      table,
      model: { encoder: bertEncoder(fields, sizes, maxLength), ...partsOf(head, fields, sizes) },
      maxPositions: maxLength,
    });
  },
};
