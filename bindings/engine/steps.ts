/** Work that may be long: it pauses now and then, so that others have their turn, and an abort its effect. */

import { nextTask } from './next_task.js';

export type Steps<T> = Generator<undefined, T, undefined>;

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
    await nextTask();
    signal?.throwIfAborted();
  }
}
