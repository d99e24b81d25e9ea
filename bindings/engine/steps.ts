/** Long work in steps: between them other tasks run and an abort takes effect. */

import { nextTask } from './next_task.js';

export type Steps<T> = Generator<undefined, T, undefined>;

/** Letters between two pauses, or other work that takes as long: some milliseconds. */
export const lettersAtOnce = 8192;

/** The result, without pauses. */
export function atOnce<T>(work: Steps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** @throws the signal's reason; what the work throws. */
export async function withPauses<T>(work: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause(signal);
  }
}

/** The pauses of many small pieces of work: one for each of them would make a busy page's tasks part of every piece. */
export class Pauses {
  #left = lettersAtOnce;

  constructor(private readonly signal: AbortSignal | undefined) {}

  /** Pauses if the pieces since the last pause have that many letters. @throws the signal's reason. */
  async after(letters: number): Promise<void> {
    this.#left -= letters;
    if (this.#left > 0) return;
    this.#left = lettersAtOnce;
    await pause(this.signal);
  }
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await nextTask();
  signal?.throwIfAborted();
}
