/**
 * `transformer-wasm/train`: transformers that learn, in a small module of its own, which nothing else loads.
 * @module transformer-wasm/train
 */

export type { TokenIds, TrainingBatch } from './training/batch.js';
export type { PlaceOptions } from './training/host.js';
export type { TrainerOptions, TrainingSettings } from './training/settings.js';
export {
  createTrainer,
  type EvaluateOptions,
  type StepOptions,
  Trainer,
  type TrainingAttentions,
  type TrainingEvaluation,
  type TrainingStep,
} from './training/trainer.js';
