/** Emscripten's JavaScript module: its factory, and the workers in which its threads run. */

import { fail } from '../values/errors.js';
import type { EmbindModule } from './embind.js';
import { isNode } from './is_node.js';
import { startInNode } from './node_worker.js';
import { reasonFor } from './reason.js';
import { startWorkerAt } from './web_worker.js';

/** Copies numbers out of the engine's memory. */
export type CopyNumbers = <T extends Float32Array | Int32Array>(numbers: T) => T;

/** The copy has a buffer of its own. */
export const copyNumbers: CopyNumbers = (numbers) => numbers.slice() as typeof numbers;

/** Embind's module and Emscripten's own exports, as far as they are used. */
export interface EngineModule extends EmbindModule {
  /** How C++ gives arrays to JavaScript. */
  copyNumbers: CopyNumbers;
  /** The .wasm file, of which further instances can be made. */
  readonly compiled: CompiledModule;
  /** The SHA-256 of the .wasm file. */
  readonly wasmHash: string;
  /** Only in variants with threads. */
  readonly PThread?: { terminateAllThreads(): void; readonly unusedWorkers: readonly ThreadWorker[] };
}

/** A browser's or Node.js' worker, declared structurally because a user's compiler may know only one of the two. */
export interface ThreadWorker {
  addEventListener(event: 'error', listener: (event: { readonly message: string }) => void): void;
  on?(event: 'error', listener: (error: Error) => void): void;
  onerror: unknown;
}

/** A WebAssembly.Module. A user's compiler may not know that type. */
export type CompiledModule = object;

/** Options of the module's factory, as far as they are used. */
export interface Settings {
  pthreadPoolSize: number;
  copyNumbers: CopyNumbers;
  compiled: CompiledModule;
  wasmHash: string;
  instantiateWasm(imports: object, receive: (instance: object, module: CompiledModule) => void): object;
  /** Starts the worker of one thread, which runs the same module (see scripts/build/adapt_glue.mjs). */
  startThread(): unknown;
  printErr(line: string): void;
}

export interface Factory {
  (settings: Settings): Promise<EngineModule>;
  /**
   * The SHA-256 of the .wasm file that this module was linked with; scripts/build/hashes.mjs writes it into the module.
   */
  readonly wasmHash?: string;
}

/** The name by which the module knows that it runs in a thread of its own. */
const threadName = 'em-pthread';

export async function importFactory(address: string): Promise<Factory> {
  const loaded: unknown = await import(
    /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address
  ).catch(async (error: unknown) =>
    fail('missing_file', `Cannot load ${address}: ${await reasonFor(address, error)}`, error),
  );
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded) || !isFactory(loaded.default))
    fail('missing_file', `${address} is not the engine's module.`);
  return loaded.default;
}

export const isFactory = (value: unknown): value is Factory => typeof value === 'function';

/** Starts a thread of the module at this address. */
export function startThreadAt(address: string): unknown {
  if (!isNode) return startWorkerAt(address, threadName);
  return startInNode(address, { workerData: threadName });
}
