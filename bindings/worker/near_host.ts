/**
 * A host around the host of a worker, which answers small calls of building blocks and layers in the caller's own
 * thread (see nearby.ts). That code is loaded, and its instance started, only where such calls are made; without it,
 * the worker answers all.
 */

import type { Call, Run } from '../engine/calls.js';
import type { MemoryUse } from '../engine/core.js';
import { type Handle, Host, type MakeAgain } from '../engine/host.js';
import type { EngineFiles } from '../modules/addresses.js';
import type { Nearby, SmallLayer } from './nearby.js';
import type { WorkerHost } from './worker_host.js';

/** How many small calls go to the worker before a second instance answers them. */
const callsBefore = 4;

/** The greatest numbers of parameters that are kept twice, of a layer and of all: 5 and 16 MB. */
const mostOfLayer = 1.25e6;
const mostOfLayers = 4e6;

export class NearHost extends Host {
  readonly inWorker = true;
  readonly #worker: WorkerHost;
  readonly #files: EngineFiles | undefined;
  /** The layers that may be kept here too, by the numbers of their handles. */
  readonly #layers = new Map<number, SmallLayer>();
  #calls = 0;
  #nearby: Nearby | undefined;

  /** @param files where the engine's files are, if not next to the package's own */
  constructor(worker: WorkerHost, files: EngineFiles | undefined) {
    super();
    this.#worker = worker;
    this.#files = files;
  }

  get choice() {
    return this.#worker.choice;
  }

  get closed(): boolean {
    return this.#worker.closed;
  }

  get isBusy(): boolean {
    return this.#worker.isBusy;
  }

  get memory(): MemoryUse {
    const { memory } = this.#worker;
    return this.#living()?.memoryWith(memory) ?? memory;
  }

  async release(handle: Handle): Promise<void> {
    const layer = this.#layers.get(handle.handle);
    this.#layers.delete(handle.handle);
    if (layer) void this.#living()?.release(layer);
    await this.#worker.release(handle);
  }

  override offer({ handle }: Handle, parameterCount: number, keepWeights: () => MakeAgain): void {
    let sum = parameterCount;
    for (const layer of this.#layers.values()) sum += layer.parameterCount;
    if (parameterCount <= mostOfLayer && sum <= mostOfLayers)
      this.#layers.set(handle, { parameterCount, makeAgain: keepWeights() });
  }

  run(run: Run, signal?: AbortSignal) {
    return this.#worker.run(run, signal);
  }

  async close(): Promise<void> {
    await this.#worker.close();
    this.#living();
  }

  // An async method, so that the host stays alive while a call is pending.
  async answer(call: Call): Promise<unknown> {
    const counts = call.kind === 'call' || (call.kind === 'invoke' && this.#layers.has(call.target.handle));
    if (counts && ++this.#calls === callsBefore) this.#open();
    const near = this.#living()?.answer(call);
    return near ? near.value : await this.#worker.answer(call);
  }

  /** Ends with the worker. It is polled: a listener on the worker would prevent garbage collection. */
  #living(): Nearby | undefined {
    if (this.closed) {
      this.#nearby?.close();
      this.#nearby = undefined;
    }
    return this.#nearby;
  }

  /** Gets ready to answer, by an instance with one thread of what the worker has compiled. */
  #open(): void {
    const { choice } = this;
    const open = async () => {
      const [wasmModule, { startCore }] = await Promise.all([
        this.#worker.compiled(),
        import('../engine/core.js'),
      ]);
      return startCore({ ...choice, threads: 1 }, { files: this.#files, wasmModule });
    };
    const found = ({ Nearby }: typeof import('./nearby.js')) => {
      if (!this.closed) this.#nearby = new Nearby(open, { threads: choice.threads, layers: this.#layers });
    };
    import('./nearby.js').then(found, () => undefined);
  }
}
