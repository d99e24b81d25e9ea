/** Loads one variant of the engine: Emscripten's JavaScript module and its wasm file. */

import type { EmbindModule } from './embind.js';
import { fail, TransformerError, toTransformerError } from './errors.js';
import { isNode } from './features.js';
import { readModule, reasonFor } from './fetch_wasm.js';
import type { Variant } from './variant.js';

/** A C++ object. */
export interface EmbindObject {
  delete(): void;
}

/** Embind's module and Emscripten's own exports, as far as they are used. */
export interface EngineModule extends EmbindModule {
  /** Only in variants with threads. */
  readonly PThread?: { terminateAllThreads(): void; readonly unusedWorkers: readonly ThreadWorker[] };
}

/** A browser's or Node.js' worker, declared structurally because a user's compiler may know only one of the two. */
interface ThreadWorker {
  addEventListener(event: 'error', listener: (event: { readonly message: string }) => void): void;
  on?(event: 'error', listener: (error: Error) => void): void;
  onerror: unknown;
}

/** Options of the module's factory, as far as they are used. */
interface Settings {
  pthreadPoolSize: number;
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
  printErr(line: string): void;
}

type Factory = (settings: Settings) => Promise<EngineModule>;

// Eight literals, because bundlers look for them: they copy the file and substitute its new address.
const files: Readonly<Record<Variant, { readonly module: URL; readonly wasm: URL }>> = {
  simd: {
    module: new URL('../wasm/transformer-simd.mjs', import.meta.url),
    wasm: new URL('../wasm/transformer-simd.wasm', import.meta.url),
  },
  relaxed: {
    module: new URL('../wasm/transformer-relaxed.mjs', import.meta.url),
    wasm: new URL('../wasm/transformer-relaxed.wasm', import.meta.url),
  },
  'simd-threads': {
    module: new URL('../wasm/transformer-simd-threads.mjs', import.meta.url),
    wasm: new URL('../wasm/transformer-simd-threads.wasm', import.meta.url),
  },
  'relaxed-threads': {
    module: new URL('../wasm/transformer-relaxed-threads.mjs', import.meta.url),
    wasm: new URL('../wasm/transformer-relaxed-threads.wasm', import.meta.url),
  },
};

/** The location of the engine's files, if not next to this package's own. */
export interface Place {
  /** An absolute URL: of a folder with the files of all four variants, or of one .wasm file. */
  readonly wasmUrl?: string | undefined;
  /** The bytes of the .wasm file. */
  readonly wasmBinary?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function loadModule(variant: Variant, threads: number, place: Place): Promise<EngineModule> {
  const { module: moduleUrl, wasm: wasmUrl } = locate(variant, place.wasmUrl);
  const [factory, wasm] = await Promise.all([
    importFactory(moduleUrl),
    readModule(wasmUrl, place.wasmBinary, place.signal),
  ]);
  place.signal?.throwIfAborted();
  return start(factory, wasm, threads);
}

function locate(variant: Variant, place: string | undefined): { module: URL; wasm: URL } {
  if (place === undefined) return files[variant];
  if (/\.wasm([?#]|$)/.test(place)) return { module: files[variant].module, wasm: new URL(place) };
  const folder = new URL(place);
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return {
    module: new URL(`transformer-${variant}.mjs`, folder),
    wasm: new URL(`transformer-${variant}.wasm`, folder),
  };
}

async function importFactory(url: URL): Promise<Factory> {
  const loaded: unknown = await import(/* @vite-ignore */ /* webpackIgnore: true */ url.href).catch(
    async (error: unknown) =>
      fail('missing_file', `Cannot load ${url.href}: ${await reasonFor(url, error)}`, error),
  );
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded) || !isFactory(loaded.default))
    fail('missing_file', `${url.href} is not the engine's module.`);
  return loaded.default;
}

const isFactory = (value: unknown): value is Factory => typeof value === 'function';

/** The factory's promise never settles if the wasm or a thread does not start. */
function start(factory: Factory, wasm: WebAssembly.Module, threads: number): Promise<EngineModule> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => {
      settings.PThread?.terminateAllThreads();
      reject(error);
    };
    const settings: Settings & Partial<EngineModule> = {
      pthreadPoolSize: threads - 1,
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(wasm, imports)
          .then((instance) => receive(instance, wasm))
          .catch((error: unknown) => refuse(asStartFailure(error)));
        return {};
      },
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
