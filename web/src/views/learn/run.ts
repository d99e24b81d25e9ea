/** One learning from its first step to its end: one model, or two side by side that differ in their first weights. */

import { Learner } from './learner.js';
import type { Example } from './task.js';
import { tasks, type Variant } from './variants.js';

export interface Plan extends Variant {
  readonly seeds: readonly number[];
}

/** `ended` is the last one: nothing is left that could go on. */
export type Phase = 'opening' | 'learning' | 'stopped' | 'done' | 'failed' | 'ended';

type Create = Parameters<typeof Learner.open>[0];

interface Told {
  /** Loads what makes trainers. */
  readonly load: () => Promise<Create>;
  /** The next moment at which something can be drawn. */
  readonly frame: () => Promise<void>;
  /** After each step, and each change of the phase. */
  readonly onChange: () => void;
}

export class Run {
  readonly plan: Plan;
  #phase: Phase = 'opening';
  #learners: readonly Learner[] = [];
  #error: unknown;
  /** What the reader asks. */
  #own: Example | null = null;
  readonly #told: Told;
  readonly #ending = new AbortController();
  /** One thing at a time is asked of the trainers. */
  #queue: Promise<void> = Promise.resolve();

  constructor(plan: Plan, own: Example | null, told: Told) {
    this.plan = plan;
    this.#own = own;
    this.#told = told;
    void this.#guarded(() => this.#open());
  }

  get phase(): Phase {
    return this.#phase;
  }

  get learners(): readonly Learner[] {
    return this.#learners;
  }

  /** What made it fail. */
  get error(): unknown {
    return this.#error;
  }

  get steps(): number {
    return this.#learners[0]?.losses.length ?? 0;
  }

  stop(): void {
    if (this.#phase === 'learning') this.#enter('stopped');
  }

  goOn(): void {
    if (this.#phase !== 'stopped') return;
    this.#enter('learning');
    void this.#guarded(() => this.#learn());
  }

  /** What the reader asks is answered at once where it does not learn, and with its next moment where it does. */
  ask(own: Example | null): void {
    this.#own = own;
    if (this.#phase === 'stopped' || this.#phase === 'done') void this.#guarded(() => this.#keep());
  }

  /** Ends the trainers and their workers, whatever they do; idempotent. */
  async end(): Promise<void> {
    if (this.#phase !== 'ended') this.#enter('ended');
    await this.#close();
  }

  /** When nothing more is under way. */
  settled(): Promise<void> {
    return this.#queue;
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#learners.map((learner) => learner.dispose()));
  }

  async #open(): Promise<void> {
    const { signal } = this.#ending;
    const create = await this.#told.load();
    signal.throwIfAborted();
    const opening = this.plan.seeds.map((seed) =>
      // In a worker or not at all: in the page's own thread it would hold up the page.
      Learner.open(create, this.plan, { seed, signal, worker: true }),
    );
    const opened = await Promise.allSettled(opening);
    this.#learners = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    for (const one of opened) if (one.status === 'rejected') throw one.reason;
    signal.throwIfAborted();
    await Promise.all(this.#learners.map((learner) => learner.keep(this.#own, signal)));
    signal.throwIfAborted();
    this.#enter('learning');
    await this.#learn();
  }

  async #learn(): Promise<void> {
    const { signal } = this.#ending;
    const { steps } = tasks[this.plan.task];
    while (this.#phase === 'learning') {
      if (this.steps >= steps) return this.#enter('done');
      // At most one step a frame, so that each can be seen; while nobody can see the page, none.
      const frame = this.#told.frame();
      await Promise.all(this.#learners.map((learner) => learner.step(this.#own, signal)));
      this.#told.onChange();
      await frame;
    }
  }

  async #keep(): Promise<void> {
    const { signal } = this.#ending;
    await Promise.all(this.#learners.map((learner) => learner.keep(this.#own, signal)));
    this.#told.onChange();
  }

  /** After what came before it; what fails ends the run, with its trainers. */
  #guarded(action: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      if (this.#phase === 'failed') return;
      try {
        await action();
      } catch (error) {
        if (this.#phase !== 'ended') {
          this.#error = error;
          this.#enter('failed');
        }
        await this.#close();
      }
    });
    return this.#queue;
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#told.onChange();
  }
}
