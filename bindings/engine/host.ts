/** Where an engine lives: in the calling thread, or behind a worker. The same calls reach both. */

import type {
  Call,
  ClassName,
  ConstructorArgs,
  FunctionArgs,
  FunctionName,
  FunctionResult,
  Handle,
  MadeClass,
  MethodArgs,
  MethodName,
  MethodResult,
} from './calls.js';
import type { Core, MemoryUse } from './core.js';
import { fail } from './errors.js';
import type { Choice } from './variant.js';

export type { Handle } from './calls.js';
export type { MemoryUse } from './core.js';

export abstract class Host {
  abstract readonly closed: boolean;
  abstract readonly choice: Choice;
  /** Whether the engine lives in a worker. */
  abstract readonly inWorker: boolean;
  /** As it was after the last call. */
  abstract readonly memory: MemoryUse;

  /** Ends the engine and its threads; what waits for it rejects with `disposed`. Closing it again does nothing. */
  abstract close(): Promise<void>;

  /** Frees an object; does nothing if it is gone already, alone or with its engine. */
  abstract release(handle: Handle): Promise<void>;

  protected abstract answer(call: Call): Promise<unknown>;

  // The three assertions here are where the types that Embind emits are taken at their word.

  /** Calls a function of the engine. */
  call<Name extends FunctionName>(name: Name, ...args: FunctionArgs<Name>): Promise<FunctionResult<Name>> {
    return this.answer({ kind: 'call', name, args }) as Promise<FunctionResult<Name>>;
  }

  /** Calls a method of an object inside of the engine. */
  invoke<Name extends ClassName, Method extends MethodName<Name>>(
    target: Handle<Name>,
    method: Method & string,
    ...args: MethodArgs<Name, Method>
  ): Promise<MethodResult<Name, Method>> {
    return this.answer({ kind: 'invoke', target, method, args }) as Promise<MethodResult<Name, Method>>;
  }

  /** Makes an object inside of the engine, which lives until it is released. */
  create<Name extends MadeClass>(className: Name, ...args: ConstructorArgs<Name>): Promise<Handle<Name>> {
    return this.answer({ kind: 'create', className, args }) as Promise<Handle<Name>>;
  }
}

export const disposedMessage = 'This engine was disposed of and cannot be used any more.';

/** Closes engines that were never disposed of, once nothing refers to their host any more. */
const forgotten = new FinalizationRegistry<Core>((core) => core.close());

/** The engine in the calling thread. */
export class LocalHost extends Host {
  readonly inWorker = false;
  readonly choice: Choice;
  #core: Core | undefined;

  constructor(core: Core) {
    super();
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

  async release(handle: Handle): Promise<void> {
    this.#core?.answer({ kind: 'release', handle });
  }

  async close(): Promise<void> {
    const core = this.#core;
    this.#core = undefined;
    forgotten.unregister(this);
    core?.close();
  }

  protected async answer(call: Call): Promise<unknown> {
    const core = this.#core ?? fail('disposed', disposedMessage);
    return core.answer(call);
  }
}
