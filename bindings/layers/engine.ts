/** An engine: one instance of the wasm module, in a worker or in the calling thread, and its computations. */

import { fail } from '../engine/errors.js';
import { disposedMessage, type Host } from '../engine/host.js';
import { type EngineOptions, openHost } from '../engine/open_host.js';
import { checkNames, toInteger, toObject } from '../engine/options.js';
import type { Variant } from '../engine/variant.js';
import { version } from '../engine/version.js';
import { hostKey } from './blocks.js';
import { LayerFactory } from './layer_factory.js';

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

/** The chosen variant, and the engine's memory use. */
export interface EngineInfo {
  /** Version of this package. */
  readonly version: string;
  readonly variant: Variant;
  readonly threads: number;
  readonly simd: 'relaxed' | 'simd128';
  /** Whether the engine runs in a worker. */
  readonly worker: boolean;
  /** Bytes in use on the wasm heap after the last call. */
  readonly heapBytes: number;
  /** Size of the wasm memory in bytes, which never shrinks. */
  readonly memoryBytes: number;
  /** The reasons for the choice, in plain words. */
  readonly notes: readonly string[];
}

/** Upper limits of this machine's speed with the engine's instructions and all of its threads. */
export interface MachineLimits {
  /** Rate of multiply-adds in registers; each counts as two operations. */
  readonly flopsPerSecond: number;
  /** Rate of reading a buffer sequentially. */
  readonly bytesPerSecond: number;
}

/** Created by {@link createEngine}. Ended by `dispose()`, by `using`, or by garbage collection. */
export class Engine extends LayerFactory implements Disposable {
  /** @internal */
  readonly [hostKey]: Host;
  readonly info: EngineInfo;

  /** @internal */
  constructor(host: Host, notes: readonly string[]) {
    super();
    this[hostKey] = host;
    this.info = infoOf(host, notes);
  }

  /**
   * Measures the limits of the machine, which takes some tenths of a second: the two roofs of the roofline model
   * (Williams, Waterman and Patterson 2009), to compare with the figures of `model.profile()`.
   * @param options bytes: size of the buffer to read, default 256 MiB, which exceeds any cache; a small buffer measures
   *   the cache. Its memory stays with the engine, which reuses it.
   * @throws TransformerError `invalid_argument`, `out_of_memory`, `disposed`
   */
  async machineLimits(options: { bytes?: number } = {}): Promise<MachineLimits> {
    const given = toObject(options, 'options');
    checkNames(given, ['bytes'], 'options');
    const bytes = toInteger(given.bytes ?? 2 ** 28, 'bytes', { min: 1 });
    return hostOf(this).call('machineLimits', bytes);
  }

  /** Ends the engine with its worker and threads; pending calls reject with `disposed`. Idempotent. */
  async dispose(): Promise<void> {
    await this[hostKey].close();
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}

/** The host of an engine, for the rest of this package. */
export function hostOf(engine: Engine): Host {
  const host = engine[hostKey];
  if (host.closed) fail('disposed', disposedMessage);
  return host;
}

/**
 * Loads the engine.
 * @throws TransformerError `missing_file` (the message names the URL and the response), `unsupported` (WebAssembly SIMD
 *   or an explicitly requested feature is unavailable), `out_of_memory`, `invalid_argument`
 * @example
 * const engine = await createEngine();
 * const { output } = await engine.scaledDotProductAttention([[1, 0]], [[1, 0], [0, 1]], [[1], [2]]);
 * engine.dispose();
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const { wanted, worker, wasmUrl, wasmBinary, signal } = readOptions(options);
  signal?.throwIfAborted();
  const place = { ...(wasmUrl !== undefined && { wasmUrl }), ...(wasmBinary && { wasmBinary }) };
  const here = async (notes: readonly string[]) => {
    const core = await openCore(wanted, { ...place, signal });
    if (signal?.aborted) core.close();
    signal?.throwIfAborted();
    return new Engine(new LocalHost(core), [...core.choice.notes, ...notes]);
  };
  if (!(worker === 'auto' ? !isNode : worker)) return here([]);
  try {
    const host = await WorkerHost.open({ kind: 'open', wanted, ...place }, signal);
    return new Engine(host, host.choice.notes);
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

/** An absolute URL, because a worker would resolve a relative one against its own. */
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

function infoOf(host: Host, notes: readonly string[]): EngineInfo {
  const { variant, threads, simd } = host.choice;
  return {
    version,
    variant,
    threads,
    simd,
    worker: host.inWorker,
    get heapBytes() {
      return host.memory.heapBytes;
    },
    get memoryBytes() {
      return host.memory.memoryBytes;
    },
    notes,
  };
}
