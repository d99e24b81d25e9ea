/** A model that learns: its trainer, its losses, and what it could do at times that are kept. */

import type { createTrainer, Trainer } from 'transformer-wasm/train';
import { type Ids, isRight, type Look, lookOf, written } from './compute.js';
import { batchOf, type Example, type Task } from './task.js';
import { settingsOf, tasks, type Variant } from './variants.js';

export interface Asked {
  readonly prompt: Ids;
  readonly answer: Ids;
  /** `null` where nobody knows what is right. */
  readonly isRight: boolean | null;
}

/** A moment that one can come back to. */
export interface Moment {
  readonly step: number;
  /** Of its last batch; `null` before the first. */
  readonly loss: number | null;
  /** Of the examples that are kept apart, how many it answers as they should be. */
  readonly right: number;
  /** And of those that it learns from, where they are few. */
  readonly byHeart: number | null;
  readonly look: Look;
  readonly fixed: Asked;
  readonly own: Asked | null;
}

/** So many moments are kept; then every second one is forgotten, and from there on half as many are added. */
export const mostMoments = 128;
/** Steps between moments, at first. */
export const firstPace = 10;

/** The batch of a step, from 0. */
export const batchFor = (task: Task, step: number) => batchOf(task, task.examples(step));

export class Learner {
  readonly losses: number[] = [];
  #moments: readonly Moment[] = [];
  #pace = firstPace;
  /** Where it looks now. */
  look: Look | null = null;
  readonly #task: Task;

  private constructor(
    private readonly trainer: Trainer,
    name: Variant['task'],
    readonly seed: number,
  ) {
    this.#task = tasks[name];
  }

  static async open(
    create: typeof createTrainer,
    variant: Variant,
    { seed, signal, ...place }: { seed: number; signal?: AbortSignal; worker?: boolean },
  ): Promise<Learner> {
    const { config, options } = settingsOf(variant, seed);
    const trainer = await create(config, { ...options, ...place, ...(signal && { signal }) });
    return new Learner(trainer, variant.task, seed);
  }

  get moments(): readonly Moment[] {
    return this.#moments;
  }

  get parameterCount(): number {
    return this.trainer.parameterCount;
  }

  /** One step, and where it looks after it; with a moment at times. */
  async step(own: Example | null, signal?: AbortSignal): Promise<void> {
    const { loss } = await this.trainer.step(batchFor(this.#task, this.losses.length), {
      ...(signal && { signal }),
    });
    this.losses.push(loss);
    this.look = await lookOf(this.trainer, this.#task, this.#fixed, signal);
    const isLast = this.losses.length === this.#task.steps;
    if (isLast || this.losses.length % this.#pace === 0) await this.keep(own, signal);
  }

  /** Keeps what it can do now; in place of the last moment, if that is of the same step. */
  async keep(own: Example | null, signal?: AbortSignal): Promise<void> {
    const { kept, learned = [] } = this.#task;
    const asked = [...kept, ...learned, ...(own ? [own] : [])];
    const answers = await written(
      this.trainer,
      this.#task,
      asked.map(({ prompt }) => prompt),
      signal,
    );
    this.look ??= await lookOf(this.trainer, this.#task, this.#fixed, signal);
    const count = (examples: readonly Example[], from: number) =>
      examples.filter((example, i) => isRight(example, answers[from + i] ?? [])).length;
    const answerOf = (example: Example, i: number): Asked => ({
      prompt: example.prompt,
      answer: answers[i] ?? [],
      isRight: example.answer.length > 0 ? isRight(example, answers[i] ?? []) : null,
    });
    const moment: Moment = {
      step: this.losses.length,
      loss: this.losses.at(-1) ?? null,
      right: count(kept, 0),
      byHeart: learned.length > 0 ? count(learned, kept.length) : null,
      look: this.look,
      fixed: answerOf(this.#fixed, 0),
      own: own ? answerOf(own, asked.length - 1) : null,
    };
    this.#moments = [...this.#moments.filter(({ step }) => step !== moment.step), moment];
    if (this.#moments.length > mostMoments) this.#thin();
  }

  dispose(): Promise<void> {
    return this.trainer.dispose();
  }

  #thin(): void {
    this.#pace *= 2;
    const last = this.#moments.length - 1;
    this.#moments = this.#moments.filter(({ step }, i) => step % this.#pace === 0 || i === last);
  }

  get #fixed(): Example {
    return this.#task.kept[0] as Example;
  }
}
