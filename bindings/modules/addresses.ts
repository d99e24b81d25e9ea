/**
 * The addresses of the engine's own files, which are all in the package's folder `dist/wasm`. Nothing is looked up on
 * import: bundled CommonJS and some servers have no `import.meta.url`. The worker bundle does not contain this file: it
 * receives the addresses from the thread that starts it.
 */

import { fail } from '../values/errors.js';
import { isNode } from './is_node.js';
import type { Variant } from './variant.js';
import { isForeign, startWorkerAt, type WebWorker } from './web_worker.js';

/** The absolute addresses of one variant: Emscripten's JavaScript module and its wasm file. */
export interface VariantFiles {
  readonly module: string;
  readonly wasm: string;
}

/** Without threads if there is none for them. */
export type EngineFiles = Readonly<
  Record<'simd' | 'relaxed', VariantFiles> & Partial<Record<Variant, VariantFiles>>
>;

/** Advice for when a bundler has left these files behind. */
export const bundlerHelp =
  "Import 'transformer-wasm/inline', which is a single file, or serve a copy of the package's folder dist/wasm and pass " +
  'its address as wasmUrl.';

/** This file's own address. */
const here: string | undefined = import.meta.url;

export const moduleIn = (folder: string, name: Variant | 'signal' | 'train'): VariantFiles => ({
  module: new URL(`transformer-${name}.mjs`, folder).href,
  wasm: new URL(`transformer-${name}.wasm`, folder).href,
});

/** Where this code is if no bundler has moved it: a module of its own, or joined with others as npm publishes it. */
const ownPlace = /\/(modules\/addresses|chunks\/base)\.js$/;

/** `dist/wasm`, beside the folder of this file. Made as text, since bundlers would follow `new URL`. */
const besideThis = (address: string): string => address.replace(ownPlace, '/wasm/');

/** The files of all variants in one folder. */
export const filesIn = (folder: string): EngineFiles => ({
  simd: moduleIn(folder, 'simd'),
  relaxed: moduleIn(folder, 'relaxed'),
  'simd-threads': moduleIn(folder, 'simd-threads'),
  'relaxed-threads': moduleIn(folder, 'relaxed-threads'),
});

/**
 * The files of the module for sound and pictures, in the folder if one is given.
 *
 * @throws TransformerError `missing_file` like {@link ownFiles}
 */
export function signalFiles(folder: string | undefined): VariantFiles {
  if (folder !== undefined || isNode) return moduleIn(folder ?? folderInNode(), 'signal');
  return found(() => ({
    module: new URL('../wasm/transformer-signal.mjs', import.meta.url).href,
    wasm: new URL('../wasm/transformer-signal.wasm', import.meta.url).href,
  }));
}

/** @throws TransformerError `missing_file` if this code was bundled in a way that lost them */
export function ownFiles(): EngineFiles {
  if (isNode) return filesIn(folderInNode());
  // Eight literals, because bundlers look for them: they copy the file and substitute its new address.
  return found(() => ({
    simd: {
      module: new URL('../wasm/transformer-simd.mjs', import.meta.url).href,
      wasm: new URL('../wasm/transformer-simd.wasm', import.meta.url).href,
    },
    relaxed: {
      module: new URL('../wasm/transformer-relaxed.mjs', import.meta.url).href,
      wasm: new URL('../wasm/transformer-relaxed.wasm', import.meta.url).href,
    },
    'simd-threads': {
      module: new URL('../wasm/transformer-simd-threads.mjs', import.meta.url).href,
      wasm: new URL('../wasm/transformer-simd-threads.wasm', import.meta.url).href,
    },
    'relaxed-threads': {
      module: new URL('../wasm/transformer-relaxed-threads.mjs', import.meta.url).href,
      wasm: new URL('../wasm/transformer-relaxed-threads.wasm', import.meta.url).href,
    },
  }));
}

function found<T>(addresses: () => T): T {
  try {
    return addresses();
  } catch (error) {
    return fail(
      'missing_file',
      `This bundle does not know where the engine's files are. ${bundlerHelp}`,
      error,
    );
  }
}

/** Starts the package's own worker in a browser. */
export function startOwnWorker(): WebWorker {
  // Straight from a CDN, without a bundler: a page may not start a worker from another origin by its address.
  if (here && ownPlace.test(here) && isForeign(here)) return startWorkerAt(`${besideThis(here)}worker.js`);
  // Written like this because bundlers look for the pattern.
  return new Worker(new URL('../wasm/worker.js', import.meta.url), { type: 'module' });
}

/** The address of the package's own worker in Node.js. */
export const ownWorkerInNode = (): string => new URL('worker.js', folderInNode()).href;

/** `dist/wasm`: beside this file, or, if a server's bundle contains this code, where the package is installed. */
function folderInNode(): string {
  const { existsSync } = globalThis.process.getBuiltinModule('node:fs');
  const { fileURLToPath, pathToFileURL } = globalThis.process.getBuiltinModule('node:url');
  const { createRequire } = globalThis.process.getBuiltinModule('node:module');
  if (here?.startsWith('file:')) {
    const folder = besideThis(here);
    if (existsSync(fileURLToPath(`${folder}worker.js`))) return folder;
  }
  const home = pathToFileURL(`${globalThis.process.cwd()}/`).href;
  for (const from of here?.startsWith('file:') ? [here, home] : [home]) {
    try {
      const found = createRequire(from).resolve('transformer-wasm/wasm/worker.js');
      return new URL('.', pathToFileURL(found).href).href;
    } catch {
      // Not installed there.
    }
  }
  return fail(
    'missing_file',
    "The engine's files are not beside this bundle, and transformer-wasm is not installed where it runs. Leave the " +
      `package out of the bundle (in Next.js: serverExternalPackages: ['transformer-wasm']). Or: ${bundlerHelp}`,
  );
}
