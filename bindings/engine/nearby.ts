/**
 * A second instance of the engine, in the caller's own thread, for small calls of building blocks: the way to the worker would take
 * longer than they do.
 */

import type { Call } from './calls.js';
import type { Core, MemoryUse } from './core.js';
import { TransformerError } from './errors.js';
import { nextTask } from './next_task.js';
import { isSmall } from './small_calls.js';

/**
 * Milliseconds: whoever awaits one small call after the other stays in the queue of microtasks, where the page can neither paint nor
 * hear a click. Then a call goes to the worker, and the page has its turn meanwhile.
 */
const mostWithoutTurn = 8;

export class Nearby {
  readonly #open: () => Promise<Core>;
  #core: Core | undefined;
  #state: 'unused' | 'started' | 'closed' = 'unused';
  #turnEnds: number | undefined;

  /** @param open starts the instance, which computes the same bits as the worker's */
  constructor(open: () => Promise<Core>) {
    this.#open = open;
  }

  /** The memory of both instances. The heap is the worker's: between its calls, this one holds nothing. */
  memoryWith({ heapBytes, memoryBytes }: MemoryUse): MemoryUse {
    return { heapBytes, memoryBytes: memoryBytes + (this.#core?.memory().memoryBytes ?? 0) };
  }

  /** The result of a small call; without one, the worker is to be asked. The first small call starts the instance, for later ones. */
  answer(call: Call): { readonly value: unknown } | undefined {
    if (this.#state === 'closed' || !isSmall(call)) return undefined;
    if (this.#state === 'unused') void this.#start();
    if (!this.#core || !this.#hasTime()) return undefined;
    try {
      return { value: this.#core.answer(call) };
    } catch (error) {
      if (error instanceof TransformerError && error.code === 'invalid_argument') throw error;
      this.close(); // its memory is full or destroyed; the worker's may not be
      return undefined;
    }
  }

  close(): void {
    this.#state = 'closed';
    this.#core?.close();
    this.#core = undefined;
  }

  /** Nobody is told of a failure: the worker goes on to answer. */
  async #start(): Promise<void> {
    this.#state = 'started';
    try {
      const core = await this.#open();
      if (this.#state === 'started') this.#core = core;
      else core.close();
    } catch {
      this.close();
    }
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#turnEnds === undefined) {
      this.#turnEnds = now + mostWithoutTurn;
      void nextTask().then(() => {
        this.#turnEnds = undefined;
      });
    }
    return now < this.#turnEnds;
  }
}
