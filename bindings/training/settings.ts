/** How to train: the options of `createTrainer`. */

import {
  choiceOf,
  integerFrom,
  type ReadersOf,
  readFields,
  toBe,
  toBoolean,
  toNumber,
  toSignal,
} from '../values/options.js';
import type { EmbindModule } from './embind.js';
import type { PlaceOptions } from './host.js';

/** As in PyTorch's `torch.optim.AdamW`, where it has the same. */
export interface TrainingSettings {
  /**
   * Of the weights at the beginning, which are those of `engine.transformer(config, { seed })`: the same on every
   * machine. Default 0.
   */
  seed?: number;
  /** Default 1e-3. */
  learningRate?: number;
  /** Steps in which the learning rate grows from zero along a line; default 0. */
  warmupSteps?: number;
  /** How the learning rate falls after that, to zero at `totalSteps`; default 'none'. */
  decay?: 'none' | 'linear' | 'cosine';
  /** All steps, with those of the warm-up: needed for a decay. */
  totalSteps?: number;
  /** Default [0.9, 0.999]. */
  betas?: readonly [number, number];
  /** Default 1e-8. */
  epsilon?: number;
  /** Of matrices, not of biases and norms; default 0.01. */
  weightDecay?: number;
  /** Gradients whose norm, of all together, is greater are scaled down to it; 0: never. Default 1. */
  maxGradNorm?: number;
  /** The share of a target that goes to all tokens evenly; default 0. */
  labelSmoothing?: number;
  /**
   * Default true. False: the tokens of a decoder see those after them while it trains, so that it learns to copy them,
   * and cannot generate.
   */
  causal?: boolean;
}

export interface TrainerOptions extends TrainingSettings, PlaceOptions {
  /** What `state()` of another trainer returned: this one continues where that one was. */
  state?: Uint8Array;
  /** Further files of the model, such as `tokenizer.json`: `save()` returns them with the others. */
  files?: ReadonlyMap<string, Blob | Uint8Array>;
}

const readers: ReadersOf<TrainingSettings> = {
  seed: (value, name) => integerFrom(0)(value, name),
  learningRate: toNumber,
  warmupSteps: integerFrom(0),
  decay: choiceOf(['none', 'linear', 'cosine']),
  totalSteps: integerFrom(0),
  betas: toBe(
    'two numbers',
    (value): value is [number, number] =>
      Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number'),
  ),
  epsilon: toNumber,
  weightDecay: toNumber,
  maxGradNorm: toNumber,
  labelSmoothing: toNumber,
  causal: toBoolean,
};

const placeReaders = {
  worker: toBe(
    "'auto', true or false",
    (value): value is 'auto' | boolean => value === 'auto' || typeof value === 'boolean',
  ),
  wasmUrl: toBe('a URL', (value): value is string => typeof value === 'string' && URL.canParse(value)),
  signal: toSignal,
  state: toBe('a Uint8Array', (value): value is Uint8Array => value instanceof Uint8Array),
  files: toBe(
    'a Map of files',
    (value): value is ReadonlyMap<string, Blob | Uint8Array> => value instanceof Map,
  ),
};

/** @throws TransformerError `invalid_argument` */
export function readOptions(options: unknown) {
  const { worker, wasmUrl, signal, state, files, ...settings } = readFields(options, {
    ...readers,
    ...placeReaders,
  });
  return { settings: settings as TrainingSettings, place: { worker, wasmUrl, signal }, state, files };
}

export const readSettings = (settings: unknown) => readFields(settings, readers) as TrainingSettings;

type EngineSettings = ConstructorParameters<EmbindModule['Trainer']>[2];

/** In the module's terms. */
export function toEngine({
  seed,
  labelSmoothing,
  causal,
  betas,
  ...optimizer
}: TrainingSettings): EngineSettings {
  return {
    ...given({ seed, labelSmoothing, causal }),
    optimizer: given({ ...optimizer, beta1: betas?.[0], beta2: betas?.[1] }),
  };
}

/** Without the fields that are undefined. */
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
