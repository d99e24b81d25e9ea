/** The engine's own description of a transformer, with every field present; a family fills it in. */

export type EngineActivation =
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

/** One step on the way from hidden states to a result: activation(x W^T + b), or a layer norm. */
export type EngineHeadStep =
  | {
      readonly name: string;
      readonly outFeatures: number;
      readonly bias: boolean;
      readonly activation: EngineActivation;
    }
  | { readonly name: string; readonly eps: number };

export interface EngineHead {
  readonly steps: readonly EngineHeadStep[];
  /** Applied to the first state of each sequence alone. */
  readonly firstOnly: boolean;
}

export interface EngineConfig {
  readonly dModel: number;
  readonly numHeads: number;
  /** Fewer than `numHeads`: groups of query heads share keys and values. */
  readonly numKvHeads: number;
  /** Width of one head; 0: dModel / numHeads. */
  readonly dHead: number;
  readonly dFf: number;
  /** Width of the vectors that keys and values are made of. */
  readonly kDim: number;
  readonly vDim: number;
  readonly bias: boolean;
  /** Of the four projections of attention; default: `bias`. */
  readonly attentionBias?: boolean;
  /** Of the keys' projection, where the others have one; default true. */
  readonly keyBias?: boolean;
  /** Of the feed-forward layer; default: `bias`. */
  readonly feedForwardBias?: boolean;
  readonly activation: EngineActivation;
  readonly gated: boolean;
  readonly norm: 'post' | 'pre';
  readonly normKind: 'layer' | 'rms';
  readonly normBias: boolean;
  readonly eps: number;
  /** Factor of the scores; 0: 1 / sqrt(dHead). */
  readonly attentionScale: number;
  readonly biasKv: boolean;
  readonly zeroAttention: boolean;
  readonly numEncoderLayers: number;
  readonly numDecoderLayers: number;
  /** What the decoder has another number of than the encoder. */
  readonly decoderNumHeads?: number;
  readonly decoderNumKvHeads?: number;
  readonly decoderDHead?: number;
  readonly decoderDFf?: number;
  readonly embeddings: boolean;
  /** False: vectors go into the encoder, though token ids go into the decoder. */
  readonly encoderEmbeddings?: boolean;
  /** Kinds of tokens with an embedding of their own, added to the other. */
  readonly tokenTypes?: number;
  /** A norm of the embeddings, before the first layer. */
  readonly embeddingNorm?: boolean;
  readonly srcVocabSize: number;
  readonly tgtVocabSize: number;
  /** The output projection is the target embedding. */
  readonly tieEmbeddings: boolean;
  /** Source and target have one embedding. */
  readonly shareEmbeddings: boolean;
  readonly embeddingScale: number;
  readonly projection: boolean;
  readonly projectionBias: boolean;
  /** Of the hidden state before the output projection; default 1. */
  readonly projectionScale?: number;
  /** From the first state of an encoder alone: given as `poolerOutput`. */
  readonly pooler?: EngineHead;
  /** Between the states of an encoder alone and the logits. */
  readonly head?: EngineHead;
  readonly encoderNorm: boolean;
  readonly decoderNorm: boolean;
  readonly positions: 'none' | 'sinusoidal' | 'learned' | 'rotary' | 'alibi' | 'relative';
  readonly maxLength: number;
  /** Of the encoder's table of positions, where it is another; default: `maxLength`. */
  readonly encoderMaxLength?: number;
  readonly sinusoidLayout: 'interleaved' | 'halves' | 'fairseq';
  /** The sinusoidal position of the first token; default 0. */
  readonly positionOffset?: number;
  readonly rotaryInterleaved: boolean;
  readonly rotaryBase: number;
  readonly relativeBuckets: number;
  readonly relativeMaxDistance: number;
}

/** What a family need not mention where it is as in most models. */
export const defaultEngineConfig = {
  dHead: 0,
  gated: false,
  normKind: 'layer',
  normBias: true,
  attentionScale: 0,
  biasKv: false,
  zeroAttention: false,
  embeddings: true,
  embeddingScale: 1,
  maxLength: 0,
  sinusoidLayout: 'interleaved',
  rotaryInterleaved: false,
  rotaryBase: 10000,
  relativeBuckets: 32,
  relativeMaxDistance: 128,
} as const satisfies Partial<EngineConfig>;
