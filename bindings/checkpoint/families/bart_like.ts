/**
 * What Marian, BART, mBART, M2M100 and Whisper have in common: Fairseq's encoder and decoder under one set of names. They
 * differ in where the norms stand and in what positions are.
 */

import { defaultEngineConfig, type EngineConfig } from '../../engine/engine_config.js';
import type { Fields } from '../json/fields.js';
import type { JsonObject } from '../json/json_object.js';
import { readActivation } from './activations.js';
import type { Target } from './renaming.js';

/** What the config classes of these families fill in. */
export const bartDefaults: JsonObject = {
  d_model: 1024,
  encoder_layers: 12,
  encoder_attention_heads: 16,
  encoder_ffn_dim: 4096,
  decoder_layers: 12,
  decoder_attention_heads: 16,
  decoder_ffn_dim: 4096,
  max_position_embeddings: 1024,
  activation_function: 'gelu',
  scale_embedding: false,
  tie_word_embeddings: true,
};

/** Sizes and activation; the embedding is shared and the output projection tied to it, as in most of them. */
export function bartEngine(fields: Fields): EngineConfig {
  const dModel = fields.count('d_model');
  const vocabulary = fields.count('vocab_size');
  return {
    ...defaultEngineConfig,
    dModel,
    kDim: dModel,
    vDim: dModel,
    numEncoderLayers: fields.count('encoder_layers'),
    numHeads: fields.count('encoder_attention_heads'),
    numKvHeads: fields.count('encoder_attention_heads'),
    dFf: fields.count('encoder_ffn_dim'),
    numDecoderLayers: fields.count('decoder_layers'),
    decoderNumHeads: fields.count('decoder_attention_heads'),
    decoderNumKvHeads: fields.count('decoder_attention_heads'),
    decoderDFf: fields.count('decoder_ffn_dim'),
    // Else the heads of the decoder would be as wide as those of the encoder.
    decoderDHead: Math.floor(dModel / fields.count('decoder_attention_heads')),
    activation: readActivation(fields, 'activation_function'),
    bias: true,
    norm: 'post',
    eps: 1e-5,
    encoderNorm: false,
    decoderNorm: false,
    srcVocabSize: vocabulary,
    tgtVocabSize: vocabulary,
    shareEmbeddings: true,
    embeddingScale: fields.flag('scale_embedding') ? Math.sqrt(dModel) : 1,
    projection: true,
    projectionBias: false,
    tieEmbeddings: fields.flag('tie_word_embeddings'),
    positions: 'none',
  };
}

/** The one embedding, by all the names that it goes by. */
export const sharedEmbedding: Readonly<Record<string, Target>> = {
  shared: 'embedding',
  'encoder.embed_tokens': 'embedding',
  'decoder.embed_tokens': 'embedding',
};

const inBothStacks = {
  'self_attn.q_proj': 'self_attn.q_proj',
  'self_attn.k_proj': 'self_attn.k_proj',
  'self_attn.v_proj': 'self_attn.v_proj',
  'self_attn.out_proj': 'self_attn.out_proj',
  self_attn_layer_norm: 'self_attn_norm',
  fc1: 'feed_forward.fc1',
  fc2: 'feed_forward.fc2',
  final_layer_norm: 'feed_forward_norm',
} as const;

const inDecoder = {
  ...inBothStacks,
  'encoder_attn.q_proj': 'cross_attn.q_proj',
  'encoder_attn.k_proj': 'cross_attn.k_proj',
  'encoder_attn.v_proj': 'cross_attn.v_proj',
  'encoder_attn.out_proj': 'cross_attn.out_proj',
  encoder_attn_layer_norm: 'cross_attn_norm',
} as const;

/** The layers of both stacks, and the norms around them. */
export const bartLayers: Readonly<Record<string, Target>> = {
  ...layerNames('encoder.layers.#', inBothStacks),
  ...layerNames('decoder.layers.#', inDecoder),
  'encoder.layernorm_embedding': 'encoder.embedding_norm',
  'decoder.layernorm_embedding': 'decoder.embedding_norm',
  'encoder.layer_norm': 'encoder.norm',
  'decoder.layer_norm': 'decoder.norm',
};

/** The names inside of a layer with the layer's own in front, on both sides. */
function layerNames(layer: string, names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).map(([stored, target]) => [`${layer}.${stored}`, `${layer}.${target}`]),
  );
}

/** The output projection: a matrix where it is not tied, and a bias of the logits where it is stored. */
export const bartProjection: Readonly<Record<string, Target>> = {
  lm_head: 'projection',
  final_logits_bias: ({ name, shape }) => [
    { name: 'projection.bias', from: name, firstRow: 0, rows: null, shape: shape.slice(-1) },
  ],
};
