/** Loads one variant of the engine: Emscripten's JavaScript module and its wasm file. */

import { fail, TransformerError, toTransformerError } from '../values/errors.js';
import type { EngineFiles } from './addresses.js';
import { readModule } from './fetch_wasm.js';
import {
  type CompiledModule,
  copyNumbers,
  type EngineModule,
  type Factory,
  importFactory,
  type Settings,
  startThreadAt,
  type ThreadWorker,
} from './glue.js';
import { isNode } from './is_node.js';
import type { Variant } from './variant.js';

/** A C++ object. */
export interface EmbindObject {
  delete(): void;
}

/** Where the parts of the engine come from. */
export interface Place {
  /** Not needed if a factory and a compiled file are given. */
  readonly files?: EngineFiles | undefined;
  /** The bytes of the .wasm file. */
  readonly wasmBinary?: Uint8Array | undefined;
  /** The .wasm file, compiled. */
  readonly wasmModule?: CompiledModule | undefined;
  /** The factory of Emscripten's module, in place of its file. */
  readonly wasmFactory?: Factory | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function loadModule(variant: Variant, threads: number, place: Place): Promise<EngineModule> {
  const files = place.files?.[variant];
  const address = (part: 'module' | 'wasm') => files?.[part] ?? fail('internal', `There is no ${variant}.`);
  const [factory, compiled] = await Promise.all([
    place.wasmFactory ?? importFactory(address('module')),
    place.wasmModule ?? readModule(place.wasmBinary ?? address('wasm'), place.signal),
  ]);
  place.signal?.throwIfAborted();
  return start(factory, compiled, { threads, startThread: () => startThreadAt(address('module')) });
}

/** The factory's promise never settles if the wasm or a thread does not start. */
function start(
  factory: Factory,
  wasm: CompiledModule,
  { threads, startThread }: { threads: number } & Pick<Settings, 'startThread'>,
): Promise<EngineModule> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => {
      settings.PThread?.terminateAllThreads();
      reject(error);
    };
    const settings: Settings & Partial<EngineModule> = {
      pthreadPoolSize: threads - 1,
      copyNumbers,
      compiled: wasm,
      wasmHash: factory.wasmHash ?? '',
      instantiateWasm(imports: WebAssembly.Imports, receive) {
        WebAssembly.instantiate(wasm as WebAssembly.Module, imports)
          .then((instance) => receive(instance, wasm))
          .catch((error: unknown) => refuse(asStartFailure(error)));
        return {};
      },
      startThread,
      // C++ errors arrive as exceptions with a code; console output would be noise.
      printErr: () => undefined,
    };
    factory(settings).then(resolve, (error: unknown) => {
      // Some devices refuse a shared memory with so large a maximum.
      refuse(threads > 1 && error instanceof RangeError ? new ThreadsFailed(error.message) : error);
    });
    for (const worker of settings.PThread?.unusedWorkers ?? []) watch(worker, refuse);
  });
}

function asStartFailure(error: unknown): TransformerError {
  if (error instanceof WebAssembly.LinkError)
    return new TransformerError(
      'invalid_argument',
      `The .wasm file does not match the chosen variant: ${error.message}`,
    );
  return toTransformerError(error);
}

function watch(worker: ThreadWorker, refuse: (error: TransformerError) => void): void {
  const failed = (why: string) => {
    // The module's own handler, which runs after this one, would throw an uncatchable error.
    worker.onerror = () => undefined;
    refuse(new ThreadsFailed(why || 'its script could not be loaded'));
  };
  if (isNode) worker.on?.('error', (error) => failed(error.message));
  else worker.addEventListener('error', (event) => failed(event.message));
}

/** A thread did not start; the caller falls back to a single thread. */
export class ThreadsFailed extends TransformerError {
  constructor(why: string) {
    super('unsupported', `A thread of the engine could not be started: ${why}`);
  }
}
