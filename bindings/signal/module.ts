/**
 * The second wasm module, for sound and pictures: small, single-threaded, and loaded when it is first needed. It runs
 * in the caller's thread; long work is done in slices, between which the page stays responsive.
 */

import type { Host } from '../engine/host.js';
import { signalFiles, type VariantFiles } from '../modules/addresses.js';
import { readModule } from '../modules/fetch_wasm.js';
import { copyNumbers, importFactory } from '../modules/glue.js';
import { fail, toTransformerError } from '../values/errors.js';
import type { EmbindModule } from './embind.js';

export type SignalModule = EmbindModule;

const loaded = new Map<string, Promise<SignalModule>>();

/**
 * The module, loaded once, from where the engine's files are.
 *
 * @throws TransformerError `missing_file`
 */
export function signalModule({ wasmFolder: folder }: Pick<Host, 'wasmFolder'>): Promise<SignalModule> {
  const key = folder ?? '';
  const module = loaded.get(key) ?? start(signalFiles(folder));
  loaded.set(key, module);
  module.catch(() => loaded.delete(key));
  return module;
}

async function start(files: VariantFiles): Promise<SignalModule> {
  const [factory, wasm] = await Promise.all([importFactory(files.module), readModule(files.wasm, undefined)]);
  return new Promise((resolve, reject) => {
    const settings = {
      pthreadPoolSize: 0,
      copyNumbers,
      instantiateWasm(
        imports: WebAssembly.Imports,
        receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
      ) {
        WebAssembly.instantiate(wasm, imports).then((instance) => receive(instance, wasm), reject);
        return {};
      },
      startThread: () => fail('internal', 'this module has no threads'),
      printErr: () => undefined,
    };
    // Emscripten's factories have the same form, whatever module they make.
    const make = factory as unknown as (given: typeof settings) => Promise<SignalModule>;
    make(settings).then(resolve, reject);
  });
}

/** Calls the module; its errors become TransformerErrors. */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toTransformerError(error);
  }
}
