/** An engine: one instance of the wasm module, in a worker or in this thread, and what it can compute. */

import { fail } from '../engine/errors.js';
import { disposedMessage, type Host } from '../engine/host.js';
import { type EngineOptions, openHost } from '../engine/open_host.js';
import { checkNames, toInteger, toObject } from '../engine/options.js';
import type { Variant } from '../engine/variant.js';
import { version } from '../engine/version.js';
import { hostKey } from './blocks.js';
import { LayerFactory } from './layer_factory.js';

/** What was chosen, and the state of the engine. */
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
  /** The reasons for the choice, in plain words. */
  readonly notes: readonly string[];
}

/** The limits of this machine for the engine's instructions on all of its threads. */
export interface MachineLimits {
  /** Of multiply-adds that never leave the registers; each counts as two operations. */
  readonly flopsPerSecond: number;
  /** Of reading a buffer from end to end. */
  readonly bytesPerSecond: number;
}

/** Made by {@link createEngine}. Ends with `dispose()`, with `using`, or once it is garbage-collected. */
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
   * Measures what the machine can do at most, which takes some tenths of a second: the two roofs of a roofline
   * (Williams, Waterman and Patterson 2009), for the figures of `model.profile()` to be held against.
   * @param options bytes: of the buffer that is read, default 256 MiB, more than any cache; a small one is read from
   *   the cache. It stays in the engine's memory, for use by others.
   * @throws TransformerError `invalid_argument`, `out_of_memory`, `disposed`
   */
  async machineLimits(options: { bytes?: number } = {}): Promise<MachineLimits> {
    const given = toObject(options, 'options');
    checkNames(given, ['bytes'], 'options');
    const bytes = toInteger(given.bytes ?? 2 ** 28, 'bytes', { min: 1 });
    return hostOf(this).call('machineLimits', bytes);
  }

  /**
   * Ends the engine with its worker and threads; what waits for it rejects with `disposed`. Disposing of it again does
   * nothing.
   */
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

/** Where the engine lives, for the parts of this package that talk to it. */
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
  const { host, notes } = await openHost(options);
  return new Engine(host, notes);
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
