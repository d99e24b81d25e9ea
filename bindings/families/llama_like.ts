/** What Llama, Mistral, Qwen2 and Gemma share: rotary positions, RMS norms, gated feed-forward, few key heads. */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type {
  AttentionConfig,
  LayerConfig,
  ProjectionConfig,
  StackConfig,
  TransformerConfig,
} from '../modules/embind.js';
import { fieldsOf, type TransformerPlan } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { readSizes, type Stack, stackOf, withLayer } from '../plans/stack.js';
import type { Shapes } from '../weights/slices.js';
import { decoderHeadOf, namesWith, withHead } from './decoder_heads.js';
import { decoderModel, planDecoder } from './decoder_like.js';
import { partlyRotated } from './rope.js';

/** Defaults that the config classes of these families fill in. */
export const llamaDefaults: JsonObject = {
  vocab_size: 32000,
  hidden_size: 4096,
  intermediate_size: 11008,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  hidden_act: 'silu',
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  attention_bias: false,
  mlp_bias: false,
  tie_word_embeddings: false,
  bos_token_id: 1,
  eos_token_id: 2,
};

export const llamaTable: NameTable = {
  prefixes: ['model.'],
  names: {
    embed_tokens: asEmbedding('decoder.embedding'),
    'layers.#.input_layernorm': 'decoder.layers.#.self_attn_norm',
    'layers.#.self_attn.q_proj': 'decoder.layers.#.self_attn.q_proj',
    'layers.#.self_attn.k_proj': 'decoder.layers.#.self_attn.k_proj',
    'layers.#.self_attn.v_proj': 'decoder.layers.#.self_attn.v_proj',
    'layers.#.self_attn.o_proj': 'decoder.layers.#.self_attn.out_proj',
    'layers.#.post_attention_layernorm': 'decoder.layers.#.feed_forward_norm',
    'layers.#.mlp.gate_proj': 'decoder.layers.#.feed_forward.fc1',
    'layers.#.mlp.up_proj': 'decoder.layers.#.feed_forward.gate',
    'layers.#.mlp.down_proj': 'decoder.layers.#.feed_forward.fc2',
    norm: 'decoder.norm',
    lm_head: 'projection',
  },
};

/** The names of a model that normalises its queries and keys. */
export const headNormsTable: NameTable = {
  ...llamaTable,
  names: {
    ...llamaTable.names,
    'layers.#.self_attn.q_norm': 'decoder.layers.#.self_attn.q_norm',
    'layers.#.self_attn.k_norm': 'decoder.layers.#.self_attn.k_norm',
  },
};

export type LlamaBiases = Partial<Pick<AttentionConfig, 'bias' | 'unbiased'>>;
export type LlamaStack = Stack & Pick<StackConfig, 'vocab' | 'numLayers'>;

/** The stack with other layers. */
export const withOwn = (stack: LlamaStack, own: Partial<LayerConfig>): LlamaStack => ({
  ...stack,
  ...withLayer(stack, own),
});

/** The stack with norms of queries and keys. */
export const withHeadNorms = (stack: LlamaStack, queryKeyNorm: AttentionConfig['queryKeyNorm']): LlamaStack =>
  withOwn(stack, { attention: { queryKeyNorm } });

export const headWidth = (fields: Fields): number =>
  fields.has('head_dim')
    ? fields.count('head_dim')
    : Math.floor(fields.count('hidden_size') / fields.count('num_attention_heads'));

/** @param biases of the projections of attention */
export function llamaStack(fields: Fields, biases: LlamaBiases): LlamaStack {
  const sizes = readSizes(fields, { eps: 'rms_norm_eps' });
  const dHead = headWidth(fields);
  const layer = {
    attention: {
      ...biases,
      ...(fields.has('num_key_value_heads') && { numKvHeads: fields.count('num_key_value_heads') }),
      ...(fields.has('head_dim') && { dHead }),
    },
    feedForward: { gated: true, bias: fields.flag('mlp_bias', false) },
    norm: { kind: 'rms' },
  } as const;
  return {
    ...withLayer(stackOf(sizes), layer),
    numLayers: sizes.numLayers,
    vocab: fields.count('vocab_size'),
    positions: partlyRotated(fields, dHead),
  };
}

/** How a family differs from Llama. */
export interface LlamaVariant {
  /** The prefix of its classes. */
  readonly classes: string;
  stack(fields: Fields): LlamaStack;
  /** Default: Llama's. */
  readonly table?: NameTable | ((fields: Fields) => NameTable);
  /** Default: before each block. */
  readonly normPlace?: LayerConfig['normPlace'];
  /** What differs in the output projection. */
  projection?(fields: Fields): Partial<ProjectionConfig>;
  /** What differs around the stack. */
  model?(fields: Fields): Partial<TransformerConfig>;
}

/** The plan of a decoder of this shape, with any of its heads. */
export function planLlama(config: JsonObject, shapes: Shapes, variant: LlamaVariant): TransformerPlan {
  const head = decoderHeadOf(config, variant.classes);
  const fields = fieldsOf(config);
  const decoder = variant.stack(fields);
  const { table = llamaTable } = variant;
  const { projection, ...rest } = decoderModel(
    decoder,
    fields.flag('tie_word_embeddings'),
    variant.normPlace,
  );
  const model = { ...rest, projection: { ...projection, ...variant.projection?.(fields) } };
  return planDecoder(fields, shapes, {
    model: withHead(head, fields, { ...model, ...variant.model?.(fields) }),
    table: namesWith(head, typeof table === 'function' ? table(fields) : table),
    maxPositions: maxLengthOf(decoder.positions),
  });
}
