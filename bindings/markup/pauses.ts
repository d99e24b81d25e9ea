/** Long loops let other tasks run, so that a page answers and an abort is heard. */

import { nextTask } from '../engine/next_task.js';
import type { Pause } from './blocks.js';

/** @param longest how long a loop runs at a time, in milliseconds */
export function pauses(signal?: AbortSignal, longest = 20): Pause {
  let begin = performance.now();
  const next = async () => {
    await nextTask();
    signal?.throwIfAborted();
    begin = performance.now();
  };
  return () => (performance.now() - begin < longest ? undefined : next());
}
