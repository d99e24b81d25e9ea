/**
 * T5 (Raffel et al. 2020), version 1.1, FLAN-T5, MADLAD and mT5: RMS norms before each block, no biases, relative
 * positions with one learned bias per stack, unscaled scores. UMT5 has a bias in each layer.
 */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { FeedForwardConfig } from '../modules/embind.js';
import { activationOf } from '../plans/activations.js';
import { type Family, fieldsOf, headOf, type Plan, readTokens } from '../plans/family.js';
import { asEmbedding, asTable, type NameTable, nameBefore, renamed, tied } from '../plans/renaming.js';
import { preNorm, type Stack, type StackName, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import type { Shapes, Slice } from '../weights/slices.js';

const biasName = 'SelfAttention.relative_attention_bias';
/** Only the first block stores it. */
const sharedBias = (name: StackName) => ({
  [`${name}.block.#.layer.0.${biasName}`]: asTable(`${name}.relative_bias`),
});
const ownBias = (name: StackName) => ({
  [`${name}.block.#.layer.0.${biasName}`]: asTable(`${name}.relative_bias.#`),
});

const tableOf = (biasOf: typeof sharedBias): NameTable => ({
  prefixes: ['transformer.'],
  names: {
    shared: asEmbedding('embedding'),
    'encoder.embed_tokens': asEmbedding('embedding'),
    'decoder.embed_tokens': asEmbedding('embedding'),
    lm_head: 'projection',
    ...namesIn('encoder', ['SelfAttention']),
    ...namesIn('decoder', ['SelfAttention', 'EncDecAttention']),
    ...biasOf('encoder'),
    ...biasOf('decoder'),
  },
});

/** `block.L.layer.0` is self-attention, `layer.1` of a decoder cross-attention, the last one feed-forward. */
function namesIn(name: StackName, attentions: readonly string[]): Record<string, string> {
  const block = `${name}.block.#.layer`;
  const layer = `${name}.layers.#`;
  const parts = attentions.flatMap((attention, i) => {
    const part = attention === 'SelfAttention' ? 'self_attn' : 'cross_attn';
    return [
      [`${block}.${i}.layer_norm`, `${layer}.${part}_norm`],
      ...['q', 'k', 'v'].map((one) => [`${block}.${i}.${attention}.${one}`, `${layer}.${part}.${one}_proj`]),
      [`${block}.${i}.${attention}.o`, `${layer}.${part}.out_proj`],
    ];
  });
  const last = `${block}.${attentions.length}`;
  return Object.fromEntries([
    ...parts,
    [`${last}.layer_norm`, `${layer}.feed_forward_norm`],
    [`${last}.DenseReluDense.wi`, `${layer}.feed_forward.fc1`],
    [`${last}.DenseReluDense.wi_0`, `${layer}.feed_forward.fc1`],
    [`${last}.DenseReluDense.wi_1`, `${layer}.feed_forward.gate`],
    [`${last}.DenseReluDense.wo`, `${layer}.feed_forward.fc2`],
    [`${name}.final_layer_norm`, `${name}.norm`],
  ]);
}

/** `relu`, or `gated-gelu`, which uses the tanh approximation. */
function readFeedForward(fields: Fields): Pick<FeedForwardConfig, 'activation' | 'gated'> {
  const given = fields.text('feed_forward_proj');
  const gated = given.startsWith('gated-');
  const name = given === 'gated-gelu' ? 'gelu_new' : given.replace(/^gated-/, '');
  return { gated, activation: activationOf(name, 'feed_forward_proj') };
}

/** A stack of `numLayers` layers; encoder and decoder differ in nothing else. */
function stackIn(fields: Fields, numLayers: number): Stack {
  const { activation, gated } = readFeedForward(fields);
  const sizes = {
    numLayers,
    dModel: fields.count('d_model'),
    numHeads: fields.count('num_heads'),
    dFf: fields.count('d_ff'),
    activation,
    eps: fields.number('layer_norm_epsilon'),
  };
  const stack = withLayer(preNorm(stackOf(sizes)), {
    attention: { dHead: fields.count('d_kv'), bias: false, scale: 1 },
    feedForward: { gated, bias: false },
    norm: { kind: 'rms' },
  });
  const buckets = fields.count('relative_attention_num_buckets');
  const maxDistance = fields.count('relative_attention_max_distance');
  const perLayer = fields.raw('model_type') === 'umt5';
  return {
    ...stack,
    vocab: fields.count('vocab_size'),
    positions: { relative: { buckets, maxDistance, perLayer } },
  };
}

function plan(config: JsonObject, shapes: Shapes): Plan {
  const type = String(config.model_type);
  const table = tableOf(type === 'umt5' ? ownBias : sharedBias);
  const family = type.toUpperCase();
  const head = headOf(config, family, ['ForConditionalGeneration', 'WithLMHeadModel', 'EncoderModel']);
  const fields = fieldsOf(config);
  const numLayers = fields.count('num_layers');
  const encoder = stackIn(fields, numLayers);
  const rest = {
    tokens: readTokens(fields),
    maxPositions: null,
    storedName: (name: string) => nameBefore(name, table),
  };
  if (head === 'EncoderModel')
    return { model: { encoder }, slices: ofEncoder(renamed(shapes, table)), ...rest };
  const isTied = fields.flag('tie_word_embeddings');
  const projection = { vocab: fields.count('vocab_size'), tied: isTied };
  return {
    model: {
      encoder,
      decoder: stackIn(fields, fields.count('num_decoder_layers', numLayers)),
      shareEmbeddings: true,
      projection: isTied ? { ...projection, scale: fields.count('d_model') ** -0.5 } : projection,
    },
    slices: tied(renamed(shapes, table), isTied && 'embedding.weight'),
    ...rest,
  };
}

/** The encoder's part of the whole model's tensors; the shared embedding becomes its own. */
function ofEncoder(slices: readonly Slice[]): Slice[] {
  return slices
    .map((slice) =>
      slice.name === 'embedding.weight' ? { ...slice, name: 'encoder.embedding.weight' } : slice,
    )
    .filter(({ name }) => name.startsWith('encoder.'));
}

const defaults: JsonObject = {
  vocab_size: 32128,
  d_model: 512,
  d_kv: 64,
  d_ff: 2048,
  num_layers: 6,
  num_heads: 8,
  relative_attention_num_buckets: 32,
  relative_attention_max_distance: 128,
  layer_norm_epsilon: 1e-6,
  feed_forward_proj: 'relu',
  tie_word_embeddings: true,
  pad_token_id: 0,
  eos_token_id: 1,
  decoder_start_token_id: 0,
};

export const t5: Family = { modelTypes: ['t5'], tokenizer: kinds.t5Pieces, defaults, plan };

const mt5Defaults = {
  ...defaults,
  vocab_size: 250112,
  d_ff: 1024,
  num_layers: 8,
  num_heads: 6,
  feed_forward_proj: 'gated-gelu',
  tie_word_embeddings: false,
};

export const mt5: Family = { modelTypes: ['mt5'], tokenizer: kinds.mt5Pieces, defaults: mt5Defaults, plan };

export const umt5: Family = { modelTypes: ['umt5'], tokenizer: kinds.mt5Pieces, defaults: mt5Defaults, plan };
