/**
 * What Marian, BART, mBART, M2M100 and Whisper share: Fairseq's encoder and decoder under one set of tensor names. They
 * differ in where the norms are and in their position scheme.
 */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { TransformerConfig } from '../modules/embind.js';
import { readActivation } from '../plans/activations.js';
import { readTokens, type TransformerPlan } from '../plans/family.js';
import { asEmbedding, type NameTable, nameBefore, renamed, type Target, tied } from '../plans/renaming.js';
import { type Stack, type StackName, stackOf } from '../plans/stack.js';
import type { Shapes } from '../weights/slices.js';

/** Defaults that the config classes of these families fill in. */
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

/** One of the stacks, without its positions. */
export function bartStack(fields: Fields, name: StackName): Stack {
  const stack = stackOf({
    numLayers: fields.count(`${name}_layers`),
    dModel: fields.count('d_model'),
    numHeads: fields.count(`${name}_attention_heads`),
    dFf: fields.count(`${name}_ffn_dim`),
    activation: readActivation(fields, 'activation_function'),
  });
  return { ...stack, vocab: fields.count('vocab_size') };
}

/** Tensor tables shared by most of these families: a single embedding, tied to the output projection. */
export function bartTables(
  fields: Fields,
): Pick<TransformerConfig, 'shareEmbeddings' | 'projection'> & Partial<TransformerConfig> {
  return {
    shareEmbeddings: true,
    ...(fields.flag('scale_embedding') && { embeddingScale: Math.sqrt(fields.count('d_model')) }),
    projection: { vocab: fields.count('vocab_size'), tied: fields.flag('tie_word_embeddings') },
  };
}

/** The single embedding, under all of its names. */
export const sharedEmbedding: Readonly<Record<string, Target>> = {
  shared: asEmbedding('embedding'),
  'encoder.embed_tokens': asEmbedding('embedding'),
  'decoder.embed_tokens': asEmbedding('embedding'),
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

/** Prefixes both sides of a name table with the layer's name. */
function layerNames(layer: string, names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).map(([stored, target]) => [`${layer}.${stored}`, `${layer}.${target}`]),
  );
}

/** The output projection: its matrix if it is not tied, and the bias of the logits if one is stored. */
export const bartProjection: Readonly<Record<string, Target>> = {
  lm_head: 'projection',
  final_logits_bias: ({ name, shape }) => [
    { name: 'projection.bias', from: name, firstRow: 0, rows: null, shape: shape.slice(-1) },
  ],
};

/** What a family with a single embedding differs in. */
interface Differences {
  readonly table: NameTable;
  readonly maxLength: number;
  /** Gives a stack its positions and norms. */
  complete(stack: Stack, name: StackName): Stack;
}

export function planBartLike(
  fields: Fields,
  shapes: Shapes,
  { table, maxLength, complete }: Differences,
): TransformerPlan {
  const { projection, ...tables } = bartTables(fields);
  const slices = tied(renamed(shapes, table), projection.tied === true && 'embedding.weight');
  const stack = (name: StackName) => complete(bartStack(fields, name), name);
  return {
    model: {
      ...tables,
      encoder: stack('encoder'),
      decoder: stack('decoder'),
      projection: { ...projection, bias: slices.some(({ name }) => name === 'projection.bias') },
    },
    slices,
    tokens: readTokens(fields),
    maxPositions: maxLength,
    storedName: (name) => nameBefore(name, table),
  };
}
