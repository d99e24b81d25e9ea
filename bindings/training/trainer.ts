/** A trainer: a model that learns from batches. */

import { whenForgotten } from '../engine/forgotten.js';
import type { CheckpointSource } from '../files/folder.js';
import type { LoadModelOptions } from '../model/load_model.js';
import type { Model } from '../model/model.js';
import { border, cross } from '../values/border.js';
import { fail } from '../values/errors.js';
import type { Given } from '../values/given.js';
import { readFields, toBoolean, toSignal } from '../values/options.js';
import { asTensor, elements, type Tensor } from '../values/tensor.js';
import { readBatch, type TrainingBatch } from './batch.js';
import type { LayerAttention, TrainedParameter } from './embind.js';
import { RemoteTrainer } from './host.js';
import { planTraining, type TrainingPlan } from './plan.js';
import { readOptions, type TrainerOptions, type TrainingSettings, toEngine } from './settings.js';
import { readState, safetensorsOf, writeState } from './state_file.js';

/** The attention weights of a pass: by the path of their layer, such as 'decoder.layers.0.cross_attn'. */
export type TrainingAttentions = Record<string, Tensor>;

export interface TrainingStep {
  /** Counted from 1. */
  step: number;
  /** The mean cross-entropy of the targets that count, before the weights changed. */
  loss: number;
  /** The norm of all gradients together, before they were scaled down. */
  gradNorm: number;
  learningRate: number;
  /** With `attentions`, [batch, heads, queries, keys] each, zero where a sequence is shorter. */
  attentions?: TrainingAttentions;
}

export interface TrainingEvaluation {
  loss: number;
  /** The number of targets that count. */
  targets: number;
  /** The share of these to which the model gives the greatest logit. */
  accuracy: number;
  /** With `logits`, [tokens of the inputs, vocabulary], sequence after sequence. */
  logits?: Tensor;
  attentions?: TrainingAttentions;
}

export interface StepOptions {
  /** Whether the result has the attention weights of all layers. */
  attentions?: boolean;
  /** An abort before the step begins rejects with the signal's reason, and nothing has changed. */
  signal?: AbortSignal;
}

export interface EvaluateOptions extends StepOptions {
  /** Whether the result has the logits. */
  logits?: boolean;
}

const stepReaders = { attentions: toBoolean, signal: toSignal };
const evaluateReaders = { ...stepReaders, logits: toBoolean };

interface Made {
  readonly remote: RemoteTrainer;
  readonly plan: TrainingPlan;
  readonly settings: TrainingSettings;
  readonly parameters: readonly TrainedParameter[];
  readonly files: ReadonlyMap<string, Blob | Uint8Array>;
}

/** Ends the modules of trainers that were garbage-collected. */
const forgotten = whenForgotten<RemoteTrainer>((remote) => void remote.close());

/**
 * A model that learns, in a module and, in browsers, a worker of its own: two of them do not disturb each other. The
 * same seed, options and batches give the same bits on every machine.
 */
export class Trainer implements Disposable {
  /** The number of its trained numbers. */
  readonly parameterCount: number;
  #made: Made | undefined;

  /** @internal Made by {@link createTrainer}. */
  constructor(made: Made) {
    this.#made = made;
    this.parameterCount = made.parameters.reduce((sum, { shape }) => sum + elements(shape), 0);
    forgotten.register(this, made.remote, this);
  }

  /**
   * Changes the weights once.
   *
   * @throws TransformerError `invalid_argument` for a batch that does not fit, and for a loss or gradients that are not
   *   finite: the message names the step, and nothing has changed
   */
  async step(
    batch: TrainingBatch,
    options: StepOptions & { attentions: true },
  ): Promise<Given<TrainingStep, 'attentions'>>;
  async step(batch: TrainingBatch, options?: StepOptions): Promise<TrainingStep>;
  async step(batch: TrainingBatch, options?: StepOptions): Promise<TrainingStep> {
    const { remote, plan } = this.#alive();
    const { attentions = false, signal } = readFields(options, stepReaders);
    signal?.throwIfAborted();
    const { attentions: found, ...result } = await remote.call('step', readBatch(batch, plan), attentions);
    return { ...result, ...(attentions && { attentions: byPath(found) }) };
  }

  /** The loss of a batch, without a change. */
  async evaluate(batch: TrainingBatch, options?: EvaluateOptions): Promise<TrainingEvaluation> {
    const { remote, plan } = this.#alive();
    const { attentions = false, logits = false, signal } = readFields(options, evaluateReaders);
    signal?.throwIfAborted();
    const result = await remote.call('evaluate', readBatch(batch, plan), logits, attentions);
    const { loss, targets, correct } = result;
    return {
      loss,
      targets,
      accuracy: correct / targets,
      ...(result.logits && { logits: asTensor(result.logits) }),
      ...(attentions && { attentions: byPath(result.attentions) }),
    };
  }

  /** The number of steps that were taken, with those before the state that it began with. */
  async steps(): Promise<number> {
    return this.#alive().remote.call('steps');
  }

  /** The weights as they are, by the names that a checkpoint of this model has for them. */
  async weights(): Promise<Map<string, Tensor>> {
    const { remote, plan, parameters } = this.#alive();
    const tensors = await remote.call('weights');
    return new Map(plan.storedNames(parameters).map((name, i) => [name, asTensor(tensors[i] ?? lost())]));
  }

  /**
   * All that another trainer needs to go on from here with the same bits: `createTrainer(config, { state })`. A
   * safetensors file, of which any change is noticed.
   */
  async state(): Promise<Uint8Array> {
    const { remote, plan, settings, parameters } = this.#alive();
    return writeState({ config: plan.config, settings, state: await remote.call('state') }, parameters);
  }

  /**
   * The files of the model as a folder that `loadModel` opens: `config.json`, `model.safetensors`, and those given to
   * the trainer.
   */
  async save(): Promise<Map<string, Blob | Uint8Array>> {
    const { plan, files } = this.#alive();
    const tensors = [...(await this.weights())].map(([name, tensor]) => ({ name, ...tensor }));
    const json = `${JSON.stringify(plan.config, null, 2)}\n`;
    return new Map<string, Blob | Uint8Array>([
      ...files,
      ['config.json', new TextEncoder().encode(json)],
      ['model.safetensors', safetensorsOf(tensors)],
    ]);
  }

  /** The model as it is now, in the engine: `loadModel` of what {@link save} returns. It does not learn any more. */
  async model(options?: LoadModelOptions): Promise<Model> {
    const { loadModel } = await import('../model/load_model.js');
    return loadModel((await this.save()) as CheckpointSource, options);
  }

  /** Ends the module and its worker; pending and later calls reject with `disposed`. Idempotent. */
  async dispose(): Promise<void> {
    const made = this.#made;
    this.#made = undefined;
    forgotten.unregister(this);
    await made?.remote.close();
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #alive(): Made {
    return this.#made ?? fail('disposed', 'This trainer was disposed and can no longer be used.');
  }
}

border(Trainer, { step: 'batch options', evaluate: 'batch options', model: 'options' });

const byPath = (found: readonly LayerAttention[]): TrainingAttentions =>
  Object.fromEntries(found.map(({ path, weights }) => [path, asTensor(weights)]));

const lost = (): never => fail('internal', 'the module has fewer tensors than parameters');

/**
 * A trainer of a new model, or of one whose state was saved.
 *
 * @param config a `config.json` as an object, of a decoder or of an encoder and a decoder: our own format, or that of a
 *   family such as Llama, Qwen3 or Marian; without `model_type`, our own
 * @throws TransformerError `unsupported` for a setting that training does not know; `bad_checkpoint` for a config or a
 *   state that is damaged; `invalid_argument`, `missing_file`; an abort rejects with the signal's reason.
 * @example
 * const size = { num_decoder_layers: 1, d_model: 32, num_heads: 4, d_ff: 64, vocab_size: 12, max_length: 16 };
 * const trainer = await createTrainer(size);
 * for (const batch of batches) console.log((await trainer.step(batch)).loss);
 * const model = await trainer.model();
 */
export function createTrainer(config: object, options: TrainerOptions = {}): Promise<Trainer> {
  return cross('config options', [config, options], create);
}

async function create(config: object, options: TrainerOptions): Promise<Trainer> {
  const { settings: own, place, state: bytes, files = new Map() } = readOptions(options);
  place.signal?.throwIfAborted();
  const plan = await planTraining(config);
  const saved = bytes && (await readState(bytes));
  if (saved && JSON.stringify(saved.config) !== JSON.stringify(plan.config))
    fail('invalid_argument', 'the state is of a model with another config.json');
  const settings = { ...saved?.settings, ...own };
  const remote = await RemoteTrainer.open(plan.model, toEngine(settings), place);
  try {
    if (saved) await remote.call('restore', saved.state);
    const parameters = await remote.call('parameters');
    plan.storedNames(parameters); // throws for a model that could not be saved
    return new Trainer({ remote, plan, settings, parameters, files });
  } catch (error) {
    await remote.close();
    throw error;
  }
}
