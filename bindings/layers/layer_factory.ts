/** Makes layers out of configs and weights. */

import {
  attentionSlices,
  decoderLayerSlices,
  encoderLayerSlices,
} from '../checkpoint/families/torch_names.js';
import type { Shapes, Slice } from '../checkpoint/weights/slices.js';
import type { Dtype } from '../engine/dtype.js';
import { fail } from '../engine/errors.js';
import { Blocks, hostKey } from './blocks.js';
import { type Made, make } from './layer.js';
import {
  completeLayer,
  Found,
  type LayerConfig,
  readLayerConfig,
  readLinearConfig,
  type TransformerOptions,
} from './layer_config.js';
import { type LayerWeights, readWeights, shapesOf } from './layer_weights.js';
import {
  DecoderLayer,
  EncoderLayer,
  FeedForward,
  feedForwardSlices,
  Linear,
  linearSlices,
  MultiHeadAttention,
} from './layers.js';
import { makeTransformer } from './make_transformer.js';
import type { Transformer } from './transformer.js';

export interface LinearConfig {
  inFeatures?: number;
  outFeatures?: number;
  bias?: boolean;
  /** How the matrix is kept; default 'f32'. */
  dtype?: Dtype;
}

/**
 * Layers keep their weights inside of the engine until `dispose()`. Weights are tensors under PyTorch's own names, or
 * `{ seed }` for random ones: Xavier-uniform matrices, unit norms, zero biases. Beside the codes of all functions, these
 * reject with `bad_checkpoint` where a tensor is missing, has another shape or holds NaN, and with `invalid_argument`
 * where one is not used.
 */
export abstract class LayerFactory extends Blocks {
  /**
   * y = x W^T + b.
   * @param weights `weight` [outFeatures, inFeatures], and `bias` [outFeatures] if there is one
   */
  async linear(weights: LayerWeights): Promise<Linear>;
  async linear(config: LinearConfig, weights: LayerWeights): Promise<Linear>;
  async linear(first: LinearConfig | LayerWeights, second?: LayerWeights): Promise<Linear> {
    const weights = readWeights(second ?? first);
    const config = second === undefined ? {} : readLinearConfig(first);
    const slices = linearSlices(weights);
    const found = new Found(weights.tensors ? slices : undefined);
    const inFeatures = config.inFeatures ?? found.axis(/^weight$/, 1);
    const outFeatures = config.outFeatures ?? found.axis(/^weight$/, 0);
    if (inFeatures === undefined || outFeatures === undefined)
      fail(
        'invalid_argument',
        "linear needs a 'weight' [outFeatures, inFeatures], or a config that says both and a seed",
      );
    const bias = config.bias ?? (found.random || found.has(/^bias$/));
    const complete = { inFeatures, outFeatures, bias, dtype: config.dtype ?? 'f32' };
    return new Linear(await make(this[hostKey], { method: 'linear', config: complete, weights, slices }));
  }

  /**
   * FFN(x) = activation(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2).
   * @param weights `linear1.weight` [dFf, dModel], `linear1.bias`, `linear2.weight` [dModel, dFf], `linear2.bias`
   */
  async feedForward(config: LayerConfig, weights: LayerWeights): Promise<FeedForward> {
    return new FeedForward(await this.#make('feedForward', config, weights, feedForwardSlices));
  }

  /**
   * `nn.MultiheadAttention`.
   * @param config dModel, numHeads; kDim, vDim; bias; addZeroAttn
   * @param weights `in_proj_weight` [3 dModel, dModel], or `q_proj_weight`, `k_proj_weight` and `v_proj_weight`;
   *   `in_proj_bias`, `out_proj.weight`, `out_proj.bias`; `bias_k` and `bias_v`
   */
  async multiHeadAttention(config: LayerConfig, weights: LayerWeights): Promise<MultiHeadAttention> {
    needHeads(config);
    return new MultiHeadAttention(
      await this.#make('multiHeadAttention', config, weights, bySlices(attentionSlices)),
    );
  }

  /** `nn.TransformerEncoderLayer`. */
  async encoderLayer(config: LayerConfig, weights: LayerWeights): Promise<EncoderLayer> {
    needHeads(config);
    return new EncoderLayer(await this.#make('encoderLayer', config, weights, bySlices(encoderLayerSlices)));
  }

  /** `nn.TransformerDecoderLayer`. */
  async decoderLayer(config: LayerConfig, weights: LayerWeights): Promise<DecoderLayer> {
    needHeads(config);
    return new DecoderLayer(await this.#make('decoderLayer', config, weights, bySlices(decoderLayerSlices)));
  }

  /**
   * `nn.Transformer`, `nn.TransformerEncoder` or `nn.TransformerDecoder`, with embeddings, positions and an output
   * projection (`projection.weight`, `projection.bias`) where the weights or the config have them. Names may have what a
   * wrapping module puts in front (`transformer.`).
   */
  async transformer(config: TransformerOptions, weights: LayerWeights): Promise<Transformer> {
    needHeads(config);
    return makeTransformer(this[hostKey], config, weights);
  }

  async #make(
    method: string,
    config: LayerConfig,
    given: LayerWeights,
    slicesOf: (weights: ReturnType<typeof readWeights>) => Slice[],
  ): Promise<Made> {
    const read = readLayerConfig(config);
    if (read.dModel === undefined) fail('invalid_argument', 'dModel is missing in config');
    const weights = readWeights(given);
    const slices = slicesOf(weights);
    const complete = completeLayer(read, new Found(weights.tensors ? slices : undefined));
    return make(this[hostKey], { method, config: complete, weights, slices });
  }
}

const bySlices =
  (slice: (shapes: Shapes) => Slice[]) =>
  ({ tensors }: ReturnType<typeof readWeights>): Slice[] =>
    tensors ? slice(shapesOf(tensors)) : [];

function needHeads(config: LayerConfig): void {
  for (const field of ['dModel', 'numHeads'] as const)
    if (config?.[field] === undefined) fail('invalid_argument', `${field} is missing in config`);
}
