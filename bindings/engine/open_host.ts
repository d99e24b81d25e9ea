/** Starts an engine with a caller's options: chooses a variant, and opens it in this thread or in a worker. */

import { openCore } from './core.js';
import { fail } from './errors.js';
import { isNode } from './features.js';
import { type Host, LocalHost } from './host.js';
import { checkNames, toChoice, toInteger, toObject } from './options.js';
import { describe } from './tensor.js';
import { maxThreads, type Wanted } from './variant.js';
import { WorkerFailed, WorkerHost } from './worker_host.js';

export interface EngineOptions {
  /** Number of threads, 1 to 64; default 'auto'. Results are bitwise identical for any number. */
  threads?: 'auto' | number;
  /** The instruction set; default 'auto': relaxed SIMD if it is available and passes a self-test. */
  simd?: 'auto' | 'relaxed' | 'simd128';
  /** Whether to run in a worker; default 'auto': in browsers, so that the page is never blocked, but not in Node.js. */
  worker?: 'auto' | boolean;
  /**
   * Location of the engine's files, if not next to this package's own: the URL of their folder, or of one .wasm file,
   * whose name then determines the defaults of `simd` and `threads`.
   */
  wasmUrl?: string | URL;
  /** Content of the .wasm file; by default assumed to be the plain variant, transformer-simd.wasm. */
  wasmBinary?: ArrayBuffer | Uint8Array;
  /** Aborts loading, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface OpenHost {
  readonly host: Host;
  /** The reasons for the choice, in plain words. */
  readonly notes: readonly string[];
}

/**
 * @throws TransformerError `missing_file`, `unsupported`, `out_of_memory`, `invalid_argument`; an abort rejects with the
 *   signal's reason.
 */
export async function openHost(options: EngineOptions): Promise<OpenHost> {
  const { wanted, worker, wasmUrl, wasmBinary, signal } = readOptions(options);
  signal?.throwIfAborted();
  const place = { ...(wasmUrl !== undefined && { wasmUrl }), ...(wasmBinary && { wasmBinary }) };
  const here = async (notes: readonly string[]): Promise<OpenHost> => {
    const core = await openCore(wanted, { ...place, signal });
    if (signal?.aborted) core.close();
    signal?.throwIfAborted();
    return { host: new LocalHost(core), notes: [...core.choice.notes, ...notes] };
  };
  if (!(worker === 'auto' ? !isNode : worker)) return here([]);
  try {
    const host = await WorkerHost.open({ kind: 'open', wanted, ...place }, signal);
    return { host, notes: host.choice.notes };
  } catch (error) {
    if (worker !== 'auto' || !(error instanceof WorkerFailed)) throw error;
    return here([`Runs in the page's main thread, which is blocked during computations. ${error.message}`]);
  }
}

function readOptions(options: unknown) {
  const given = toObject(options, 'options');
  checkNames(given, ['threads', 'simd', 'worker', 'wasmUrl', 'wasmBinary', 'signal'], 'options');
  const { threads, simd, worker = 'auto', wasmUrl, signal } = given;
  if (worker !== 'auto' && typeof worker !== 'boolean')
    fail('invalid_argument', `worker must be 'auto', true or false, got ${describe(worker)}`);
  if (signal !== undefined && !(signal instanceof AbortSignal))
    fail('invalid_argument', `signal must be an AbortSignal, got ${describe(signal)}`);
  const wasmBinary = readBinary(given.wasmBinary);
  const url = readUrl(wasmUrl);
  const implied = impliedBy(url, wasmBinary);
  const wanted: Wanted = {
    threads: readThreads(threads ?? implied.threads),
    simd: toChoice(simd ?? implied.simd, 'simd', ['auto', 'relaxed', 'simd128']),
  };
  return { wanted, worker, wasmUrl: url, wasmBinary, signal };
}

/** A single file is a single variant: the one in its name, or else the plain one. */
function impliedBy(url: string | undefined, bytes: Uint8Array | undefined): Wanted {
  if (!bytes && !/\.wasm([?#]|$)/.test(url ?? '')) return { threads: 'auto', simd: 'auto' };
  const name = bytes ? '' : (url ?? '');
  return {
    threads: /-threads\.wasm/.test(name) ? 'auto' : 1,
    simd: /transformer-relaxed/.test(name) ? 'relaxed' : 'simd128',
  };
}

function readThreads(value: unknown): Wanted['threads'] {
  if (value === 'auto') return value;
  if (typeof value !== 'number')
    fail('invalid_argument', `threads must be 'auto' or a number, got ${describe(value)}`);
  return toInteger(value, 'threads', { min: 1, max: maxThreads });
}

/** An absolute URL: a worker would resolve a relative one against its own. */
function readUrl(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof URL) return value.href;
  if (typeof value !== 'string')
    fail('invalid_argument', `wasmUrl must be a string or URL, got ${describe(value)}`);
  if (/^[a-z][a-z0-9+.-]+:/i.test(value) && URL.canParse(value)) return value;
  if (isNode) return process.getBuiltinModule('node:url').pathToFileURL(value).href;
  return new URL(value, globalThis.document?.baseURI ?? globalThis.location.href).href;
}

function readBinary(value: unknown): Uint8Array | undefined {
  if (value === undefined || value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return fail('invalid_argument', `wasmBinary must be an ArrayBuffer or Uint8Array, got ${describe(value)}`);
}
