/** Makes layers from configs and weights; loaded when the first one is made. */

import type { Handle, Host } from '../engine/host.js';
import { attentionOf, Found, feedForwardOf, layerOf } from '../plans/torch_model.js';
import {
  attentionSlices,
  decoderLayerSlices,
  encoderLayerSlices,
  feedForwardSlices,
  linearSlices,
  recurrentSlices,
} from '../plans/torch_names.js';
import { fail } from '../values/errors.js';
import type { Shapes, Slice } from '../weights/slices.js';
import {
  type LayerConfig,
  type LinearConfig,
  needHeads,
  readLayerConfig,
  readLinearConfig,
} from './layer_config.js';
import { type LayerWeights, makeLayer, readWeights, shapesOf } from './layer_weights.js';
import { DecoderLayer, EncoderLayer, FeedForward, Linear, MultiHeadAttention } from './layers.js';
import { type RecurrentConfig, RecurrentLayers, readRecurrentConfig } from './recurrent_layers.js';

export { makeTransformer } from './make_transformer.js';
export { makePatchEmbedding } from './patch_embedding.js';

export async function makeLinear(
  host: Host,
  first: LinearConfig | LayerWeights,
  second?: LayerWeights,
): Promise<Linear> {
  const { dtype, ...given } = second === undefined ? { dtype: 'f32' as const } : readLinearConfig(first);
  const { weights, slices, found } = readSlices(second ?? first, linearSlices);
  const config = {
    bias: found.random || found.has(/^bias$/),
    inFeatures: found.axis(/^weight$/, 1),
    outFeatures: found.axis(/^weight$/, 0),
    ...given,
  };
  if (config.inFeatures === undefined || config.outFeatures === undefined)
    fail(
      'invalid_argument',
      "linear needs a 'weight' [outFeatures, inFeatures], or a config with both sizes and a seed",
    );
  const build = (host: Host, handed: Handle<'Weights'>) => host.create('Linear', config, handed);
  return new Linear(await makeLayer(host, { build, dtype: dtype ?? 'f32', weights, slices }));
}

export async function makeFeedForward(
  host: Host,
  config: LayerConfig,
  weights: LayerWeights,
): Promise<FeedForward> {
  const { given, found, ...recipe } = readLayer(config, weights, feedForwardSlices);
  const build = (host: Host, handed: Handle<'Weights'>) =>
    host.create('FeedForward', feedForwardOf(given, found), handed);
  return new FeedForward(await makeLayer(host, { build, ...recipe }));
}

export async function makeMultiHeadAttention(
  host: Host,
  config: LayerConfig,
  weights: LayerWeights,
): Promise<MultiHeadAttention> {
  needHeads(config);
  const { given, found, ...recipe } = readLayer(config, weights, attentionSlices);
  const build = (host: Host, handed: Handle<'Weights'>) =>
    host.create('MultiHeadAttention', attentionOf(given, found), handed);
  return new MultiHeadAttention(await makeLayer(host, { build, ...recipe }));
}

export async function makeEncoderLayer(
  host: Host,
  config: LayerConfig,
  weights: LayerWeights,
): Promise<EncoderLayer> {
  needHeads(config);
  const { given, found, ...recipe } = readLayer(config, weights, encoderLayerSlices);
  const build = (host: Host, handed: Handle<'Weights'>) =>
    host.create('EncoderLayer', layerOf(given, found), handed);
  return new EncoderLayer(await makeLayer(host, { build, ...recipe }));
}

export async function makeDecoderLayer(
  host: Host,
  config: LayerConfig,
  weights: LayerWeights,
): Promise<DecoderLayer> {
  needHeads(config);
  const { given, found, ...recipe } = readLayer(config, weights, decoderLayerSlices);
  const build = (host: Host, handed: Handle<'Weights'>) =>
    host.create('DecoderLayer', layerOf(given, found), handed);
  return new DecoderLayer(await makeLayer(host, { build, ...recipe }));
}

export async function makeRecurrentLayers(
  host: Host,
  cell: 'gru' | 'lstm',
  config: RecurrentConfig,
  weights: LayerWeights,
): Promise<RecurrentLayers> {
  const { dtype = 'f32', ...given } = readRecurrentConfig(config);
  const { found, ...recipe } = readSlices(weights, recurrentSlices);
  const complete = {
    cell,
    inputSize: found.axis(/^weight_ih_l0$/, 1),
    hiddenSize: found.axis(/^weight_hh_l0$/, 1),
    ...(!found.random && {
      numLayers: found.count(/^weight_hh_l\d+$/),
      bidirectional: found.has(/_reverse$/),
      bias: found.has(/^bias_/),
    }),
    ...given,
  };
  for (const field of ['inputSize', 'hiddenSize'] as const)
    if (complete[field] === undefined) fail('invalid_argument', `${field} is missing in config`);
  const build = (host: Host, handed: Handle<'Weights'>) => host.create('RecurrentLayers', complete, handed);
  return new RecurrentLayers(await makeLayer(host, { build, dtype, ...recipe }));
}

/** Reads weights: their slices for the engine, and the facts to be found in them. */
function readSlices(given: unknown, slicesOf: (shapes: Shapes) => Slice[]) {
  const weights = readWeights(given);
  const slices = weights.tensors && slicesOf(shapesOf(weights.tensors));
  return { weights, slices: slices ?? [], found: new Found(slices) };
}

function readLayer(config: LayerConfig, weights: LayerWeights, slicesOf: (shapes: Shapes) => Slice[]) {
  const { dtype, ...given } = readLayerConfig(config);
  return { given, dtype, ...readSlices(weights, slicesOf) };
}
