/** The architectures of GGUF files that are encoders, and T5, by the names of llama.cpp's converter. */

import type { Fields } from '../../files/fields.js';
import type { JsonObject } from '../../files/json_object.js';
import { fail } from '../../values/errors.js';
import type { Architecture, ShapeOf } from './architecture.js';
import { gemma3 } from './decoders.js';

/** The same names in each layer, after what the names of its file and of its folder begin with. */
const inLayers = (stored: string, own: string, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([from, to]) => [`${stored}.#.${from}`, `${own}.#.${to}`]));

const bertNames = {
  token_embd: 'bert.embeddings.word_embeddings',
  token_types: 'bert.embeddings.token_type_embeddings',
  position_embd: 'bert.embeddings.position_embeddings',
  token_embd_norm: 'bert.embeddings.LayerNorm',
  cls: 'bert.pooler.dense',
  'cls.output': 'classifier',
  ...inLayers('blk', 'bert.encoder.layer', {
    attn_q: 'attention.self.query',
    attn_k: 'attention.self.key',
    attn_v: 'attention.self.value',
    attn_output: 'attention.output.dense',
    attn_output_norm: 'attention.output.LayerNorm',
    ffn_up: 'intermediate.dense',
    ffn_down: 'output.dense',
    layer_output_norm: 'output.LayerNorm',
  }),
};

const rowsOf = (shapeOf: ShapeOf, name: string, otherwise: number) => shapeOf(name)?.[0] ?? otherwise;

/** A reranker has a dense layer and the scores; a file without the first would be read as another model. */
function bertHead(shapeOf: ShapeOf): JsonObject {
  const scores = shapeOf('cls.output.weight');
  if (!scores && !shapeOf('cls.weight')) return {};
  if (!scores || !shapeOf('cls.weight'))
    fail(
      'unsupported',
      "a classifier needs the tensors 'cls.weight' and 'cls.output.weight'; one is missing",
    );
  return { architectures: ['BertForSequenceClassification'], num_labels: scores[0] };
}

/** Also RoBERTa and XLM-RoBERTa, whose converter leaves out the positions that they do not use. */
const bert: Architecture = {
  modelType: 'bert',
  className: 'BertModel',
  names: bertNames,
  config: (fields, shapeOf) => ({
    hidden_act: 'gelu',
    type_vocab_size: rowsOf(shapeOf, 'token_types.weight', 1),
    max_position_embeddings: rowsOf(shapeOf, 'position_embd.weight', fields.count('context_length')),
    ...bertHead(shapeOf),
  }),
};

const nomicBert: Architecture = {
  modelType: 'nomic_bert',
  className: 'NomicBertModel',
  names: {
    token_embd: 'embeddings.word_embeddings',
    token_types: 'embeddings.token_type_embeddings',
    token_embd_norm: 'emb_ln',
    ...inLayers('blk', 'encoder.layers', {
      attn_qkv: 'attn.Wqkv',
      attn_output: 'attn.out_proj',
      attn_output_norm: 'norm1',
      ffn_up: 'mlp.fc11',
      ffn_gate: 'mlp.fc12',
      ffn_down: 'mlp.fc2',
      layer_output_norm: 'norm2',
    }),
  },
  config(fields, shapeOf) {
    if (fields.has('moe_every_n_layers') && fields.raw('moe_every_n_layers') !== 0)
      fail('unsupported', 'a mixture of experts (nomic-bert.moe_every_n_layers) is not supported');
    return {
      type_vocab_size: rowsOf(shapeOf, 'token_types.weight', 1),
      qkv_proj_bias: shapeOf('blk.0.attn_qkv.bias') !== undefined,
      mlp_fc1_bias: shapeOf('blk.0.ffn_up.bias') !== undefined,
    };
  },
};

const modernBert: Architecture = {
  modelType: 'modernbert',
  className: 'ModernBertModel',
  names: {
    token_embd: 'embeddings.tok_embeddings',
    token_embd_norm: 'embeddings.norm',
    output_norm: 'final_norm',
    cls: 'head.dense',
    'cls.norm': 'head.norm',
    'cls.output': 'classifier',
    ...inLayers('blk', 'layers', {
      attn_norm: 'attn_norm',
      attn_qkv: 'attn.Wqkv',
      attn_output: 'attn.Wo',
      ffn_norm: 'mlp_norm',
      ffn_up: 'mlp.Wi',
      ffn_down: 'mlp.Wo',
    }),
  },
  config(fields, shapeOf) {
    const scores = shapeOf('cls.output.weight');
    const global = fields.number('rope.freq_base', 160000);
    return {
      global_rope_theta: global,
      local_rope_theta: fields.number('rope.freq_base_swa', 10000),
      local_attention: fields.count('attention.sliding_window', 128),
      global_attn_every_n_layers: fields.count('attention.sliding_window_pattern', 3),
      norm_bias: shapeOf('output_norm.bias') !== undefined,
      attention_bias: shapeOf('blk.0.attn_qkv.bias') !== undefined,
      mlp_bias: shapeOf('blk.0.ffn_up.bias') !== undefined,
      classifier_bias: shapeOf('cls.bias') !== undefined,
      ...(scores && { architectures: ['ModernBertForSequenceClassification'], num_labels: scores[0] }),
      // The embedding is the output of a model of masked words, which these files do not hold.
      tie_word_embeddings: true,
    };
  },
};

const gemmaEmbedding: Architecture = {
  ...gemma3,
  className: 'Gemma3TextModel',
  config: (fields, shapeOf) => ({
    ...gemma3.config?.(fields, shapeOf),
    use_bidirectional_attention: true,
    tie_word_embeddings: true,
  }),
};

/** One of its stacks. @param attentions what the names of each attention begin with, and its class */
function t5Stack(name: 'encoder' | 'decoder', attentions: readonly [string, string][]) {
  const stored = name.slice(0, 3);
  const last = attentions.length;
  const parts = attentions.flatMap(([attention, className], i) => [
    [`${attention}_norm`, `layer.${i}.layer_norm`],
    [`${attention}_rel_b`, `layer.${i}.${className}.relative_attention_bias`],
    ...['q', 'k', 'v', 'o'].map((one) => [`${attention}_${one}`, `layer.${i}.${className}.${one}`]),
  ]);
  return (gated: boolean): Record<string, string> => ({
    [`${stored}.output_norm`]: `${name}.final_layer_norm`,
    ...inLayers(`${stored}.blk`, `${name}.block`, {
      ...Object.fromEntries(parts),
      ffn_norm: `layer.${last}.layer_norm`,
      ffn_gate: `layer.${last}.DenseReluDense.wi_0`,
      ffn_up: `layer.${last}.DenseReluDense.${gated ? 'wi_1' : 'wi'}`,
      ffn_down: `layer.${last}.DenseReluDense.wo`,
    }),
  });
}
const t5Encoder = t5Stack('encoder', [['attn', 'SelfAttention']]);
const t5Decoder = t5Stack('decoder', [
  ['attn', 'SelfAttention'],
  ['cross_attn', 'EncDecAttention'],
]);
const isGated = (shapeOf: ShapeOf) => shapeOf('enc.blk.0.ffn_gate.weight') !== undefined;

function t5Config(fields: Fields, shapeOf: ShapeOf): JsonObject {
  const layers = fields.count('block_count');
  return {
    d_model: fields.count('embedding_length'),
    d_ff: fields.count('feed_forward_length'),
    d_kv: fields.count('attention.key_length'),
    num_heads: fields.count('attention.head_count'),
    num_layers: layers,
    num_decoder_layers: fields.count('decoder_block_count', layers),
    n_positions: fields.count('context_length'),
    layer_norm_epsilon: fields.number('attention.layer_norm_epsilon'),
    relative_attention_num_buckets: fields.count('attention.relative_buckets_count'),
    relative_attention_max_distance: 128,
    feed_forward_proj: isGated(shapeOf) ? 'gated-gelu' : 'relu',
    decoder_start_token_id: fields.id('decoder_start_token_id') ?? 0,
  };
}

const t5: Architecture = {
  modelType: 't5',
  className: 'T5ForConditionalGeneration',
  names: (shapeOf) => ({
    token_embd: 'shared',
    ...t5Encoder(isGated(shapeOf)),
    ...t5Decoder(isGated(shapeOf)),
  }),
  config: t5Config,
};

export const encoders: readonly [string, Architecture][] = [
  ['bert', bert],
  ['nomic-bert', nomicBert],
  ['modern-bert', modernBert],
  ['gemma-embedding', gemmaEmbedding],
  ['t5', t5],
  ['t5encoder', { ...t5, className: 'T5EncoderModel' }],
];
