/** The configs of layers: checked, and completed from the weights that come with them. */

import type { Slice } from '../checkpoint/weights/slices.js';
import { type Dtype, toDtype } from '../engine/dtype.js';
import { choiceOf, integerFrom, readFields, toBoolean, toEpsilon } from '../engine/options.js';

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
  activation?: 'relu' | 'gelu' | 'gelu_tanh' | 'silu';
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
  positions?: 'none' | 'sinusoidal' | 'learned' | 'rotary' | 'alibi' | 'relative';
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

/** The engine's own config: every field that the layer reads is there. */
export type EngineConfig = Readonly<Record<string, unknown>> & { readonly dtype: unknown };

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
  activation: choiceOf(['relu', 'gelu', 'gelu_tanh', 'silu']),
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
  positions: choiceOf(['none', 'sinusoidal', 'learned', 'rotary', 'alibi', 'relative']),
  maxLength: size,
  tieEmbeddings: toBoolean,
  scaleEmbedding: toBoolean,
  finalNorm: toBoolean,
  embeddings: toBoolean,
};

export const readLayerConfig = (config: unknown) => readFields(config, layerReaders, 'config');
export const readTransformerConfig = (config: unknown) => readFields(config, transformerReaders, 'config');

export const readLinearConfig = (config: unknown) =>
  readFields(config, { inFeatures: size, outFeatures: size, bias: toBoolean, dtype: toDtype }, 'config');

/** Looks up what the weights say: by the engine's names. `undefined` where weights are drawn at random. */
export class Found {
  readonly #slices: readonly Slice[] | undefined;

  constructor(slices: readonly Slice[] | undefined) {
    this.#slices = slices;
  }

  get random(): boolean {
    return this.#slices === undefined;
  }

  has(pattern: RegExp): boolean {
    return this.#slices?.some(({ name }) => pattern.test(name)) ?? false;
  }

  /** The length of an axis of the first tensor that the pattern fits. */
  axis(pattern: RegExp, axis: number): number | undefined {
    return this.#slices?.find(({ name }) => pattern.test(name))?.shape[axis];
  }

  /** How many layers a stack has. */
  layers(stack: 'encoder' | 'decoder'): number {
    const numbers = this.#slices?.map(
      ({ name }) => new RegExp(`^${stack}\\.layers\\.(\\d+)\\.`).exec(name)?.[1],
    );
    return new Set(numbers?.filter((number) => number !== undefined)).size;
  }
}

/** The fields that layers of every kind share. */
export function completeLayer(given: Readonly<Record<string, unknown>>, found: Found): EngineConfig {
  const bias = given.bias ?? (found.random || found.has(/(_proj|fc[12])\.bias$/));
  const dModel = Number(given.dModel);
  return {
    dModel,
    numHeads: given.numHeads ?? 1,
    numKvHeads: given.numHeads ?? 1,
    dHead: 0,
    dFf: given.dFf ?? found.axis(/(^|\.)fc1\.weight$/, 0) ?? 4 * dModel,
    kDim: given.kDim ?? found.axis(/^k_proj\.weight$/, 1) ?? dModel,
    vDim: given.vDim ?? found.axis(/^v_proj\.weight$/, 1) ?? dModel,
    bias,
    activation: given.activation ?? 'relu',
    gated: false,
    norm: given.norm ?? 'post',
    normKind: 'layer',
    normBias: found.random ? bias : !found.has(/norm\.weight$/) || found.has(/norm\.bias$/),
    eps: given.eps ?? 1e-5,
    attentionScale: 0,
    biasKv: found.has(/(^|\.)bias_k$/),
    zeroAttention: given.addZeroAttn ?? false,
    dtype: given.dtype ?? 'f32',
  };
}

/** A whole transformer's config. */
export function completeTransformer(given: Readonly<Record<string, unknown>>, found: Found): EngineConfig {
  const layer = completeLayer(given, found);
  const encoders = Number(given.numEncoderLayers ?? (found.random ? 6 : found.layers('encoder')));
  const decoders = Number(given.numDecoderLayers ?? (found.random ? 6 : found.layers('decoder')));
  const table = /^(?:(?:encoder|decoder)\.)?embedding\.weight$/;
  const vocabulary = given.vocabSize ?? given.srcVocabSize ?? given.tgtVocabSize;
  const embeddings = Boolean(given.embeddings ?? (found.has(table) || vocabulary !== undefined));
  const tied = Boolean(given.tieEmbeddings);
  const projected = found.axis(/^projection\.weight$/, 0);
  const projection =
    tied || projected !== undefined || wantsProjection({ given, found, embeddings, decoders });
  const sizeOf = (side: 'src' | 'tgt', stack: string) =>
    given[`${side}VocabSize`] ??
    given.vocabSize ??
    found.axis(new RegExp(`^(${stack}\\.)?embedding\\.weight$`), 0);
  const src = sizeOf('src', 'encoder');
  return {
    ...layer,
    numEncoderLayers: encoders,
    numDecoderLayers: decoders,
    embeddings,
    srcVocabSize: src ?? 0,
    tgtVocabSize: sizeOf('tgt', 'decoder') ?? projected ?? (decoders === 0 ? src : undefined) ?? 0,
    tieEmbeddings: tied,
    shareEmbeddings:
      embeddings &&
      (found.random
        ? encoders > 0 && decoders > 0 && given.vocabSize !== undefined
        : found.has(/^embedding\.weight$/)),
    embeddingScale: (given.scaleEmbedding ?? true) ? Math.sqrt(Number(layer.dModel)) : 1,
    projection,
    projectionBias: projection && (found.random ? !tied && layer.bias : found.has(/^projection\.bias$/)),
    encoderNorm: given.finalNorm ?? (found.random || found.has(/^encoder\.norm\./)),
    decoderNorm: given.finalNorm ?? (found.random || found.has(/^decoder\.norm\./)),
    positions: given.positions ?? defaultPositions(found, embeddings),
    maxLength: given.maxLength ?? found.axis(/positions\.weight$/, 0) ?? 2048,
    sinusoidLayout: 'interleaved',
    rotaryInterleaved: false,
    rotaryBase: 10000,
    relativeBuckets: found.axis(/relative_bias\.weight$/, 0) ?? 32,
    relativeMaxDistance: 128,
  };
}

interface ProjectionQuestion {
  given: Readonly<Record<string, unknown>>;
  found: Found;
  embeddings: boolean;
  decoders: number;
}

/** Where no weights tell: a decoder over a vocabulary ends in logits, and so does a stack whose only use for one it is. */
function wantsProjection({ given, found, embeddings, decoders }: ProjectionQuestion): boolean {
  const target = given.tgtVocabSize ?? given.vocabSize;
  if (target === undefined) return false;
  return !embeddings || (found.random && decoders > 0);
}

function defaultPositions(found: Found, embeddings: boolean): string {
  if (found.has(/positions\.weight$/)) return 'learned';
  if (found.has(/relative_bias\.weight$/)) return 'relative';
  return embeddings ? 'sinusoidal' : 'none';
}
