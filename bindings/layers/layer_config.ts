/** The public configs of layers: their types and checks. */

import { type Dtype, toDtype } from '../engine/dtype.js';
import { type Activation, activationNames } from '../plans/activations.js';
import { type PositionScheme, positionSchemes } from '../plans/positions.js';
import type { TorchLayer, TorchModel } from '../plans/torch_model.js';
import { fail } from '../values/errors.js';
import { choiceOf, type FieldsOf, integerFrom, readFields, toBoolean, toEpsilon } from '../values/options.js';

/** Config of a layer or a transformer. Each reads only the fields that concern it. */
export interface LayerConfig {
  /** Width of the hidden states. */
  dModel: number;
  numHeads?: number;
  /** Inner width of the feed-forward layers; default: that of the weights, or else 4 dModel. */
  dFf?: number;
  /** Widths of keys and values, if they differ from dModel. */
  kDim?: number;
  vDim?: number;
  /** Whether linear layers have a bias; default: whether the weights have one, or else true. */
  bias?: boolean;
  /** Whether to append a key and a value of zeros, like PyTorch's `add_zero_attn`. */
  addZeroAttn?: boolean;
  /** Position of the norms: 'post' as in the paper (default), or 'pre' like PyTorch's `norm_first`. */
  norm?: 'post' | 'pre';
  /** Activation of the feed-forward layers; default 'relu'. */
  activation?: Activation;
  /** Epsilon of the norms; default 1e-5. */
  eps?: number;
  /** How to store matrices; default 'f32'. */
  dtype?: Dtype;
}

export interface LinearConfig {
  inFeatures?: number;
  outFeatures?: number;
  bias?: boolean;
  /** How to store the matrix; default 'f32'. */
  dtype?: Dtype;
}

export interface TransformerOptions extends LayerConfig {
  /** Default: the number of layers in the weights, or else 6. */
  numEncoderLayers?: number;
  numDecoderLayers?: number;
  /** Vocabulary size of both sides, or `srcVocabSize` and `tgtVocabSize`. */
  vocabSize?: number;
  srcVocabSize?: number;
  tgtVocabSize?: number;
  /** Position scheme; default: 'sinusoidal' with embeddings, else 'none'. */
  positions?: PositionScheme;
  /** Maximum sequence length of the positions; default: that of the learned positions, or else 2048. */
  maxLength?: number;
  /** Whether the output projection is tied to the target embedding (Press and Wolf 2017). */
  tieEmbeddings?: boolean;
  /** Whether to multiply embeddings by sqrt(dModel), as in the paper; default true. */
  scaleEmbedding?: boolean;
  /**
   * Whether each stack ends with a norm, as in `nn.Transformer`; default: whether the weights have one, or else true.
   */
  finalNorm?: boolean;
  /**
   * Whether the input is token ids; default: whether there is a vocabulary. If `false`, the input is embeddings, and
   * the vocabulary size applies to the output projection only.
   */
  embeddings?: boolean;
}

const size = integerFrom(1);
const count = integerFrom(0);

const layerReaders = {
  dModel: size,
  numHeads: size,
  dFf: size,
  kDim: size,
  vDim: size,
  bias: toBoolean,
  addZeroAttn: toBoolean,
  norm: choiceOf(['post', 'pre']),
  activation: choiceOf(activationNames),
  eps: toEpsilon,
  dtype: toDtype,
};

const transformerReaders = {
  ...layerReaders,
  numEncoderLayers: count,
  numDecoderLayers: count,
  vocabSize: size,
  srcVocabSize: size,
  tgtVocabSize: size,
  positions: choiceOf(positionSchemes),
  maxLength: size,
  tieEmbeddings: toBoolean,
  scaleEmbedding: toBoolean,
  finalNorm: toBoolean,
  embeddings: toBoolean,
};

/** A checked config, and how to store its matrices. */
type Read<T> = T & { readonly dtype: Dtype };

export const readLayerConfig = (config: unknown): Read<TorchLayer> =>
  complete(readFields(config, layerReaders, 'config'));

export const readTransformerConfig = (config: unknown): Read<TorchModel> =>
  complete(readFields(config, transformerReaders, 'config'));

function complete<T extends FieldsOf<typeof layerReaders>>(given: T) {
  const { dModel = fail('invalid_argument', 'dModel is missing in config'), dtype = 'f32' } = given;
  return { ...given, dModel, dtype };
}

export const readLinearConfig = (config: unknown) =>
  readFields(config, { inFeatures: size, outFeatures: size, bias: toBoolean, dtype: toDtype }, 'config');

/** @throws TransformerError `invalid_argument` */
export function needHeads(config: LayerConfig): void {
  for (const field of ['dModel', 'numHeads'] as const)
    if (config?.[field] === undefined) fail('invalid_argument', `${field} is missing in config`);
}
