/** An engine: an instance of the wasm module, in a worker or in the calling thread, and its computations. */

import { disposedMessage, type Host } from '../engine/host.js';
import { version } from '../engine/version.js';
import type { Variant } from '../modules/variant.js';
import { border, cross } from '../values/border.js';
import { fail } from '../values/errors.js';
import { checkNames, toInteger, toObject } from '../values/options.js';
import { type EngineOptions, openHost } from '../worker/open_host.js';
import { hostKey } from './blocks.js';
import { LayerFactory } from './layer_factory.js';

/** The chosen variant, and the engine's memory use. */
export interface EngineInfo {
  /** Version of this package. */
  readonly version: string;
  readonly variant: Variant;
  readonly threads: number;
  readonly simd: 'relaxed' | 'simd128';
  /** Whether the engine runs in a worker. After a few calls, small building blocks run in the calling thread. */
  readonly worker: boolean;
  /** Bytes in use on the wasm heap after the last call. */
  readonly heapBytes: number;
  /** Bytes of the wasm memory, which never shrinks, including that of a second instance for small calls. */
  readonly memoryBytes: number;
  /**
   * A hash of a small computation's bits. Engines of one version with the same `simd` agree, whatever their threads,
   * browser and machine; others may differ in the last digits of their results.
   */
  readonly hash: string;
  /** The SHA-256 of the .wasm file that runs, in hexadecimal digits, as `dist/HASHES` of this version lists it. */
  readonly wasmHash: string;
  /** The reasons for the choice, in plain words. */
  readonly notes: readonly string[];
}

/** Upper limits of this machine's speed with the engine's instructions and all of its threads. */
export interface MachineLimits {
  /** Rate of multiply-adds in registers; each counts as two operations. */
  readonly flopsPerSecond: number;
  /** The same for products with weights of 8 bits, whose data is in the nearest cache. */
  readonly integerOpsPerSecond: number;
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
   * Measures the limits of the machine, which takes some tenths of a second: the roofs of the roofline model
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
  const { host, notes } = await cross('options', [options], openHost);
  return new Engine(host, notes);
}

function infoOf(host: Host, notes: readonly string[]): EngineInfo {
  const { variant, threads, simd, fingerprint, wasmHash } = host.choice;
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
    hash: fingerprint,
    wasmHash,
    notes,
  };
}

border(Engine, { machineLimits: 'options' });
