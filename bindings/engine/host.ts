/** Access to an engine, in the calling thread or in a worker. Both accept the same calls. */

import type { GenerationProgress } from '../modules/embind.js';
import { fail } from '../values/errors.js';
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
  Run,
} from './calls.js';
import type { Core, MadeChoice, MemoryUse } from './core.js';
import { whenForgotten } from './forgotten.js';

export type { Handle } from './calls.js';
export type { MemoryUse } from './core.js';

/** Makes a layer again, in another place. */
export type MakeAgain = (host: Host) => Promise<Handle>;

export abstract class Host {
  /** The address of the folder in which the caller keeps the engine's files, if not this package's own. */
  wasmFolder: string | undefined;
  abstract readonly closed: boolean;
  abstract readonly choice: MadeChoice;
  /** Whether the engine runs in a worker. */
  abstract readonly inWorker: boolean;
  /** Whether a request waits for its reply. */
  abstract readonly isBusy: boolean;
  /** Memory use after the last call. */
  abstract readonly memory: MemoryUse;

  /** Ends the engine and its threads; pending calls reject with `disposed`. Closing again has no effect. */
  abstract close(): Promise<void>;

  /** Frees an object. Has no effect if the object or its engine is already gone. */
  abstract release(handle: Handle): Promise<void>;

  /**
   * Generates to the end and yields the progress: in a worker, which does not wait for the caller, only the latest of
   * several reports; others that share its steps do not wait either. Leaving the loop ends the run.
   *
   * @throws TransformerError; after an abort the signal's reason.
   */
  abstract run(run: Run, signal?: AbortSignal): AsyncGenerator<GenerationProgress, void, void>;

  /**
   * For hosts that can keep a layer in more than one place.
   *
   * @param keepWeights copies the layer's weights, and describes how to make it again
   */
  offer(_layer: Handle, _parameterCount: number, _keepWeights: () => MakeAgain): void {}

  /** Answers a call in the form that crosses to a worker. */
  abstract answer(call: Call): Promise<unknown>;

  // The three assertions below connect untyped answers to the types that Embind emits.

  /** Calls a function of the engine. */
  call<Name extends FunctionName>(name: Name, ...args: FunctionArgs<Name>): Promise<FunctionResult<Name>> {
    return this.answer({ kind: 'call', name, args }) as Promise<FunctionResult<Name>>;
  }

  /** Calls a method of an object in the engine. */
  invoke<Name extends ClassName, Method extends MethodName<Name>>(
    target: Handle<Name>,
    method: Method & string,
    ...args: MethodArgs<Name, Method>
  ): Promise<MethodResult<Name, Method>> {
    return this.answer({ kind: 'invoke', target, method, args }) as Promise<MethodResult<Name, Method>>;
  }

  /** Creates an object in the engine, which lives until it is released. */
  create<Name extends MadeClass>(className: Name, ...args: ConstructorArgs<Name>): Promise<Handle<Name>> {
    return this.answer({ kind: 'create', className, args }) as Promise<Handle<Name>>;
  }
}

export const disposedMessage = 'This engine was disposed and can no longer be used.';

/** Closes engines whose hosts were garbage-collected. */
const forgotten = whenForgotten<Core>((core) => core.close());

/** An engine in the calling thread. */
export class LocalHost extends Host {
  readonly inWorker = false;
  readonly isBusy = false;
  readonly choice: MadeChoice;
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

  async *run(run: Run, signal?: AbortSignal): AsyncGenerator<GenerationProgress, void, void> {
    for await (const progress of this.#open().run(run)) {
      yield progress;
      signal?.throwIfAborted();
    }
  }

  async answer(call: Call): Promise<unknown> {
    return this.#open().answer(call);
  }

  #open(): Core {
    return this.#core ?? fail('disposed', disposedMessage);
  }
}
