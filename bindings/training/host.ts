/** Starts the module for training: in a worker of its own, or in the calling thread. It has one thread. */

import type { Handle } from '../engine/calls.js';
import { type Host, LocalHost } from '../engine/host.js';
import { isNode } from '../modules/is_node.js';
import { WorkerFailed } from '../worker/line.js';
import { WorkerHost } from '../worker/worker_host.js';
import type { EmbindModule, Trainer } from './embind.js';

export interface PlaceOptions {
  /**
   * Whether to train in a worker; default 'auto': in browsers, so that the page is never blocked, but not in Node.js.
   */
  readonly worker?: 'auto' | boolean | undefined;
  /** The URL of the folder with the engine's files, if not next to this package's own. */
  readonly wasmUrl?: string | undefined;
  /** Aborts loading. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws TransformerError `missing_file`, `unsupported`; the signal's reason. */
async function openHost({ worker = 'auto', wasmUrl, signal }: PlaceOptions): Promise<Host> {
  const { trainingFiles } = await import('./files.js');
  const own = trainingFiles(wasmUrl);
  const files = { simd: own, relaxed: own };
  const wanted = { threads: 1, simd: 'simd128' } as const;
  if (worker === 'auto' ? !isNode : worker) {
    const workerUrl = wasmUrl === undefined || isNode ? undefined : new URL('worker.js', wasmUrl).href;
    try {
      return await WorkerHost.open({ kind: 'open', wanted, files }, { workerUrl, signal });
    } catch (error) {
      if (worker !== 'auto' || !(error instanceof WorkerFailed)) throw error;
    }
  }
  const { openCore } = await import('../engine/core.js');
  const core = await openCore(wanted, { files, signal });
  if (signal?.aborted) core.close();
  signal?.throwIfAborted();
  return new LocalHost(core);
}

type ArgsOf<F> = F extends (...args: infer Args) => unknown ? Args : never;
type ResultOf<F> = F extends (...args: never[]) => infer Result ? Result : never;
type Settings = ConstructorParameters<EmbindModule['Trainer']>;

/** A trainer in the module. The hosts are those of the engine, whose types do not know this class. */
export class RemoteTrainer {
  readonly #host: Host;
  readonly #trainer: Handle;

  private constructor(host: Host, trainer: Handle) {
    this.#host = host;
    this.#trainer = trainer;
  }

  static async open(model: Settings[1], settings: Settings[2], place: PlaceOptions): Promise<RemoteTrainer> {
    const host = await openHost(place);
    try {
      const args = [model, settings];
      const made = await host.answer({ kind: 'create', className: 'Trainer' as Handle['className'], args });
      return new RemoteTrainer(host, made as Handle);
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  async call<Name extends Exclude<keyof Trainer, 'delete'>>(
    method: Name,
    ...args: ArgsOf<Trainer[Name]>
  ): Promise<ResultOf<Trainer[Name]>> {
    const call = { kind: 'invoke', target: this.#trainer, method, args } as const;
    return (await this.#host.answer(call)) as ResultOf<Trainer[Name]>; // as Embind declares it
  }

  /** Ends the module with all that is in it. */
  close(): Promise<void> {
    return this.#host.close();
  }
}
