/** The configs of layers as users give them: their types, and how they are checked. */

import { type Activation, activationNames } from '../checkpoint/families/activations.js';
import { type PositionScheme, positionSchemes } from '../checkpoint/families/positions.js';
import type { TorchLayer, TorchModel } from '../checkpoint/families/torch_model.js';
import { type Dtype, toDtype } from '../engine/dtype.js';
import { fail } from '../engine/errors.js';
import { choiceOf, type FieldsOf, integerFrom, readFields, toBoolean, toEpsilon } from '../engine/options.js';

/** What a user says about a layer or a transformer. Each reads the fields that concern it. */
export interface LayerConfig {
  /** The width of the hidden states. */
  dModel: number;
  numHeads?: number;
  /** The inner width of the feed-forward layers; default: as the weights have it, else 4 dModel. */
  dFf?: number;
  /** Widths of keys and values where they differ from dModel. */
  kDim?: number;
  vDim?: number;
  /** Of the linear layers; default: whether the weights have them, else true. */
  bias?: boolean;
  /** Adds a key and a value of zeros, as `add_zero_attn` in PyTorch. */
  addZeroAttn?: boolean;
  /** Where norms stand: 'post' as in the paper (default), or 'pre' as `norm_first` in PyTorch. */
  norm?: 'post' | 'pre';
  /** Of the feed-forward layers; default 'relu'. */
  activation?: Activation;
  /** Of the norms; default 1e-5. */
  eps?: number;
  /** How matrices are kept; default 'f32'. */
  dtype?: Dtype;
}

export interface TransformerOptions extends LayerConfig {
  /** Default: as many as the weights have, else 6. */
  numEncoderLayers?: number;
  numDecoderLayers?: number;
  /** One number for both sides, or `srcVocabSize` and `tgtVocabSize`. */
  vocabSize?: number;
  srcVocabSize?: number;
  tgtVocabSize?: number;
  /** Default: 'sinusoidal' where there are embeddings, else 'none'. */
  positions?: PositionScheme;
  /** The longest sequence that positions are made for; default 2048, or as many as learned positions there are. */
  maxLength?: number;
  /** The output projection is the target embedding (Press and Wolf 2017). */
  tieEmbeddings?: boolean;
  /** Multiplies embeddings by sqrt(dModel), as in the paper; default true. */
  scaleEmbedding?: boolean;
  /** A norm after each stack, as `nn.Transformer` has it; default: whether the weights have it, else true. */
  finalNorm?: boolean;
  /**
   * Whether token ids go in; default: whether there is a vocabulary. With `false`, embeddings go in and a vocabulary is
   * only that of the output projection.
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

/** A config that was read, and how its matrices are to be kept. */
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
