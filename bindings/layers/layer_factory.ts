/** Creates layers from configs and weights. */

import { attentionOf, Found, feedForwardOf, layerOf } from '../checkpoint/families/torch_model.js';
import {
  attentionSlices,
  decoderLayerSlices,
  encoderLayerSlices,
  feedForwardSlices,
  linearSlices,
  recurrentSlices,
} from '../checkpoint/families/torch_names.js';
import type { Shapes, Slice } from '../checkpoint/weights/slices.js';
import type { Dtype } from '../engine/dtype.js';
import { fail } from '../engine/errors.js';
import type { Handle } from '../engine/host.js';
import { Blocks, hostKey } from './blocks.js';
import {
  type LayerConfig,
  readLayerConfig,
  readLinearConfig,
  type TransformerOptions,
} from './layer_config.js';
import { type LayerWeights, makeLayer, readWeights, shapesOf } from './layer_weights.js';
import { DecoderLayer, EncoderLayer, FeedForward, Linear, MultiHeadAttention } from './layers.js';
import { makeTransformer } from './make_transformer.js';
import type { PatchEmbedding, PatchEmbeddingConfig } from './patch_embedding.js';
import { type RecurrentConfig, RecurrentLayers, readRecurrentConfig } from './recurrent_layers.js';
import type { Transformer } from './transformer.js';

export interface LinearConfig {
  inFeatures?: number;
  outFeatures?: number;
  bias?: boolean;
  /** How to store the matrix; default 'f32'. */
  dtype?: Dtype;
}

/**
 * Layers keep their weights in the engine until `dispose()`. Weights are tensors under PyTorch's names, or `{ seed }`
 * for random ones: Xavier-uniform matrices, norms of one, biases of zero. In addition to the errors of all functions,
 * these reject with `invalid_argument` if a tensor is missing, has the wrong shape, contains NaN or is not used.
 */
export abstract class LayerFactory extends Blocks {
  /**
   * y = x W^T + b.
   * @param weights `weight` [outFeatures, inFeatures], optionally `bias` [outFeatures]
   */
  async linear(weights: LayerWeights): Promise<Linear>;
  async linear(config: LinearConfig, weights: LayerWeights): Promise<Linear>;
  async linear(first: LinearConfig | LayerWeights, second?: LayerWeights): Promise<Linear> {
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
    const host = this[hostKey];
    const build = (handed: Handle<'Weights'>) => host.create('Linear', config, handed);
    return new Linear(await makeLayer(host, { build, dtype: dtype ?? 'f32', weights, slices }));
  }

  /**
   * FFN(x) = activation(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2).
   * @param weights `linear1.weight` [dFf, dModel], `linear1.bias`, `linear2.weight` [dModel, dFf], `linear2.bias`
   */
  async feedForward(config: LayerConfig, weights: LayerWeights): Promise<FeedForward> {
    const { given, found, ...recipe } = readLayer(config, weights, feedForwardSlices);
    const host = this[hostKey];
    const build = (handed: Handle<'Weights'>) =>
      host.create('FeedForward', feedForwardOf(given, found), handed);
    return new FeedForward(await makeLayer(host, { build, ...recipe }));
  }

  /**
   * `nn.MultiheadAttention`.
   * @param config dModel, numHeads; kDim, vDim; bias; addZeroAttn
   * @param weights `in_proj_weight` [3 dModel, dModel], or `q_proj_weight`, `k_proj_weight` and `v_proj_weight`;
   *   `in_proj_bias`, `out_proj.weight`, `out_proj.bias`; `bias_k` and `bias_v`
   */
  async multiHeadAttention(config: LayerConfig, weights: LayerWeights): Promise<MultiHeadAttention> {
    needHeads(config);
    const { given, found, ...recipe } = readLayer(config, weights, attentionSlices);
    const host = this[hostKey];
    const build = (handed: Handle<'Weights'>) =>
      host.create('MultiHeadAttention', attentionOf(given, found), handed);
    return new MultiHeadAttention(await makeLayer(host, { build, ...recipe }));
  }

  /** `nn.TransformerEncoderLayer`. */
  async encoderLayer(config: LayerConfig, weights: LayerWeights): Promise<EncoderLayer> {
    needHeads(config);
    const { given, found, ...recipe } = readLayer(config, weights, encoderLayerSlices);
    const host = this[hostKey];
    const build = (handed: Handle<'Weights'>) => host.create('EncoderLayer', layerOf(given, found), handed);
    return new EncoderLayer(await makeLayer(host, { build, ...recipe }));
  }

  /** `nn.TransformerDecoderLayer`. */
  async decoderLayer(config: LayerConfig, weights: LayerWeights): Promise<DecoderLayer> {
    needHeads(config);
    const { given, found, ...recipe } = readLayer(config, weights, decoderLayerSlices);
    const host = this[hostKey];
    const build = (handed: Handle<'Weights'>) => host.create('DecoderLayer', layerOf(given, found), handed);
    return new DecoderLayer(await makeLayer(host, { build, ...recipe }));
  }

  /**
   * `nn.GRU`: layers of gated recurrent units (Cho et al. 2014), read in one direction or both.
   * @param weights `weight_ih_l0` [3 hiddenSize, inputSize], `weight_hh_l0` [3 hiddenSize, hiddenSize], `bias_ih_l0`,
   *   `bias_hh_l0`; `..._l0_reverse` for the other direction, `..._l1` for the next layer
   */
  async gru(config: RecurrentConfig, weights: LayerWeights): Promise<RecurrentLayers> {
    return this.#recurrentLayers('gru', config, weights);
  }

  /**
   * `nn.LSTM`: layers of long short-term memory (Hochreiter and Schmidhuber 1997), read in one direction or both.
   * @param weights as for `gru`, with four gates: `weight_ih_l0` [4 hiddenSize, inputSize], ...
   */
  async lstm(config: RecurrentConfig, weights: LayerWeights): Promise<RecurrentLayers> {
    return this.#recurrentLayers('lstm', config, weights);
  }

  async #recurrentLayers(
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
    const host = this[hostKey];
    const build = (handed: Handle<'Weights'>) => host.create('RecurrentLayers', complete, handed);
    return new RecurrentLayers(await makeLayer(host, { build, dtype, ...recipe }));
  }

  /**
   * The patches of an image as vectors: `nn.Conv2d` with a stride as long as its window (Dosovitskiy et al. 2021).
   * @param config patchSize, channels, dModel; default: those of the weights
   * @param weights `weight` [dModel, channels, patchSize, patchSize], `bias`; `class_token` [1, 1, dModel] and
   *   `pos_embedding` [1, tokens, dModel], if the sequence is to have them
   */
  async patchEmbedding(config: PatchEmbeddingConfig, weights: LayerWeights): Promise<PatchEmbedding> {
    const { makePatchEmbedding } = await import('./patch_embedding.js');
    return makePatchEmbedding(this[hostKey], config, weights);
  }

  /**
   * `nn.Transformer`, `nn.TransformerEncoder` or `nn.TransformerDecoder`, with embeddings, positions and an output
   * projection (`projection.weight`, `projection.bias`) if the weights or the config have them. Names may have the
   * prefix of a wrapping module (`transformer.`).
   */
  async transformer(config: TransformerOptions, weights: LayerWeights): Promise<Transformer> {
    needHeads(config);
    return makeTransformer(this[hostKey], config, weights);
  }
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

function needHeads(config: LayerConfig): void {
  for (const field of ['dModel', 'numHeads'] as const)
    if (config?.[field] === undefined) fail('invalid_argument', `${field} is missing in config`);
}
