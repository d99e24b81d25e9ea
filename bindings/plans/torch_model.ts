/**
 * PyTorch modules in the engine's terms: the user's description, completed from the weights that come with it. Both the
 * `transformer` family and the public layers plan their models here.
 */

import type {
  AttentionConfig,
  FeedForwardConfig,
  LayerConfig,
  ProjectionConfig,
  StackConfig,
  TransformerConfig,
} from '../modules/embind.js';
import type { Slice } from '../weights/slices.js';
import { type PositionScheme, positionsOf } from './positions.js';

/** A layer as the user describes it. Missing fields follow the weights, or else the engine's defaults. */
export interface TorchLayer {
  readonly dModel: number;
  readonly numHeads?: number | undefined;
  readonly dFf?: number | undefined;
  readonly kDim?: number | undefined;
  readonly vDim?: number | undefined;
  readonly bias?: boolean | undefined;
  readonly addZeroAttn?: boolean | undefined;
  readonly norm?: LayerConfig['normPlace'] | undefined;
  readonly activation?: FeedForwardConfig['activation'] | undefined;
  readonly eps?: number | undefined;
  /** Of the scores; default: 1 / sqrt(the width of a head). */
  readonly attentionScale?: number | undefined;
}

/** A whole transformer, described likewise. */
export interface TorchModel extends TorchLayer {
  readonly numEncoderLayers?: number | undefined;
  readonly numDecoderLayers?: number | undefined;
  readonly vocabSize?: number | undefined;
  readonly srcVocabSize?: number | undefined;
  readonly tgtVocabSize?: number | undefined;
  readonly positions?: PositionScheme | undefined;
  readonly maxLength?: number | undefined;
  readonly tieEmbeddings?: boolean | undefined;
  readonly scaleEmbedding?: boolean | undefined;
  readonly finalNorm?: boolean | undefined;
  readonly embeddings?: boolean | undefined;
}

/** Looks up facts in the weights by engine names. Finds nothing if the weights are drawn at random. */
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

  /** The number of tensors that match the pattern. */
  count(pattern: RegExp): number {
    return this.#slices?.filter(({ name }) => pattern.test(name)).length ?? 0;
  }

  /** The length of an axis of the first tensor that matches the pattern. */
  axis(pattern: RegExp, axis: number): number | undefined {
    return this.#slices?.find(({ name }) => pattern.test(name))?.shape[axis];
  }

  /** The number of layers of a stack. */
  layers(stack: 'encoder' | 'decoder'): number {
    const numbers = this.#slices?.map(
      ({ name }) => new RegExp(`^${stack}\\.layers\\.(\\d+)\\.`).exec(name)?.[1],
    );
    return new Set(numbers?.filter((number) => number !== undefined)).size;
  }
}

/** Whether linear layers have a bias. */
const biasOf = (given: TorchLayer, found: Found): boolean =>
  given.bias ?? (found.random || found.has(/(_proj|fc[12])\.bias$/));

export function attentionOf(given: TorchLayer, found: Found): Partial<AttentionConfig> {
  return {
    dModel: given.dModel,
    numHeads: given.numHeads,
    kDim: given.kDim ?? found.axis(/^k_proj\.weight$/, 1),
    vDim: given.vDim ?? found.axis(/^v_proj\.weight$/, 1),
    bias: biasOf(given, found),
    scale: given.attentionScale,
    biasKv: found.has(/(^|\.)bias_k$/),
    zeroAttention: given.addZeroAttn,
  };
}

export function feedForwardOf(given: TorchLayer, found: Found): Partial<FeedForwardConfig> {
  return {
    dModel: given.dModel,
    dFf: given.dFf ?? found.axis(/(^|\.)fc1\.weight$/, 0) ?? 4 * given.dModel,
    activation: given.activation,
    bias: biasOf(given, found),
  };
}

export function layerOf(given: TorchLayer, found: Found): Partial<LayerConfig> {
  const hasNormBias = found.random
    ? biasOf(given, found)
    : !found.has(/norm\.weight$/) || found.has(/norm\.bias$/);
  return {
    dModel: given.dModel,
    attention: attentionOf(given, found),
    feedForward: feedForwardOf(given, found),
    normPlace: given.norm,
    norm: { eps: given.eps, bias: hasNormBias },
  };
}

/** The config of a whole transformer. */
export function transformerOf(given: TorchModel, found: Found): Partial<TransformerConfig> {
  const layer = layerOf(given, found);
  const encoders = given.numEncoderLayers ?? (found.random ? 6 : found.layers('encoder'));
  const decoders = given.numDecoderLayers ?? (found.random ? 6 : found.layers('decoder'));
  const table = /^(?:(?:encoder|decoder)\.)?embedding\.weight$/;
  const vocabulary = given.vocabSize ?? given.srcVocabSize ?? given.tgtVocabSize;
  const embeddings = given.embeddings ?? (found.has(table) || vocabulary !== undefined);
  const projection = projectionOf({ given, found, embeddings, decoders });
  const stack = (name: 'encoder' | 'decoder', numLayers: number): Partial<StackConfig> => ({
    numLayers,
    layer,
    positions: positionsOf(given.positions ?? defaultPositions(found, embeddings), {
      maxLength: () => given.maxLength ?? found.axis(/positions\.weight$/, 0) ?? 2048,
      buckets: found.axis(/relative_bias\.weight$/, 0),
    }),
    vocab: embeddings && numLayers > 0 ? (vocabularyOf(given, found, name) ?? 0) : 0,
    norm: given.finalNorm ?? (found.random || found.has(new RegExp(`^${name}\\.norm\\.`))),
  });
  return {
    encoder: stack('encoder', encoders),
    decoder: stack('decoder', decoders),
    shareEmbeddings:
      embeddings &&
      (found.random
        ? encoders > 0 && decoders > 0 && given.vocabSize !== undefined
        : found.has(/^embedding\.weight$/)),
    embeddingScale: (given.scaleEmbedding ?? true) ? Math.sqrt(given.dModel) : 1,
    projection,
  };
}

/** The vocabulary size of a stack's embedding. */
function vocabularyOf(given: TorchModel, found: Found, stack: 'encoder' | 'decoder'): number | undefined {
  return (
    (stack === 'encoder' ? given.srcVocabSize : given.tgtVocabSize) ??
    given.vocabSize ??
    found.axis(new RegExp(`^(${stack}\\.)?embedding\\.weight$`), 0)
  );
}

interface ProjectionQuestion {
  given: TorchModel;
  found: Found;
  embeddings: boolean;
  decoders: number;
}

function projectionOf(question: ProjectionQuestion): Partial<ProjectionConfig> {
  const { given, found, decoders } = question;
  const tied = given.tieEmbeddings ?? false;
  const stored = found.axis(/^projection\.weight$/, 0);
  if (!tied && stored === undefined && !wantsProjection(question)) return {};
  const source = decoders === 0 ? vocabularyOf(given, found, 'encoder') : undefined;
  return {
    vocab: vocabularyOf(given, found, 'decoder') ?? stored ?? source ?? 0,
    bias: found.random ? !tied && biasOf(given, found) : found.has(/^projection\.bias$/),
    tied,
  };
}

/**
 * Without weights: a decoder over a vocabulary ends in logits, and so does a stack that has no other use for its
 * vocabulary.
 */
function wantsProjection({ given, found, embeddings, decoders }: ProjectionQuestion): boolean {
  const target = given.tgtVocabSize ?? given.vocabSize;
  if (target === undefined) return false;
  return !embeddings || (found.random && decoders > 0);
}

function defaultPositions(found: Found, embeddings: boolean): PositionScheme {
  if (found.has(/positions\.weight$/)) return 'learned';
  if (found.has(/relative_bias\.weight$/)) return 'relative';
  return embeddings ? 'sinusoidal' : 'none';
}
