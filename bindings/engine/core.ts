/** The engine itself: one wasm module, its context, and a table of the C++ objects that callers hold. */

import { fail, isFatal, toTransformerError } from './errors.js';
import { findFeatures } from './features.js';
import { type EmbindObject, type EngineModule, loadModule, type Place, ThreadsFailed } from './module.js';
import { type Choice, chooseVariant, type Wanted } from './variant.js';

/** An object that lives in the engine. */
export interface Handle {
  readonly handle: number;
}

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
  readonly #context: EmbindObject;
  readonly #objects = new Map<number, EmbindObject>();
  #nextHandle = 1;
  #failure: string | undefined;

  constructor(module: EngineModule, choice: Choice) {
    this.choice = choice;
    this.#module = module;
    this.#context = this.#guard(() => new module.Context(choice.threads));
  }

  /** Calls a method of an object, or of the context (`null`); handles among the arguments become their objects. */
  call(target: Handle | null, method: string, args: readonly unknown[]): unknown {
    return this.#guard(() => invoke(this.#object(target), method, this.#resolve(args)));
  }

  /** Likewise for a method that returns a C++ object; 'Weights' and 'Weights.random' make weights. */
  create(target: Handle | null, method: string, args: readonly unknown[]): Handle {
    const made = this.#guard(() => this.#make(target, method, this.#resolve(args)));
    const handle = this.#nextHandle++;
    this.#objects.set(handle, made);
    return { handle };
  }

  /** Frees an object; does nothing if it is already free. */
  release({ handle }: Handle): void {
    const object = this.#objects.get(handle);
    this.#objects.delete(handle);
    if (object && this.#failure === undefined) this.#guard(() => object.delete());
  }

  memory(): MemoryUse {
    if (this.#failure !== undefined) return { heapBytes: 0, memoryBytes: 0 };
    return {
      heapBytes: Number(invoke(this.#context, 'heapBytes', [])),
      memoryBytes: Number(invoke(this.#context, 'memoryBytes', [])),
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

  #make(target: Handle | null, method: string, args: readonly unknown[]): EmbindObject {
    if (target === null && method === 'Weights') return new this.#module.Weights(String(args[0]));
    if (target === null && method === 'Weights.random')
      return this.#module.Weights.random(Number(args[0]), String(args[1]));
    const made = invoke(this.#object(target), method, args);
    if (!isEmbindObject(made)) fail('internal', `${method} made no object`);
    return made;
  }

  #object(target: Handle | null): EmbindObject {
    if (target === null) return this.#context;
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

function invoke(object: EmbindObject, method: string, args: readonly unknown[]): unknown {
  const found = object[method];
  if (typeof found !== 'function') fail('internal', `The engine has no ${method}`);
  return Reflect.apply(found, object, args);
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'handle' in value && typeof value.handle === 'number';

const isEmbindObject = (value: unknown): value is EmbindObject =>
  typeof value === 'object' && value !== null && 'delete' in value && typeof value.delete === 'function';
