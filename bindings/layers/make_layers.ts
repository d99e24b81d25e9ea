/** Makes layers from configs and weights; loaded when the first one is made. */

import type { Handle, Host } from '../engine/host.js';
import { attentionOf, Found, feedForwardOf, layerOf, type TorchLayer } from '../plans/torch_model.js';
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
import type { Layer, LayerClass, Made as MadeLayer } from './layer.js';
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

/** A layer as the user describes it, and what its weights say. */
interface Described {
  readonly given: TorchLayer;
  readonly found: Found;
}

/** Makes layers of one kind. `create`: in the engine, from the weights that it was handed. */
const maker =
  <Name extends LayerClass, Made extends Layer<Name>>(
    Kind: new (made: MadeLayer<Name>) => Made,
    slicesOf: (shapes: Shapes) => Slice[],
    create: (host: Host, handed: Handle<'Weights'>, described: Described) => Promise<Handle<Name>>,
  ) =>
  async (host: Host, config: LayerConfig, given: LayerWeights): Promise<Made> => {
    if (slicesOf !== feedForwardSlices) needHeads(config);
    const { dtype, ...layer } = readLayerConfig(config);
    const { found, ...recipe } = readSlices(given, slicesOf);
    const build = (place: Host, handed: Handle<'Weights'>) => create(place, handed, { given: layer, found });
    return new Kind(await makeLayer(host, { build, dtype, ...recipe }));
  };

export const makeFeedForward = maker(FeedForward, feedForwardSlices, (host, handed, { given, found }) =>
  host.create('FeedForward', feedForwardOf(given, found), handed),
);

export const makeMultiHeadAttention = maker(
  MultiHeadAttention,
  attentionSlices,
  (host, handed, { given, found }) => host.create('MultiHeadAttention', attentionOf(given, found), handed),
);

export const makeEncoderLayer = maker(EncoderLayer, encoderLayerSlices, (host, handed, { given, found }) =>
  host.create('EncoderLayer', layerOf(given, found), handed),
);

export const makeDecoderLayer = maker(DecoderLayer, decoderLayerSlices, (host, handed, { given, found }) =>
  host.create('DecoderLayer', layerOf(given, found), handed),
);

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
