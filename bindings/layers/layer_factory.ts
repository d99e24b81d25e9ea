/** Creates layers from configs and weights. */

import { border } from '../values/border.js';
import { Blocks, hostKey } from './blocks.js';
import type { LayerConfig, LinearConfig, TransformerOptions } from './layer_config.js';
import type { LayerWeights } from './layer_weights.js';
import type { DecoderLayer, EncoderLayer, FeedForward, Linear, MultiHeadAttention } from './layers.js';
import type { PatchEmbedding, PatchEmbeddingConfig } from './patch_embedding.js';
import type { RecurrentConfig, RecurrentLayers } from './recurrent_layers.js';
import type { Transformer } from './transformer.js';

/** Models are loaded without layers. */
const makers = () => import('./make_layers.js');

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
    return (await makers()).makeLinear(this[hostKey], first, second);
  }

  /**
   * FFN(x) = activation(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2).
   * @param weights `linear1.weight` [dFf, dModel], `linear1.bias`, `linear2.weight` [dModel, dFf], `linear2.bias`
   */
  async feedForward(config: LayerConfig, weights: LayerWeights): Promise<FeedForward> {
    return (await makers()).makeFeedForward(this[hostKey], config, weights);
  }

  /**
   * `nn.MultiheadAttention`.
   * @param config dModel, numHeads; kDim, vDim; bias; addZeroAttn
   * @param weights `in_proj_weight` [3 dModel, dModel], or `q_proj_weight`, `k_proj_weight` and `v_proj_weight`;
   *   `in_proj_bias`, `out_proj.weight`, `out_proj.bias`; `bias_k` and `bias_v`
   */
  async multiHeadAttention(config: LayerConfig, weights: LayerWeights): Promise<MultiHeadAttention> {
    return (await makers()).makeMultiHeadAttention(this[hostKey], config, weights);
  }

  /** `nn.TransformerEncoderLayer`. */
  async encoderLayer(config: LayerConfig, weights: LayerWeights): Promise<EncoderLayer> {
    return (await makers()).makeEncoderLayer(this[hostKey], config, weights);
  }

  /** `nn.TransformerDecoderLayer`. */
  async decoderLayer(config: LayerConfig, weights: LayerWeights): Promise<DecoderLayer> {
    return (await makers()).makeDecoderLayer(this[hostKey], config, weights);
  }

  /**
   * `nn.GRU`: layers of gated recurrent units (Cho et al. 2014), read in one direction or both.
   * @param weights `weight_ih_l0` [3 hiddenSize, inputSize], `weight_hh_l0` [3 hiddenSize, hiddenSize], `bias_ih_l0`,
   *   `bias_hh_l0`; `..._l0_reverse` for the other direction, `..._l1` for the next layer
   */
  async gru(config: RecurrentConfig, weights: LayerWeights): Promise<RecurrentLayers> {
    return (await makers()).makeRecurrentLayers(this[hostKey], 'gru', config, weights);
  }

  /**
   * `nn.LSTM`: layers of long short-term memory (Hochreiter and Schmidhuber 1997), read in one direction or both.
   * @param weights as for `gru`, with four gates: `weight_ih_l0` [4 hiddenSize, inputSize], ...
   */
  async lstm(config: RecurrentConfig, weights: LayerWeights): Promise<RecurrentLayers> {
    return (await makers()).makeRecurrentLayers(this[hostKey], 'lstm', config, weights);
  }

  /**
   * The patches of an image as vectors: `nn.Conv2d` with a stride as long as its window (Dosovitskiy et al. 2021).
   * @param config patchSize, channels, dModel; default: those of the weights
   * @param weights `weight` [dModel, channels, patchSize, patchSize], `bias`; `class_token` [1, 1, dModel] and
   *   `pos_embedding` [1, tokens, dModel], if the sequence is to have them
   */
  async patchEmbedding(config: PatchEmbeddingConfig, weights: LayerWeights): Promise<PatchEmbedding> {
    return (await makers()).makePatchEmbedding(this[hostKey], config, weights);
  }

  /**
   * `nn.Transformer`, `nn.TransformerEncoder` or `nn.TransformerDecoder`, with embeddings, positions and an output
   * projection (`projection.weight`, `projection.bias`) if the weights or the config have them. Names may have the
   * prefix of a wrapping module (`transformer.`).
   */
  async transformer(config: TransformerOptions, weights: LayerWeights): Promise<Transformer> {
    return (await makers()).makeTransformer(this[hostKey], config, weights);
  }
}

border(LayerFactory, {
  linear: 'config weights',
  feedForward: 'config weights',
  multiHeadAttention: 'config weights',
  encoderLayer: 'config weights',
  decoderLayer: 'config weights',
  gru: 'config weights',
  lstm: 'config weights',
  patchEmbedding: 'config weights',
  transformer: 'config weights',
});
