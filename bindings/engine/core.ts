/** The engine itself: a wasm module, its context, and a table of the C++ objects that callers hold handles to. */

import type { Context, GenerationProgress } from '../modules/embind.js';
import { findFeatures } from '../modules/features.js';
import type { CompiledModule, CopyNumbers, EngineModule } from '../modules/glue.js';
import { type EmbindObject, loadModule, type Place, ThreadsFailed } from '../modules/module.js';
import { type Choice, chooseVariant, type Wanted } from '../modules/variant.js';
import { fail, isFatal, toTransformerError } from '../values/errors.js';
import type { Call, ClassName, Handle, Run } from './calls.js';
import { fingerprint } from './fingerprint.js';
import { nextTask } from './next_task.js';

/** Bytes in use on the wasm heap, and the size of the wasm memory, which never shrinks. */
export interface MemoryUse {
  readonly heapBytes: number;
  readonly memoryBytes: number;
}

/** A choice, with the hash of what the engine computes: see {@link fingerprint}. */
export interface MadeChoice extends Choice {
  readonly fingerprint: string;
  /** The SHA-256 of the .wasm file. */
  readonly wasmHash: string;
}

/** Chooses a variant, loads it and starts its threads. */
export async function openCore(wanted: Wanted, place: Place): Promise<Core> {
  const choice = chooseVariant(await findFeatures(), wanted);
  try {
    return await startCore(choice, place);
  } catch (error) {
    if (!(error instanceof ThreadsFailed)) throw error;
    const alone = chooseVariant(await findFeatures(), {
      ...wanted,
      oneThread: `One thread. ${error.message}`,
    });
    return startCore(alone, place);
  }
}

/** Loads the chosen variant and starts its threads. */
export const startCore = async (choice: Choice & Partial<MadeChoice>, place: Place): Promise<Core> =>
  new Core(await loadModule(choice.variant, choice.threads, place), choice);

/** How long a generation computes between two reports. Aborts and other calls wait for as long. */
const millisecondsPerReport = 10;

/** Remains of failed engines, kept from being finalised: C++ destructors must not run in corrupted memory. */
const failedEngines: unknown[] = [];

export class Core {
  readonly choice: MadeChoice;
  readonly #module: EngineModule;
  readonly #context: Context;
  readonly #objects = new Map<number, EmbindObject>();
  #nextHandle = 1;
  #failure: string | undefined;

  /** @param choice with its fingerprint if another instance has computed it, which takes some milliseconds */
  constructor(module: EngineModule, choice: Choice & Partial<MadeChoice>) {
    this.#module = module;
    this.#context = this.#guard(() => new module.Context(choice.threads));
    this.choice = {
      ...choice,
      wasmHash: module.wasmHash,
      fingerprint: choice.fingerprint ?? fingerprint(module, (call) => this.answer(call)),
    };
  }

  get compiled(): CompiledModule {
    return this.#module.compiled;
  }

  /** Carries out a request; replaces handles among the arguments by their objects, and a new object by a handle. */
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

  /** The same; `copy` copies arrays out of the engine's memory. By default each array has a buffer of its own. */
  answerInto(copy: CopyNumbers, call: Call): unknown {
    const module = this.#module;
    const own = module.copyNumbers;
    module.copyNumbers = copy;
    try {
      return this.answer(call);
    } finally {
      module.copyNumbers = own;
    }
  }

  /**
   * Generates to the end and yields the progress; pending tasks run in between. When the last report
   * comes, or the caller leaves the loop, the generation is released.
   */
  async *run({
    args,
    assistant,
    reportsResults = false,
  }: Run): AsyncGenerator<GenerationProgress, void, void> {
    const target = this.#create('Generation', args);
    let progress: GenerationProgress;
    try {
      if (assistant) this.answer({ kind: 'invoke', target, method: 'assist', args: [assistant] });
      const step: Call = {
        kind: 'invoke',
        target,
        method: 'advance',
        args: [millisecondsPerReport, reportsResults],
      };
      for (;;) {
        await nextTask();
        progress = this.answer(step) as GenerationProgress; // as Embind declares `advance`
        if (progress.done) break;
        yield progress;
      }
    } finally {
      this.#release(target);
    }
    yield progress;
  }

  memory(): MemoryUse {
    if (this.#failure !== undefined) return { heapBytes: 0, memoryBytes: 0 };
    return {
      heapBytes: this.#module.heapBytes(),
      memoryBytes: this.#module.memoryBytes(),
    };
  }

  /** Frees everything and ends the threads. The order matters: the context's destructor waits for its threads. */
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

  /** Releasing an object again has no effect. */
  #release({ handle }: Handle): void {
    const object = this.#objects.get(handle);
    this.#objects.delete(handle);
    if (object && this.#failure === undefined) this.#guard(() => object.delete());
  }

  #object(target: Handle): EmbindObject {
    return (
      this.#objects.get(target.handle) ??
      fail('disposed', 'This object was disposed and can no longer be used.')
    );
  }

  #resolve(args: readonly unknown[]): unknown[] {
    return args.map((arg) => (isHandle(arg) ? this.#object(arg) : arg));
  }

  /** A C++ error is an error of the call; after a trap the wasm memory cannot be trusted. */
  #guard<T>(work: () => T): T {
    if (this.#failure !== undefined)
      fail(
        'internal',
        `The engine has failed (${this.#failure}) and cannot be used any more: create a new one.`,
      );
    try {
      return work();
    } catch (error) {
      const failure = toTransformerError(error);
      if (isFatal(error)) {
        this.#failure = failure.message;
        failedEngines.push(this.#module, this.#context, [...this.#objects.values()]);
      }
      throw failure;
    }
  }
}

// biome-ignore lint/complexity/noBannedTypes: Reflect takes any function; calls are type-checked by their callers.
function callable(owner: object, name: string): Function {
  const found: unknown = Reflect.get(owner, name);
  return typeof found === 'function' ? found : fail('internal', `The engine has no ${name}`);
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'handle' in value && 'className' in value;

const isEmbindObject = (value: unknown): value is EmbindObject =>
  typeof value === 'object' && value !== null && 'delete' in value && typeof value.delete === 'function';
