/**
 * What the wasm module has, as Embind emits it from bindings/embind: made by the build, not by hand. A name that changes
 * in C++ is a type error here.
 */

import type { TensorData } from '../values/tensor.js';

export interface Context {
  delete(): void;
}

export interface DecoderLayer {
  delete(): void;
  forward(_0: TensorData, _1: TensorData, _2: Partial<DecoderLayerOptions>): TensorData;
  parameterCount(): number;
}

export interface EmbindModule {
  Context: {
    new (_0: number): Context;
  };
  DecoderLayer: {
    new (_0: Context, _1: Partial<LayerConfig>, _2: Weights): DecoderLayer;
  };
  EncoderLayer: {
    new (_0: Context, _1: Partial<LayerConfig>, _2: Weights): EncoderLayer;
  };
  FeedForward: {
    new (_0: Context, _1: Partial<FeedForwardConfig>, _2: Weights): FeedForward;
  };
  Generation: {
    new (_0: Context, _1: Model, _2: Partial<GenerationInput>, _3: Partial<GenerationOptions>): Generation;
  };
  Linear: {
    new (_0: Context, _1: Partial<LinearConfig>, _2: Weights): Linear;
  };
  Model: Record<string, never>;
  MultiHeadAttention: {
    new (_0: Context, _1: Partial<AttentionConfig>, _2: Weights): MultiHeadAttention;
  };
  PatchEmbedding: {
    new (_0: Context, _1: Partial<PatchEmbeddingConfig>, _2: Weights): PatchEmbedding;
  };
  RecurrentLayers: {
    new (_0: Context, _1: Partial<RecurrentLayersConfig>, _2: Weights): RecurrentLayers;
  };
  RecurrentModel: {
    new (_0: Context, _1: Partial<RecurrentConfig>, _2: Weights): RecurrentModel;
  };
  Transformer: {
    new (_0: Context, _1: Partial<TransformerConfig>, _2: Weights): Transformer;
  };
  Weights: {
    new (_0: Context, _1: 'auto' | 'f32' | 'int8' | 'int4' | 'bergamot', _2?: number): Weights;
  };
  activationBits(_0: Context, _1: 'auto' | 'f32' | 'int8' | 'int4' | 'bergamot'): number;
  additiveAttention(
    _0: Context,
    _1: TensorData,
    _2: TensorData,
    _3: Partial<AdditiveOptions>,
  ): ScoredAttention;
  alibiBias(_0: Context, _1: number, _2: number, _3: number): TensorData;
  dtypeOf(
    _0: Context,
    _1: 'auto' | 'f32' | 'int8' | 'int4' | 'bergamot',
    _2: 'factor' | 'embedding' | 'table',
  ): 'auto' | 'f32' | 'int8' | 'int4' | 'bergamot';
  heapBytes(): number;
  layerNorm(_0: Context, _1: TensorData, _2: Partial<NormOptions>): TensorData;
  luongAttention(_0: Context, _1: TensorData, _2: TensorData, _3: Partial<LuongOptions>): ScoredAttention;
  machineLimits(_0: Context, _1: number): MachineLimits;
  matmul(_0: Context, _1: TensorData, _2: TensorData): TensorData;
  memoryBytes(): number;
  positionalEncoding(_0: Context, _1: number, _2: Partial<SinusoidalPositions>): TensorData;
  quantizeRows(_0: Context, _1: Uint8Array, _2: RowsToQuantize): QuantizedRows;
  rmsNorm(_0: Context, _1: TensorData, _2: Partial<NormOptions>): TensorData;
  rotaryEmbedding(_0: Context, _1: TensorData, _2: number, _3: Partial<RotaryPositions>): TensorData;
  scaledDotProductAttention(
    _0: Context,
    _1: TensorData,
    _2: TensorData,
    _3: TensorData,
    _4: Partial<AttentionOptions>,
  ): AttentionResult;
  softmax(_0: Context, _1: TensorData): TensorData;
}

export interface EncoderLayer {
  delete(): void;
  forward(_0: TensorData, _1: Partial<SelfMasks>): TensorData;
  parameterCount(): number;
}

export interface FeedForward {
  delete(): void;
  forward(_0: TensorData): TensorData;
  parameterCount(): number;
}

export interface Generation {
  advance(_0: number, _1: boolean): GenerationProgress;
  allow(_0: number, _1: number[][]): void;
  assist(_0: Model): void;
  delete(): void;
  openRows(_0: number): number[][];
  profile(): ProfiledPart[];
}

export interface Linear {
  delete(): void;
  forward(_0: TensorData): TensorData;
  parameterCount(): number;
}

export interface Model {
  delete(): void;
  forward(
    _0: TensorData | { data: Int32Array; shape: number[] } | undefined,
    _1: TensorData | { data: Int32Array; shape: number[] } | undefined,
    _2: Partial<PassOptions>,
  ): PassOutput;
  limitPrefixes(_0: number): number;
  parameterCount(): number;
  recalledTokens(): number;
  restorePrefix(_0: Int32Array, _1: number, _2: TensorData): boolean;
  score(_0: Int32Array[], _1: Int32Array[], _2: Int32Array[]): Hypothesis[];
  setPieces(_0: Int32Array, _1: Int32Array, _2: Int32Array): void;
  storedPrefix(_0: Int32Array, _1: number): TensorData;
  weightBytes(): number;
}

export interface MultiHeadAttention {
  delete(): void;
  forward(_0: TensorData, _1: TensorData, _2: TensorData, _3: Partial<MultiHeadOptions>): MultiHeadResult;
  parameterCount(): number;
}

export interface PatchEmbedding {
  delete(): void;
  forward(_0: TensorData): TensorData;
  parameterCount(): number;
}

export interface RecurrentLayers {
  delete(): void;
  forward(_0: TensorData, _1: Partial<RecurrentState>): RecurrentResult;
  parameterCount(): number;
}

export interface RecurrentModel extends Model {
  delete(): void;
}

export interface Transformer extends Model {
  decode(
    _0: TensorData | { data: Int32Array; shape: number[] },
    _1: TensorData | undefined,
    _2: Partial<DecodeOptions>,
  ): Decoded;
  delete(): void;
  encode(
    _0: TensorData | { data: Int32Array; shape: number[] } | undefined,
    _1: Partial<EncodeOptions>,
  ): TensorData;
  takeSentenceSteps(_0: Partial<HeadStep>[], _1: number, _2: Weights): void;
}

export interface Weights {
  add(_0: string, _1: number): void;
  declare(
    _0: string,
    _1: number[],
    _2:
      | 'F32'
      | 'F16'
      | 'BF16'
      | 'F64'
      | 'I8'
      | 'Q4_0'
      | 'Q4_1'
      | 'Q5_0'
      | 'Q5_1'
      | 'Q8_0'
      | 'Q2_K'
      | 'Q3_K'
      | 'Q4_K'
      | 'Q5_K'
      | 'Q6_K',
    _3: 'factor' | 'embedding' | 'table',
  ): void;
  delete(): void;
  drop(_0: string): void;
  fixScales(_0: string, _1: number, _2: number): void;
  hold(_0: string, _1: number): void;
  names(): string[];
  outline(): void;
  pairRows(_0: string, _1: number, _2: number): void;
  problems(): string[];
  scale(_0: string, _1: Float32Array, _2: number): void;
  take(_0: string, _1: number[]): TensorData;
  unpack(_0: string, _1: number[], _2: PackedLayout, _3: number, _4: 'factor' | 'embedding' | 'table'): void;
  view(_0: string, _1: number[], _2: string, _3: StridedView, _4: 'factor' | 'embedding' | 'table'): void;
  write(_0: string, _1: number, _2: Uint8Array): void;
}

export type AdditiveOptions = {
  Ws: TensorData | undefined;
  Wh: TensorData | undefined;
  v: TensorData | undefined;
  bias: TensorData | undefined;
  values: TensorData | undefined;
  mask: TensorData | undefined;
};

export type AlibiPositions = {
  scale: number;
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
  scoreCap: number;
  biasKv: boolean;
  zeroAttention: boolean;
  queryKeyNorm: 'none' | 'head' | 'heads' | 'width';
  normAfterRotation: boolean;
};

export type AttentionOptions = {
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  isCausal: boolean;
  window: number;
  scale: number | undefined;
  needWeights: boolean;
};

export type AttentionPoolConfig = {
  numHeads: number;
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
  norm: Partial<NormConfig>;
};

export type AttentionResult = {
  output: TensorData;
  weights: TensorData | undefined;
};

export type ContrastConfig = {
  embeds: boolean;
  compares: boolean;
  bias: boolean;
};

export type ConvolutionConfig = {
  name: string;
  outWidth: number;
  window: number;
  stride: number;
  padding: number;
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
  norm: boolean;
};

export type DecodeOptions = {
  trace: string[];
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  keyPaddingMask: TensorData | undefined;
  isCausal: boolean;
  memoryMask: TensorData | undefined;
  memoryBias: TensorData | undefined;
  memoryKeyPaddingMask: TensorData | undefined;
};

export type Decoded = {
  output: TensorData | undefined;
  logits: TensorData | undefined;
  trace: Traced[];
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

export type DisentangledPositions = {
  buckets: number;
  maxDistance: number;
  span: number;
  normEps: number;
  contentToPosition: boolean;
  positionToContent: boolean;
  shareProjections: boolean;
};

export type Edit = {
  at: string;
  rows: Int32Array;
  positions: Int32Array;
  heads: Int32Array;
  kind: 'set' | 'add' | 'scale';
  values: TensorData;
  inSteps: boolean;
};

export type EncodeOptions = {
  media: { values: TensorData; mask?: TensorData | undefined; grids?: Int32Array | undefined } | undefined;
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  keyPaddingMask: TensorData | undefined;
  isCausal: boolean;
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

export type FramesConfig = {
  bands: number;
  frames: number;
  convolutions: Partial<ConvolutionConfig>[];
};

export type GenerationInput = {
  sources: Int32Array[];
  sourceVectors: TensorData | undefined;
  media: { values: TensorData; mask?: TensorData | undefined; grids?: Int32Array | undefined } | undefined;
  memory: TensorData | undefined;
  prompts: Int32Array[];
  padding: Int32Array;
  shortlists: Int32Array[];
  formNodes: Int32Array;
  formEdges: Int32Array;
  formBegun: number;
  heads: HeadFactor[];
  edits: Edit[];
  profile: boolean;
};

export type GenerationOptions = {
  maxNewTokens: number;
  minNewTokens: number;
  maxLengthFactor: number;
  eosTokenId: number[];
  padTokenId: number;
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
  firstTimestampId: number;
  maxInitialTimestampIndex: number;
  promptLookupNumTokens: number;
  numAssistantTokens: number;
  topLogprobs: number;
  shortlist: number[];
};

export type GenerationProgress = {
  done: boolean;
  certain: Int32Array[];
  results: Hypothesis[][];
};

export type GridPositionsConfig = {
  name: string;
  rows: number;
  columns: number;
  ofPrefix: number;
  fixed: boolean;
  cubic: number;
  antialias: boolean;
};

export type HeadConfig = {
  steps: Partial<HeadStep>[];
  reads: 'each' | 'first' | 'mean' | 'last_is' | 'last_is_not' | 'first_is' | 'first_and_mean' | 'pool';
  id: number;
  prefix: number;
};

export type HeadFactor = {
  head: string;
  factor: number;
};

export type HeadStep = {
  name: string;
  outFeatures: number;
  unit: boolean;
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

export type Hypothesis = {
  ids: Int32Array;
  score: number;
  tokenScores: Float32Array;
  topIds: Int32Array;
  topScores: Float32Array;
};

export type LayerConfig = {
  dModel: number;
  normPlace: 'post' | 'pre' | 'pre_residual' | 'parallel' | 'branch' | 'sandwich';
  residualScale: number;
  layerScale: boolean;
  ssru: boolean;
  attention: Partial<AttentionConfig>;
  feedForward: Partial<FeedForwardConfig>;
  norm: Partial<NormConfig>;
};

export type LearnedPositions = {
  maxLength: number;
};

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

export type MachineLimits = {
  flopsPerSecond: number;
  integerOpsPerSecond: number;
  bytesPerSecond: number;
};

export type MultiHeadOptions = {
  needWeights: boolean;
  averageWeights: boolean;
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  keyPaddingMask: TensorData | undefined;
  isCausal: boolean;
};

export type MultiHeadResult = {
  output: TensorData;
  weights: TensorData | undefined;
};

export type NoFrontEnd = Record<string, never>;

export type NoPositions = Record<string, never>;

export type NormConfig = {
  kind: 'layer' | 'rms';
  eps: number;
  bias: boolean;
};

export type NormOptions = {
  weight: TensorData | undefined;
  bias: TensorData | undefined;
  eps: number;
};

export type PackedLayout = {
  kind: 'compressed' | 'gptq' | 'gptq_v2' | 'awq';
  transposed: boolean;
  inputsFirst: boolean;
  inputs: number;
  outputs: number;
  groupSize: number;
  scaleType:
    | 'F32'
    | 'F16'
    | 'BF16'
    | 'F64'
    | 'I8'
    | 'Q4_0'
    | 'Q4_1'
    | 'Q5_0'
    | 'Q5_1'
    | 'Q8_0'
    | 'Q2_K'
    | 'Q3_K'
    | 'Q4_K'
    | 'Q5_K'
    | 'Q6_K';
  integers: string;
  scales: string;
  zeros: string;
  order: string;
  shape: string;
};

export type PassOptions = {
  tokenTypes: Int32Array;
  media: { values: TensorData; mask?: TensorData | undefined; grids?: Int32Array | undefined } | undefined;
  others: TensorData | undefined;
  sentence: SentenceCall | undefined;
  isCausal: boolean;
  skipPadding: boolean;
  skipLogits: boolean;
  columns: number;
  outputAttentions: boolean;
  outputHiddenStates: boolean;
  lastStateBeforeNorm: string;
  trace: string[];
  heads: HeadFactor[];
  edits: Edit[];
  profile: boolean;
  memoryMask: TensorData | undefined;
  memoryBias: TensorData | undefined;
  memoryKeyPaddingMask: TensorData | undefined;
  srcMask: TensorData | undefined;
  srcBias: TensorData | undefined;
  srcKeyPaddingMask: TensorData | undefined;
  tgtMask: TensorData | undefined;
  tgtBias: TensorData | undefined;
  tgtKeyPaddingMask: TensorData | undefined;
};

export type PassOutput = {
  output: TensorData | undefined;
  logits: TensorData | undefined;
  poolerOutput: TensorData | undefined;
  encoderOutput: TensorData | undefined;
  embeds: TensorData | undefined;
  similarities: TensorData | undefined;
  transposed: TensorData | undefined;
  mediaMask: TensorData | undefined;
  grid: number[];
  encoderAttentions: TensorData[];
  decoderAttentions: TensorData[];
  crossAttentions: TensorData[];
  encoderHiddenStates: TensorData[];
  decoderHiddenStates: TensorData[];
  trace: Traced[];
  profile: ProfiledPart[];
};

export type PatchEmbeddingConfig = {
  dModel: number;
  patches: Partial<PatchesConfig>;
};

export type PatchesConfig = {
  channels: number;
  height: number;
  width: number;
  patch: number;
  prefix: Partial<PrefixVectors>[];
  bias: boolean;
  positions: Partial<GridPositionsConfig>;
  sizes: 'fixed' | 'any' | 'patches';
};

export type PrefixVectors = {
  name: string;
  count: number;
};

export type ProfiledPart = {
  path: string;
  flops: number;
  weightBytes: number;
  stateBytes: number;
  milliseconds: number;
};

export type ProjectionConfig = {
  vocab: number;
  bias: boolean;
  tied: boolean;
  scale: number;
  cap: number;
};

export type QuantizationError = {
  largest: number;
  squares: number;
  ofSquares: number;
};

export type QuantizedRows = {
  integers: Uint8Array;
  scales: Uint8Array;
  finite: boolean;
  error: QuantizationError;
};

export type RecurrentConfig = {
  design: 'bahdanau' | 'luong';
  cell: 'gru' | 'lstm';
  srcVocabSize: number;
  tgtVocabSize: number;
  dEmbedding: number;
  hiddenSize: number;
  numLayers: number;
  bidirectional: boolean;
  score: 'dot' | 'general' | 'concat' | 'none';
  dAttention: number;
  window: number;
  dReadout: number;
  maxout: boolean;
  shareEmbeddings: boolean;
  tieEmbeddings: boolean;
  projectionBias: boolean;
};

export type RecurrentLayersConfig = {
  cell: 'gru' | 'lstm';
  inputSize: number;
  hiddenSize: number;
  numLayers: number;
  bidirectional: boolean;
  bias: boolean;
};

export type RecurrentResult = {
  output: TensorData;
  hidden: TensorData;
  cell: TensorData | undefined;
};

export type RecurrentState = {
  lengths: Int32Array;
  hidden: TensorData | undefined;
  cell: TensorData | undefined;
};

export type RelativePositions = {
  buckets: number;
  maxDistance: number;
  perLayer: boolean;
};

export type RotaryPositions = {
  maxLength: number;
  layout: 'interleaved' | 'halves';
  base: number;
  frequencies: number[];
  dynamicLength: number;
  dynamicFactor: number;
  longFrequencies: number[];
  scale: number;
  axial: boolean;
  prefix: number;
};

export type RowsToQuantize = {
  stored:
    | 'F32'
    | 'F16'
    | 'BF16'
    | 'F64'
    | 'I8'
    | 'Q4_0'
    | 'Q4_1'
    | 'Q5_0'
    | 'Q5_1'
    | 'Q8_0'
    | 'Q2_K'
    | 'Q3_K'
    | 'Q4_K'
    | 'Q5_K'
    | 'Q6_K';
  columns: number;
  dtype: 'auto' | 'f32' | 'int8' | 'int4' | 'bergamot';
  purpose: 'factor' | 'embedding' | 'table';
};

export type ScoredAttention = {
  context: TensorData;
  weights: TensorData;
  scores: TensorData;
};

export type SelfMasks = {
  mask: TensorData | undefined;
  bias: TensorData | undefined;
  keyPaddingMask: TensorData | undefined;
  isCausal: boolean;
};

export type SentenceCall = {
  pooling: ('cls' | 'max' | 'mean' | 'mean_sqrt_len' | 'lasttoken')[];
  skipped: number;
  unitSteps: boolean;
  dimensions: number;
  unit: boolean;
};

export type SinusoidalPositions = {
  maxLength: number;
  layout: 'interleaved' | 'halves' | 'fairseq';
  offset: number;
  base: number;
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
  otherPositions:
    | { none: Partial<NoPositions> }
    | { sinusoidal: Partial<SinusoidalPositions> }
    | { learned: Partial<LearnedPositions> }
    | { rotary: Partial<RotaryPositions> }
    | { alibi: Partial<AlibiPositions> }
    | { relative: Partial<RelativePositions> }
    | { disentangled: Partial<DisentangledPositions> };
  otherLayers: number[];
  vocab: number;
  tokenTypes: number;
  inputPositions: number;
  embeddingNorm: boolean;
  normBeforePositions: boolean;
  embeddingWidth: number;
  layerGroups: number;
  windows: number[];
  norm: boolean;
  firstNorm: boolean;
  zeroStart: boolean;
  layer: Partial<LayerConfig>;
};

export type StridedView = {
  dims: number[];
  strides: number[];
  offset: number;
};

export type Traced = {
  name: string;
  path: string;
  tensor: TensorData;
};

export type TransformerConfig = {
  scope: string;
  shareEmbeddings: boolean;
  memoryProjection: boolean;
  embeddingScale: number;
  front:
    | { none: Partial<NoFrontEnd> }
    | { frames: Partial<FramesConfig> }
    | { patches: Partial<PatchesConfig> };
  encoder: Partial<StackConfig>;
  decoder: Partial<StackConfig>;
  pool: Partial<AttentionPoolConfig>;
  pooler: Partial<HeadConfig>;
  head: Partial<HeadConfig>;
  contrast: Partial<ContrastConfig>;
  projection: Partial<ProjectionConfig>;
};
