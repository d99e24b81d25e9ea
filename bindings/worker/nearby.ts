/**
 * A second instance of the engine, in the caller's own thread, for small calls of building blocks and layers: the trip
 * to the worker would take longer than they do.
 */

import type { Call } from '../engine/calls.js';
import type { Core, MemoryUse } from '../engine/core.js';
import { type Handle, LocalHost, type MakeAgain } from '../engine/host.js';
import { nextTask } from '../engine/next_task.js';
import { TransformerError } from '../values/errors.js';
import { isSmall } from './small_calls.js';

/**
 * Milliseconds: a caller that awaits one small call after the other stays in the queue of microtasks, where the page
 * can neither paint nor hear a click. Then a call goes to the worker, and the page can do both meanwhile.
 */
const mostWithoutTurn = 8;

/** A layer of the worker's that may be kept here too. */
export interface SmallLayer {
  readonly parameterCount: number;
  /** Until a small call of the layer asks for the copy. */
  makeAgain?: MakeAgain | undefined;
  /** Its handle here. */
  copy?: Handle;
}

export class Nearby {
  readonly #open: () => Promise<Core>;
  readonly #threads: number;
  readonly #layers: ReadonlyMap<number, SmallLayer>;
  /** The instance, and access to it for what makes layers. */
  #here: { readonly core: Core; readonly host: LocalHost } | undefined;
  #state: 'unused' | 'started' | 'closed' = 'unused';
  #turnEnds: number | undefined;

  /**
   * @param open starts the instance, which computes the same bits as the worker's
   * @param worker its threads, and its layers by the numbers of their handles
   */
  constructor(
    open: () => Promise<Core>,
    { threads, layers }: { threads: number; layers: ReadonlyMap<number, SmallLayer> },
  ) {
    this.#open = open;
    this.#threads = threads;
    this.#layers = layers;
  }

  /** The memory of both instances. The heap is the worker's; this one holds at most copies of small layers. */
  memoryWith({ heapBytes, memoryBytes }: MemoryUse): MemoryUse {
    return { heapBytes, memoryBytes: memoryBytes + (this.#here?.core.memory().memoryBytes ?? 0) };
  }

  /**
   * The result of a small call; without one, the worker is to be asked. The first small call starts the instance, and
   * the first one of a layer its copy, for later ones.
   */
  answer(call: Call): { readonly value: unknown } | undefined {
    const layer = call.kind === 'invoke' ? this.#layers.get(call.target.handle) : undefined;
    if (
      this.#state === 'closed' ||
      !isSmall(call, { threads: this.#threads, parameterCount: layer?.parameterCount })
    )
      return undefined;
    if (this.#state === 'unused') void this.#start();
    if (!this.#here) return undefined;
    if (layer?.makeAgain) void this.#copy(layer, layer.makeAgain);
    const own = call.kind === 'invoke' ? layer?.copy && { ...call, target: layer.copy } : call;
    if (!own || !this.#hasTime()) return undefined;
    try {
      return { value: this.#here.core.answer(own) };
    } catch (error) {
      if (error instanceof TransformerError && error.code === 'invalid_argument') throw error;
      this.close(); // its memory is full or destroyed; the worker's may not be
      return undefined;
    }
  }

  /** Frees the copy of a layer that the worker no longer has. */
  async release({ copy }: SmallLayer): Promise<void> {
    if (copy) await this.#here?.host.release(copy);
  }

  close(): void {
    this.#state = 'closed';
    void this.#here?.host.close();
    this.#here = undefined;
  }

  /** A failure is not reported: the worker keeps answering. */
  async #start(): Promise<void> {
    this.#state = 'started';
    try {
      const core = await this.#open();
      if (this.#state !== 'started') return core.close();
      this.#here = { core, host: new LocalHost(core) };
    } catch {
      this.close();
    }
  }

  /** Without a copy, the worker keeps answering. */
  async #copy(layer: SmallLayer, makeAgain: MakeAgain): Promise<void> {
    layer.makeAgain = undefined;
    await nextTask();
    try {
      if (this.#here) layer.copy = await makeAgain(this.#here.host);
    } catch {
      return;
    }
    if (![...this.#layers.values()].includes(layer)) await this.release(layer);
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
