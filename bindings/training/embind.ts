/**
 * What the wasm module has, as Embind emits it from bindings/embind: made by the build, not by hand. A name that changes
 * in C++ is a type error here.
 */

import type { Context, TransformerConfig } from '../modules/embind.js';
import type { TensorData } from '../values/tensor.js';

export interface EmbindModule {
  Context: {
    new (_0: number): Context;
  };
  Trainer: {
    new (_0: Context, _1: Partial<TransformerConfig>, _2: Partial<TrainingSettings>): Trainer;
  };
  heapBytes(): number;
  memoryBytes(): number;
}

export interface Trainer {
  delete(): void;
  evaluate(_0: TokenBatch, _1: boolean, _2: boolean): TrainingEvaluation;
  parameters(): TrainedParameter[];
  restore(_0: TrainingState): void;
  state(): TrainingState;
  step(_0: TokenBatch, _1: boolean): TrainingStep;
  steps(): number;
  weights(): TensorData[];
}

export type LayerAttention = {
  path: string;
  weights: TensorData;
};

export type Optimizer = {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  maxGradNorm: number;
  warmupSteps: number;
  totalSteps: number;
  decay: 'none' | 'linear' | 'cosine';
};

export type TokenBatch = {
  source: TokenRows;
  inputs: TokenRows;
  targets: Int32Array;
};

export type TokenRows = {
  ids: Int32Array;
  offsets: Int32Array;
};

export type TrainedParameter = {
  name: string;
  shape: number[];
};

export type TrainingEvaluation = {
  loss: number;
  targets: number;
  correct: number;
  logits: TensorData | undefined;
  attentions: LayerAttention[];
};

export type TrainingSettings = {
  seed: number;
  labelSmoothing: number;
  causal: boolean;
  optimizer: Partial<Optimizer>;
};

export type TrainingState = {
  steps: number;
  tensors: TensorData[];
};

export type TrainingStep = {
  step: number;
  loss: number;
  gradNorm: number;
  learningRate: number;
  attentions: LayerAttention[];
};
