/** Where an engine lives: in the calling thread, or behind a worker. The same calls reach both. */

import type { Core, Handle, MemoryUse } from './core.js';
import { fail } from './errors.js';
import type { Choice } from './variant.js';

export type { Handle, MemoryUse } from './core.js';

export interface Host {
  /** Calls a method of an object of the engine, or of its context (`null`). Handles may stand among the arguments. */
  call<T>(target: Handle | null, method: string, ...args: unknown[]): Promise<T>;
  /** Likewise for a method that makes an object; 'Weights' and 'Weights.random' of `null` make weights. */
  create(target: Handle | null, method: string, ...args: unknown[]): Promise<Handle>;
  /** Frees an object; does nothing if it is gone already, alone or with its engine. */
  release(handle: Handle): Promise<void>;
  readonly closed: boolean;
  /** Ends the engine and its threads; what waits for it rejects with `disposed`. Closing it again does nothing. */
  close(): Promise<void>;
  readonly choice: Choice;
  /** Whether the engine lives in a worker. */
  readonly inWorker: boolean;
  /** As it was after the last call. */
  readonly memory: MemoryUse;
}

export const disposedMessage = 'This engine was disposed of and cannot be used any more.';

/** Closes engines that were never disposed of, once nothing refers to their host any more. */
const forgotten = new FinalizationRegistry<Core>((core) => core.close());

/** The engine in the calling thread. */
export class LocalHost implements Host {
  readonly inWorker = false;
  readonly choice: Choice;
  #core: Core | undefined;

  constructor(core: Core) {
    this.#core = core;
    this.choice = core.choice;
    forgotten.register(this, core, this);
  }

  get closed(): boolean {
    return this.#core === undefined;
  }

  get memory(): MemoryUse {
    return this.#core?.memory() ?? { heapBytes: 0, memoryBytes: 0 };
  }

  async call<T>(target: Handle | null, method: string, ...args: unknown[]): Promise<T> {
    return this.#open().call(target, method, args) as T;
  }

  async create(target: Handle | null, method: string, ...args: unknown[]): Promise<Handle> {
    return this.#open().create(target, method, args);
  }

  async release(handle: Handle): Promise<void> {
    this.#core?.release(handle);
  }

  async close(): Promise<void> {
    const core = this.#core;
    this.#core = undefined;
    forgotten.unregister(this);
    core?.close();
  }

  #open(): Core {
    return this.#core ?? fail('disposed', disposedMessage);
  }
}
