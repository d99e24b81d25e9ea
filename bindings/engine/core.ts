/** The engine itself: one wasm module, its context, and a table of the C++ objects that callers hold. */

import type { Call, ClassName, Handle } from './calls.js';
import type { Context } from './embind.js';
import { fail, isFatal, toTransformerError } from './errors.js';
import { findFeatures } from './features.js';
import { type EmbindObject, type EngineModule, loadModule, type Place, ThreadsFailed } from './module.js';
import { type Choice, chooseVariant, type Wanted } from './variant.js';

/** Bytes of the wasm heap that are in use, and the size of the wasm memory, which only grows. */
export interface MemoryUse {
  readonly heapBytes: number;
  readonly memoryBytes: number;
}

/** Chooses a variant, loads it and starts its threads. */
export async function openCore(wanted: Wanted, place: Place): Promise<Core> {
  const choice = chooseVariant(await findFeatures(), wanted);
  try {
    return new Core(await loadModule(choice.variant, choice.threads, place), choice);
  } catch (error) {
    if (!(error instanceof ThreadsFailed)) throw error;
    const alone = chooseVariant(await findFeatures(), { ...wanted, threads: 1 });
    const notes = [...alone.notes.slice(0, -1), `One thread. ${error.message}`];
    return new Core(await loadModule(alone.variant, 1, place), { ...alone, notes });
  }
}

/** Objects of failed engines: kept, because C++ destructors must not run in memory that cannot be trusted. */
const wrecks: unknown[] = [];

export class Core {
  readonly choice: Choice;
  readonly #module: EngineModule;
  readonly #context: Context;
  readonly #objects = new Map<number, EmbindObject>();
  #nextHandle = 1;
  #failure: string | undefined;

  constructor(module: EngineModule, choice: Choice) {
    this.choice = choice;
    this.#module = module;
    this.#context = this.#guard(() => new module.Context(choice.threads));
  }

  /** Carries out a request; handles among the arguments become their objects, a new object becomes a handle. */
  answer(call: Call): unknown {
    switch (call.kind) {
      case 'call':
        return this.#guard(() =>
          Reflect.apply(callable(this.#module, call.name), this.#module, [
            this.#context,
            ...this.#resolve(call.args),
          ]),
        );
      case 'invoke':
        return this.#guard(() => {
          const object = this.#object(call.target);
          return Reflect.apply(callable(object, call.method), object, this.#resolve(call.args));
        });
      case 'create':
        return this.#create(call.className, call.args);
      case 'release':
        return this.#release(call.handle);
    }
  }

  memory(): MemoryUse {
    if (this.#failure !== undefined) return { heapBytes: 0, memoryBytes: 0 };
    return {
      heapBytes: this.#module.heapBytes(this.#context),
      memoryBytes: this.#module.memoryBytes(this.#context),
    };
  }

  /** Frees everything, then ends the threads; in this order, since the context waits for its threads to finish. */
  close(): void {
    if (this.#failure === undefined) {
      for (const object of this.#objects.values()) object.delete();
      this.#context.delete();
    }
    this.#objects.clear();
    this.#module.PThread?.terminateAllThreads();
  }

  #create(className: ClassName, args: readonly unknown[]): Handle {
    const made: unknown = this.#guard(() =>
      Reflect.construct(callable(this.#module, className), [this.#context, ...this.#resolve(args)]),
    );
    if (!isEmbindObject(made)) fail('internal', `${className} made no object`);
    const handle = this.#nextHandle++;
    this.#objects.set(handle, made);
    return { handle, className };
  }

  /** An object that was freed already stays so. */
  #release({ handle }: Handle): void {
    const object = this.#objects.get(handle);
    this.#objects.delete(handle);
    if (object && this.#failure === undefined) this.#guard(() => object.delete());
  }

  #object(target: Handle): EmbindObject {
    return (
      this.#objects.get(target.handle) ??
      fail('disposed', 'This was disposed of and cannot be used any more.')
    );
  }

  #resolve(args: readonly unknown[]): unknown[] {
    return args.map((arg) => (isHandle(arg) ? this.#object(arg) : arg));
  }

  /** A C++ error only concerns the call; after a trap nothing in the wasm memory can be relied on. */
  #guard<T>(work: () => T): T {
    if (this.#failure !== undefined)
      fail('internal', `The engine failed before (${this.#failure}) and cannot go on: create a new one.`);
    try {
      return work();
    } catch (error) {
      const failure = toTransformerError(error);
      if (isFatal(error)) {
        this.#failure = failure.message;
        wrecks.push(this.#module, this.#context, [...this.#objects.values()]);
      }
      throw failure;
    }
  }
}

// biome-ignore lint/complexity/noBannedTypes: what Reflect calls; the types of a call are checked where it is made.
function callable(owner: object, name: string): Function {
  const found: unknown = Reflect.get(owner, name);
  return typeof found === 'function' ? found : fail('internal', `The engine has no ${name}`);
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'handle' in value && 'className' in value;

const isEmbindObject = (value: unknown): value is EmbindObject =>
  typeof value === 'object' && value !== null && 'delete' in value && typeof value.delete === 'function';
