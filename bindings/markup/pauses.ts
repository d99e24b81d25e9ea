/** Long loops let other tasks run, so that a page answers and an abort is heard. */

import { nextTask } from '../engine/next_task.js';
import type { Pause } from './blocks.js';

/** How long a loop runs at a time, in milliseconds. */
const longest = 20;

export function pauses(signal?: AbortSignal): Pause {
  let begin = performance.now();
  const next = async () => {
    await nextTask();
    signal?.throwIfAborted();
    begin = performance.now();
  };
  return () => (performance.now() - begin < longest ? undefined : next());
}
