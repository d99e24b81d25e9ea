/**
 * What the wasm module has, as Embind emits it from bindings/embind: made by the build, not by hand. A name that changes
 * in C++ is a type error here.
 */

import type { TensorData } from './tensor.js';

export type NoPositions = Record<string, never>;

export type SinusoidalPositions = {
  maxLength: number;
  layout: 'interleaved' | 'halves' | 'fairseq';
  offset: number;
  base: number;
};

export type LearnedPositions = {
  maxLength: number;
};

export type RotaryPositions = {
  maxLength: number;
  layout: 'interleaved' | 'halves';
  base: number;
  frequencies: number[];
  dynamicLength: number;
  dynamicFactor: number;
};

export type AlibiPositions = Record<string, never>;

export type RelativePositions = {
  buckets: number;
  maxDistance: number;
  perLayer: boolean;
};

export type DisentangledPositions = {
  buckets: number;
  maxDistance: number;
  span: number;
  normEps: number;
  contentToPosition: boolean;
  positionToContent: boolean;
  shareProjections: boolean;
};

export type NormConfig = {
  kind: 'layer' | 'rms';
  eps: number;
  bias: boolean;
};

export type AttentionConfig = {
  dModel: number;
  kDim: number;
  vDim: number;
  numHeads: number;
  numKvHeads: number;
  dHead: number;
  bias: boolean;
  unbiased: string;
  scale: number;
  biasKv: boolean;
  zeroAttention: boolean;
};

export type FeedForwardConfig = {
  dModel: number;
  dFf: number;
  activation:
    | 'none'
    | 'relu'
    | 'relu2'
    | 'relu6'
    | 'gelu'
    | 'gelu_tanh'
    | 'quick_gelu'
    | 'silu'
    | 'mish'
    | 'sigmoid'
    | 'tanh';
  gated: boolean;
  bias: boolean;
};

export type LayerConfig = {
  dModel: number;
  normPlace: 'post' | 'pre' | 'pre_residual' | 'parallel';
  attention: Partial<AttentionConfig>;
  feedForward: Partial<FeedForwardConfig>;
  norm: Partial<NormConfig>;
};

export type HeadConfig = {
  steps: Partial<HeadStep>[];
  firstOnly: boolean;
  lastId: number;
};

export type ProjectionConfig = {
  vocab: number;
  bias: boolean;
  tied: boolean;
  scale: number;
};

export type TransformerConfig = {
  shareEmbeddings: boolean;
  embeddingScale: number;
  encoder: Partial<StackConfig>;
  decoder: Partial<StackConfig>;
  pooler: Partial<HeadConfig>;
  head: Partial<HeadConfig>;
  projection: Partial<ProjectionConfig>;
};

export type HeadStep = {
  name: string;
  outFeatures: number;
  bias: boolean;
  activation:
    | 'none'
    | 'relu'
    | 'relu2'
    | 'relu6'
    | 'gelu'
    | 'gelu_tanh'
    | 'quick_gelu'
    | 'silu'
    | 'mish'
    | 'sigmoid'
    | 'tanh';
  norm: Partial<NormConfig>;
};

export type StackConfig = {
  numLayers: number;
  positions:
    | { none: Partial<NoPositions> }
    | { sinusoidal: Partial<SinusoidalPositions> }
    | { learned: Partial<LearnedPositions> }
    | { rotary: Partial<RotaryPositions> }
    | { alibi: Partial<AlibiPositions> }
    | { relative: Partial<RelativePositions> }
    | { disentangled: Partial<DisentangledPositions> };
  vocab: number;
  tokenTypes: number;
  inputPositions: number;
  embeddingNorm: boolean;
  normBeforePositions: boolean;
  embeddingWidth: number;
  layerGroups: number;
  windows: number[];
  norm: boolean;
  layer: Partial<LayerConfig>;
};

export interface Context {
  delete(): void;
}

export type MachineLimits = {
  flopsPerSecond: number;
  bytesPerSecond: number;
};

export type GenerationProgress = {
  done: boolean;
  certain: Int32Array[];
};

export interface Generation {
  advance(_0: number): GenerationProgress;
  openRows(_0: number): number[][];
  allow(_0: number, _1: number[][]): void;
  results(): Hypothesis[][];
  profile(): ProfiledPart[];
  delete(): void;
}

export type LinearConfig = {
  inFeatures: number;
  outFeatures: number;
  bias: boolean;
  activation:
    | 'none'
    | 'relu'
    | 'relu2'
    | 'relu6'
    | 'gelu'
    | 'gelu_tanh'
    | 'quick_gelu'
    | 'silu'
    | 'mish'
    | 'sigmoid'
    | 'tanh';
};

export interface Linear {
  parameterCount(): number;
  forward(_0: TensorData): TensorData;
  delete(): void;
}

export interface FeedForward {
  parameterCount(): number;
  forward(_0: TensorData): TensorData;
  delete(): void;
}

export interface MultiHeadAttention {
  parameterCount(): number;
  forward(_0: TensorData, _1: TensorData, _2: TensorData, _3: Partial<MultiHeadOptions>): MultiHeadResult;
  delete(): void;
}

export interface EncoderLayer {
  parameterCount(): number;
  forward(_0: TensorData, _1: Partial<SelfMasks>): TensorData;
  delete(): void;
}

export interface DecoderLayer {
  parameterCount(): number;
  forward(_0: TensorData, _1: TensorData, _2: Partial<DecoderLayerOptions>): TensorData;
  delete(): void;
}

export type HeadFactor = {
  head: string;
  factor: number;
};

export type ProfiledPart = {
  path: string;
  flops: number;
  weightBytes: number;
  stateBytes: number;
  milliseconds: number;
};

export interface Model {
  parameterCount(): number;
  weightBytes(): number;
  forward(
    _0: TensorData | { data: Int32Array; shape: number[] } | undefined,
    _1: TensorData | { data: Int32Array; shape: number[] } | undefined,
    _2: Partial<PassOptions>,
  ): PassOutput;
  delete(): void;
}

export type RecurrentLayersConfig = {
  cell: 'gru' | 'lstm';
  inputSize: number;
  hiddenSize: number;
  numLayers: number;
  bidirectional: boolean;
  bias: boolean;
};

export interface RecurrentLayers {
  parameterCount(): number;
  forward(_0: TensorData, _1: Partial<RecurrentState>): RecurrentResult;
  delete(): void;
}

export type RecurrentConfig = {
  design: 'bahdanau' | 'luong';
  cell: 'gru' | 'lstm';
  srcVocabSize: number;
  tgtVocabSize: number;
  dEmbedding: number;
  hiddenSize: number;
  numLayers: number;
  bidirectional: boolean;
  score: 'dot' | 'general' | 'concat';
  dAttention: number;
  window: number;
  dReadout: number;
  maxout: boolean;
  shareEmbeddings: boolean;
  tieEmbeddings: boolean;
  projectionBias: boolean;
};

export interface RecurrentModel extends Model {
  delete(): void;
}

export type ScoredAttention = {
  context: TensorData;
  weights: TensorData;
  scores: TensorData;
};

export type Traced = {
  name: string;
  path: string;
  tensor: TensorData;
};

export type AttentionOptions = {
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  isCausal: boolean;
  window: number;
  scale: number | undefined;
  needWeights: boolean;
};

export type AttentionResult = {
  output: TensorData;
  weights: TensorData | undefined;
};

export type AdditiveOptions = {
  Ws: TensorData | undefined;
  Wh: TensorData | undefined;
  v: TensorData | undefined;
  bias: TensorData | undefined;
  values: TensorData | undefined;
  mask: TensorData | undefined;
};

export type LuongOptions = {
  score: 'dot' | 'general' | 'concat';
  W: TensorData | undefined;
  v: TensorData | undefined;
  values: TensorData | undefined;
  mask: TensorData | undefined;
  centers: TensorData | undefined;
  D: number;
  gaussian: boolean;
};

export type NormOptions = {
  weight: TensorData | undefined;
  bias: TensorData | undefined;
  eps: number;
};

export type MultiHeadResult = {
  output: TensorData;
  weights: TensorData | undefined;
};

export type DecoderLayerOptions = {
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  keyPaddingMask: TensorData | undefined;
  isCausal: boolean;
  memoryMask: TensorData | undefined;
  memoryBias: TensorData | undefined;
  memoryKeyPaddingMask: TensorData | undefined;
};

export type MultiHeadOptions = {
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  keyPaddingMask: TensorData | undefined;
  isCausal: boolean;
  needWeights: boolean;
  averageWeights: boolean;
};

export type SelfMasks = {
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  keyPaddingMask: TensorData | undefined;
  isCausal: boolean;
};

export type PassOutput = {
  output: TensorData | undefined;
  logits: TensorData | undefined;
  poolerOutput: TensorData | undefined;
  encoderOutput: TensorData | undefined;
  encoderAttentions: TensorData[];
  decoderAttentions: TensorData[];
  crossAttentions: TensorData[];
  encoderHiddenStates: TensorData[];
  decoderHiddenStates: TensorData[];
  trace: Traced[];
  profile: ProfiledPart[];
};

export type RecurrentResult = {
  output: TensorData;
  hidden: TensorData;
  cell: TensorData | undefined;
};

export type GenerationInput = {
  sources: Int32Array[];
  sourceVectors: TensorData | undefined;
  prompts: Int32Array[];
  padding: Int32Array;
  heads: HeadFactor[];
  profile: boolean;
};

export type RecurrentState = {
  lengths: Int32Array;
  hidden: TensorData | undefined;
  cell: TensorData | undefined;
};

export type Hypothesis = {
  ids: Int32Array;
  score: number;
  tokenScores: Float32Array;
};

export type GenerationOptions = {
  maxNewTokens: number;
  minNewTokens: number;
  eosTokenId: number[];
  numBeams: number;
  numBeamGroups: number;
  diversityPenalty: number;
  numReturnSequences: number;
  lengthPenalty: number;
  earlyStopping: 'true' | 'false' | 'never';
  doSample: boolean;
  temperature: number;
  topK: number;
  topP: number;
  typicalP: number;
  minP: number;
  epsilonCutoff: number;
  etaCutoff: number;
  seed: number;
  repetitionPenalty: number;
  encoderRepetitionPenalty: number;
  encoderNoRepeatNgramSize: number;
  sequenceBias: number[][];
  forcedDecoderIds: number[][];
  exponentialDecayLengthPenalty: number[];
  removeInvalidValues: boolean;
  noRepeatNgramSize: number;
  badWordsIds: number[][];
  forcedBosTokenId: number;
  forcedEosTokenId: number;
  suppressTokens: number[];
  beginSuppressTokens: number[];
  renormalizeLogits: boolean;
  shortlist: number[];
};

export type PassOptions = {
  memoryMask: TensorData | undefined;
  memoryBias: TensorData | undefined;
  memoryKeyPaddingMask: TensorData | undefined;
  srcMask: TensorData | undefined;
  srcBias: TensorData | undefined;
  srcKeyPaddingMask: TensorData | undefined;
  tgtMask: TensorData | undefined;
  tgtBias: TensorData | undefined;
  tgtKeyPaddingMask: TensorData | undefined;
  tokenTypes: Int32Array;
  isCausal: boolean;
  outputAttentions: boolean;
  outputHiddenStates: boolean;
  lastStateBeforeNorm: boolean;
  trace: string[];
  heads: HeadFactor[];
  profile: boolean;
};

export type Decoded = {
  output: TensorData | undefined;
  logits: TensorData | undefined;
};

export interface Transformer extends Model {
  encode(_0: TensorData | { data: Int32Array; shape: number[] }, _1: Partial<SelfMasks>): TensorData;
  decode(
    _0: TensorData | { data: Int32Array; shape: number[] },
    _1: TensorData | undefined,
    _2: Partial<DecodeOptions>,
  ): Decoded;
  delete(): void;
}

export type DecodeOptions = {
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  keyPaddingMask: TensorData | undefined;
  isCausal: boolean;
  memoryMask: TensorData | undefined;
  memoryBias: TensorData | undefined;
  memoryKeyPaddingMask: TensorData | undefined;
};

export type StridedView = {
  dims: number[];
  strides: number[];
  offset: number;
};

export interface Weights {
  declare(_0: string, _1: number[], _2: 'F32' | 'F16' | 'BF16' | 'F64' | 'I8'): void;
  scale(_0: string, _1: Float32Array, _2: number): void;
  write(_0: string, _1: number, _2: Uint8Array): void;
  view(_0: string, _1: number[], _2: string, _3: StridedView): void;
  rename(_0: string, _1: string): void;
  drop(_0: string): void;
  names(): string[];
  delete(): void;
}

export interface EmbindModule {
  Context: {
    new (_0: number): Context;
  };
  heapBytes(_0: Context): number;
  memoryBytes(_0: Context): number;
  activationBits(_0: Context): number;
  machineLimits(_0: Context, _1: number): MachineLimits;
  Generation: {
    new (
      _0: Context,
      _1: Model | null,
      _2: Partial<GenerationInput>,
      _3: Partial<GenerationOptions>,
    ): Generation;
  };
  Linear: {
    new (_0: Context, _1: Partial<LinearConfig>, _2: Weights): Linear;
  };
  FeedForward: {
    new (_0: Context, _1: Partial<FeedForwardConfig>, _2: Weights): FeedForward;
  };
  MultiHeadAttention: {
    new (_0: Context, _1: Partial<AttentionConfig>, _2: Weights): MultiHeadAttention;
  };
  EncoderLayer: {
    new (_0: Context, _1: Partial<LayerConfig>, _2: Weights): EncoderLayer;
  };
  DecoderLayer: {
    new (_0: Context, _1: Partial<LayerConfig>, _2: Weights): DecoderLayer;
  };
  Model: Record<string, never>;
  RecurrentLayers: {
    new (_0: Context, _1: Partial<RecurrentLayersConfig>, _2: Weights): RecurrentLayers;
  };
  RecurrentModel: {
    new (_0: Context, _1: Partial<RecurrentConfig>, _2: Weights): RecurrentModel;
  };
  additiveAttention(
    _0: Context,
    _1: TensorData,
    _2: TensorData,
    _3: Partial<AdditiveOptions>,
  ): ScoredAttention;
  luongAttention(_0: Context, _1: TensorData, _2: TensorData, _3: Partial<LuongOptions>): ScoredAttention;
  softmax(_0: Context, _1: TensorData): TensorData;
  layerNorm(_0: Context, _1: TensorData, _2: Partial<NormOptions>): TensorData;
  rmsNorm(_0: Context, _1: TensorData, _2: Partial<NormOptions>): TensorData;
  matmul(_0: Context, _1: TensorData, _2: TensorData): TensorData;
  positionalEncoding(_0: Context, _1: number, _2: Partial<SinusoidalPositions>): TensorData;
  rotaryEmbedding(_0: Context, _1: TensorData, _2: number, _3: Partial<RotaryPositions>): TensorData;
  alibiBias(_0: Context, _1: number, _2: number, _3: number): TensorData;
  scaledDotProductAttention(
    _0: Context,
    _1: TensorData,
    _2: TensorData,
    _3: TensorData,
    _4: Partial<AttentionOptions>,
  ): AttentionResult;
  Transformer: {
    new (_0: Context, _1: Partial<TransformerConfig>, _2: Weights): Transformer;
  };
  Weights: {
    new (_0: Context, _1: 'f32' | 'int8', _2?: number): Weights;
  };
}
