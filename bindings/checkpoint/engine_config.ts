/** The engine's own description of a transformer, with every field present; a family fills it in. */

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
  readonly activation: 'none' | 'relu' | 'gelu' | 'gelu_tanh' | 'silu' | 'tanh';
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
  readonly embeddings: boolean;
  readonly srcVocabSize: number;
  readonly tgtVocabSize: number;
  /** The output projection is the target embedding. */
  readonly tieEmbeddings: boolean;
  /** Source and target have one embedding. */
  readonly shareEmbeddings: boolean;
  readonly embeddingScale: number;
  readonly projection: boolean;
  readonly projectionBias: boolean;
  readonly encoderNorm: boolean;
  readonly decoderNorm: boolean;
  readonly positions: 'none' | 'sinusoidal' | 'learned' | 'rotary' | 'alibi' | 'relative';
  readonly maxLength: number;
  readonly sinusoidHalves: boolean;
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
  sinusoidHalves: false,
  rotaryInterleaved: false,
  rotaryBase: 10000,
  relativeBuckets: 32,
  relativeMaxDistance: 128,
} as const satisfies Partial<EngineConfig>;
