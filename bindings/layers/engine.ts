/** An engine: one instance of the wasm module, in a worker or in this thread, and what it can compute. */

import { openCore } from '../engine/core.js';
import { fail } from '../engine/errors.js';
import { isNode } from '../engine/features.js';
import { disposedMessage, type Host, LocalHost } from '../engine/host.js';
import { checkNames, toChoice, toInteger, toObject } from '../engine/options.js';
import { describe } from '../engine/tensor.js';
import { maxThreads, type Variant, type Wanted } from '../engine/variant.js';
import { version } from '../engine/version.js';
import { WorkerFailed, WorkerHost } from '../engine/worker_host.js';
import { hostKey } from './blocks.js';
import { LayerFactory } from './layer_factory.js';

export interface EngineOptions {
  /** How many threads compute, 1 to 64; default 'auto'. The results are the same for any number, bit by bit. */
  threads?: 'auto' | number;
  /** The instruction set; default 'auto': relaxed SIMD where it is there and passes a test. */
  simd?: 'auto' | 'relaxed' | 'simd128';
  /** Whether the engine lives in a worker; default 'auto': in a browser yes, so that the page never waits; in Node no. */
  worker?: 'auto' | boolean;
  /**
   * Where the engine's files are, if not beside this package's own: the URL of their folder, or of one .wasm file, whose
   * name then says what `simd` and `threads` are by default.
   */
  wasmUrl?: string | URL;
  /** The bytes of the .wasm file. Without `threads` and `simd` it is taken for the plain variant, transformer-simd.wasm. */
  wasmBinary?: ArrayBuffer | Uint8Array;
  /** Ends the loading, which rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** What was chosen, and how it fares. */
export interface EngineInfo {
  /** Of this package. */
  readonly version: string;
  readonly variant: Variant;
  readonly threads: number;
  readonly simd: 'relaxed' | 'simd128';
  /** Whether the engine lives in a worker. */
  readonly worker: boolean;
  /** Bytes of the wasm heap in use, after the last call. */
  readonly heapBytes: number;
  /** Bytes of the wasm memory, which only grows. */
  readonly memoryBytes: number;
  /** Why it is so, in plain words. */
  readonly notes: readonly string[];
}

/** What nothing on this machine can do faster, with the engine's instructions and all of its threads. */
export interface MachineLimits {
  /** Of multiply-adds that never leave the registers; each counts as two operations. */
  readonly flopsPerSecond: number;
  /** Of reading a buffer from end to end. */
  readonly bytesPerSecond: number;
}

/** Made by {@link createEngine}. Ends by `dispose()`, by `using`, or once it is forgotten. */
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
   * Measures what the machine can do at most, which takes some tenths of a second: the two roofs of a roofline (Williams,
   * Waterman and Patterson 2009), for the figures of `model.profile()` to be held against.
   * @param options bytes: of the buffer that is read, default 256 MiB, more than any cache; a small one is read from the
   *   cache. It stays in the engine's memory, for use by others.
   * @throws TransformerError `invalid_argument`, `out_of_memory`, `disposed`
   */
  async machineLimits(options: { bytes?: number } = {}): Promise<MachineLimits> {
    const given = toObject(options, 'options');
    checkNames(given, ['bytes'], 'options');
    const bytes = toInteger(given.bytes ?? 2 ** 28, 'bytes', { min: 1 });
    return hostOf(this).call('machineLimits', bytes);
  }

  /** Ends the engine with its worker and threads; what waits for it rejects with `disposed`. Once more does nothing. */
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

/** Where the engine lives; for what else in this package talks to it. */
export function hostOf(engine: Engine): Host {
  const host = engine[hostKey];
  if (host.closed) fail('disposed', disposedMessage);
  return host;
}

/**
 * Loads the engine.
 * @throws TransformerError `missing_file` (the message says which URL and what it answered), `unsupported` (WebAssembly
 *   SIMD is missing, or what was asked for explicitly), `out_of_memory`, `invalid_argument`
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
    return here([`In the page's own thread, which waits while it computes. ${error.message}`]);
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

/** One file is one variant: the one that it is called by, else the plain one. */
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

/** An absolute URL: a worker would take a relative one for relative to itself. */
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
