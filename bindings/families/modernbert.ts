/**
 * ModernBERT (Warner et al. 2024): an encoder with rotary positions, gated feed-forward layers and a window in two of
 * three layers; and the decoder of the same layers (Ettin: Weller et al. 2025).
 */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { HeadConfig, StackConfig, TransformerConfig } from '../modules/embind.js';
import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { asEmbedding, type NameTable, type Target } from '../plans/renaming.js';
import { preNorm, readSizes, type Stack, type StackName, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { commonHeads, countLabels, outputMatrix, planEncoder, tokenClassifier } from './bert_like.js';
import { planDecoder } from './decoder_like.js';
import { stacked } from './fused.js';
import { slidingLayers } from './layer_types.js';
import { rotationsByLayer } from './rope_by_layer.js';

function namesOf(stack: StackName): Record<string, Target> {
  const layer = `${stack}.layers.#`;
  const attention = ['q_proj', 'k_proj', 'v_proj'].map((one) => [`attn.${one}`, `${layer}.self_attn.${one}`]);
  const inLayer: Record<string, Target> = {
    ...Object.fromEntries(attention),
    attn_norm: `${layer}.self_attn_norm`,
    'attn.Wqkv': stacked(Object.fromEntries(attention.map(([, target]) => [target, 1]))),
    'attn.Wo': `${layer}.self_attn.out_proj`,
    mlp_norm: `${layer}.feed_forward_norm`,
    'mlp.Wi': stacked({ [`${layer}.feed_forward.fc1`]: 1, [`${layer}.feed_forward.gate`]: 1 }),
    'mlp.Wo': `${layer}.feed_forward.fc2`,
  };
  return {
    'embeddings.tok_embeddings': asEmbedding(`${stack}.embedding`),
    'embeddings.norm': `${stack}.embedding_norm`,
    ...Object.fromEntries(Object.entries(inLayer).map(([name, target]) => [`layers.#.${name}`, target])),
    final_norm: `${stack}.norm`,
  };
}

/** @param reach how far layers with a window see, on each side */
function modernStack(fields: Fields, reach: number): Stack {
  const sizes = readSizes(fields, { activation: 'hidden_activation', eps: 'norm_eps' });
  const { dModel, numHeads, numLayers } = sizes;
  const every = fields.count('global_attn_every_n_layers');
  const sliding = slidingLayers(fields, numLayers, (layer) => layer % every !== 0);
  const stack = stackOf(sizes);
  const everywhere = fields.number('global_rope_theta');
  return {
    ...withLayer(preNorm(stack), {
      attention: { bias: fields.flag('attention_bias') },
      feedForward: { gated: true, bias: fields.flag('mlp_bias') },
      norm: { bias: fields.flag('norm_bias') },
    }),
    vocab: fields.count('vocab_size'),
    embeddingNorm: true,
    firstNorm: false,
    windows: windowsFor(sliding, reach),
    ...rotationsByLayer(fields, Math.floor(dModel / numHeads), sliding, {
      full: { rope_theta: everywhere },
      sliding: { rope_theta: fields.number('local_rope_theta', everywhere) },
    }),
  };
}

const windowsFor = (sliding: readonly boolean[], reach: number): StackConfig['windows'] =>
  sliding.map((isSliding) => (isSliding ? reach : -1));

/** A dense layer and a norm, before a classifier or the words. */
function prediction(fields: Fields): NonNullable<HeadConfig['steps']> {
  const activation = readActivation(fields, 'classifier_activation');
  const norm = { eps: fields.number('norm_eps'), bias: fields.flag('norm_bias') };
  const outFeatures = fields.count('hidden_size');
  return [
    { name: 'dense', outFeatures, bias: fields.flag('classifier_bias'), activation },
    { name: 'norm', norm },
  ];
}

function words(fields: Fields): Pick<TransformerConfig, 'head' | 'projection'> {
  fields.only('tie_word_embeddings', true);
  const vocab = fields.count('vocab_size');
  return {
    head: { steps: prediction(fields) },
    projection: { vocab, bias: fields.flag('decoder_bias'), tied: true },
  };
}

function headFor(head: (typeof commonHeads)[number] | 'Model', fields: Fields): Partial<TransformerConfig> {
  if (head === 'Model') return {};
  if (head === 'ForMaskedLM') return words(fields);
  const isText = head === 'ForSequenceClassification';
  const labels = head === 'ForQuestionAnswering' ? 2 : countLabels(fields);
  const pooling = fields.choice('classifier_pooling', ['cls', 'mean']);
  const { steps = [] } = tokenClassifier(labels);
  const reads = !isText ? 'each' : pooling === 'cls' ? 'first' : 'mean';
  return { head: { reads, steps: [...prediction(fields), ...steps] } };
}

const defaults: JsonObject = {
  vocab_size: 50368,
  hidden_size: 768,
  intermediate_size: 1152,
  num_hidden_layers: 22,
  num_attention_heads: 12,
  hidden_activation: 'gelu',
  max_position_embeddings: 8192,
  norm_eps: 1e-5,
  norm_bias: false,
  attention_bias: false,
  mlp_bias: false,
  decoder_bias: true,
  global_rope_theta: 160000,
  global_attn_every_n_layers: 3,
  local_attention: 128,
  classifier_pooling: 'cls',
  classifier_bias: false,
  classifier_activation: 'gelu',
  tie_word_embeddings: true,
  pad_token_id: 50283,
};

const encoderTable: NameTable = {
  prefixes: ['model.'],
  names: {
    ...namesOf('encoder'),
    'head.dense': 'head.dense',
    'head.norm': 'head.norm',
    classifier: 'head.classifier',
    decoder: outputMatrix,
  },
};

const decoderTable: NameTable = {
  prefixes: ['model.'],
  names: {
    ...namesOf('decoder'),
    'lm_head.dense': 'head.dense',
    'lm_head.norm': 'head.norm',
    decoder: 'projection',
  },
};

export const modernbert: Family = {
  modelTypes: ['modernbert'],
  tokenizer: kinds.onlyJson,
  defaults: { ...defaults, local_rope_theta: 10000 },
  plan(config, shapes) {
    const head = headOf(config, 'ModernBert', commonHeads);
    const fields = fieldsOf(config);
    const encoder = modernStack(fields, Math.floor(fields.count('local_attention', undefined, 2) / 2));
    return planEncoder(fields, shapes, {
      head,
      table: encoderTable,
      model: { encoder, ...headFor(head, fields) },
      maxPositions: maxLengthOf(encoder.positions),
    });
  },
};

export const modernbertDecoder: Family = {
  modelTypes: ['modernbert-decoder'],
  tokenizer: kinds.onlyJson,
  defaults,
  plan(config, shapes) {
    headOf(config, 'ModernBertDecoder', ['ForCausalLM']);
    const fields = fieldsOf(config);
    const decoder = modernStack(fields, Math.floor(fields.count('local_attention', undefined, 2) / 2) - 1);
    return planDecoder(fields, shapes, {
      model: { decoder, ...words(fields) },
      table: decoderTable,
      maxPositions: maxLengthOf(decoder.positions),
    });
  },
};
