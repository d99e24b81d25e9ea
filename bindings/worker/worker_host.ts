/** An engine in a worker: every call is a request, and pending requests reject if the worker dies. */

import type { Call, Run } from '../engine/calls.js';
import type { MadeChoice, MemoryUse } from '../engine/core.js';
import { whenForgotten } from '../engine/forgotten.js';
import { disposedMessage, type Handle, Host } from '../engine/host.js';
import type { GenerationProgress } from '../modules/embind.js';
import type { CompiledModule } from '../modules/glue.js';
import { reasonFor } from '../modules/reason.js';
import { onAbort } from '../values/aborts.js';
import { fail, TransformerError } from '../values/errors.js';
import { LatestReport } from './latest_report.js';
import { newLifeLock } from './life_lock.js';
import { Line, WorkerFailed } from './line.js';
import { MailChannel, newMailboxMemory, PageMailbox, type WithMailbox } from './mailbox.js';
import type { Opened, Request } from './protocol.js';

/** Ends workers whose hosts were garbage-collected. */
const forgotten = whenForgotten<Line>((line) => line.end(new TransformerError('disposed', disposedMessage)));

export class WorkerHost extends Host {
  readonly inWorker = true;
  readonly choice: MadeChoice;
  readonly #line: Line;

  private constructor(line: Line, choice: MadeChoice) {
    super();
    this.#line = line;
    this.choice = choice;
    forgotten.register(this, line, this);
  }

  /** Starts a worker and opens an engine in it. An abort ends the worker and rejects with the signal's reason. */
  static async open(
    request: Request & { kind: 'open' },
    { workerUrl, signal }: { workerUrl?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<WorkerHost> {
    const line = new Line(workerUrl);
    const abort = () => line.end(new TransformerError('aborted', 'Creating the engine was aborted.'));
    const ignore = onAbort(signal, abort);
    try {
      const lifeLock = newLifeLock();
      const mailbox = newMailboxMemory();
      const asked: Request & WithMailbox = { ...request, lifeLock, mailbox };
      const opened = await line.ask(asked);
      if (lifeLock) line.watch(lifeLock);
      if (!isOpened(opened)) fail('internal', "The engine's worker sent an unknown reply.");
      const { choice } = opened;
      if (mailbox) {
        const maySpin = navigator.hardwareConcurrency > choice.threads;
        const ours = new PageMailbox(mailbox, maySpin);
        line.attach((port, settle) => new MailChannel(ours, port, settle));
      }
      return new WorkerHost(line, choice);
    } catch (error) {
      line.end(new TransformerError('internal', 'The engine could not be opened.'));
      signal?.throwIfAborted();
      throw workerUrl !== undefined && error instanceof WorkerFailed
        ? await explain(workerUrl, error)
        : error;
    } finally {
      ignore();
    }
  }

  get closed(): boolean {
    return this.#line.ended;
  }

  get isBusy(): boolean {
    return this.#line.isBusy;
  }

  get memory(): MemoryUse {
    return this.#line.memory;
  }

  /** The .wasm file as the worker has compiled it. */
  async compiled(): Promise<CompiledModule> {
    return (await this.#line.ask({ kind: 'compiled' })) as CompiledModule; // as worker.ts answers
  }

  async release(handle: Handle): Promise<void> {
    if (this.#line.ended) return;
    await this.#ignoringEnd(this.#line.ask({ kind: 'release', handle }));
  }

  async *run(run: Run, signal?: AbortSignal): AsyncGenerator<GenerationProgress, void, void> {
    signal?.throwIfAborted();
    const report = new LatestReport<GenerationProgress>();
    const ignore = onAbort(signal, () => report.reject(signal?.reason));
    const id = this.#line.follow({ kind: 'run', ...run }, report);
    try {
      for (;;) {
        const progress = await report.next();
        yield progress;
        signal?.throwIfAborted();
        if (progress.done) return;
      }
    } finally {
      ignore();
      await this.#stop(id);
    }
  }

  /** Ends a run that has not ended yet, and waits until it has freed its memory. */
  async #stop(id: number): Promise<void> {
    if (!this.#line.isWaiting(id)) return;
    this.#line.forget(id);
    await this.#ignoringEnd(this.#line.ask({ kind: 'stop', run: id }));
  }

  /** An engine that has ended in the meantime has freed everything. */
  async #ignoringEnd(asked: Promise<unknown>): Promise<void> {
    await asked.catch((error: unknown) => {
      if (!this.#line.ended) throw error;
    });
  }

  // An async method, so that the host stays alive while a call is pending.
  async answer(call: Call): Promise<unknown> {
    return await this.#line.ask(call);
  }

  async close(): Promise<void> {
    forgotten.unregister(this);
    this.#line.end(new TransformerError('disposed', disposedMessage));
  }
}

/** A worker that the caller has named: whether it is there at all. */
async function explain(workerUrl: string, error: WorkerFailed): Promise<WorkerFailed> {
  const message = `The engine's worker ${workerUrl} could not be started: ${await reasonFor(workerUrl, error)}`;
  return new WorkerFailed('missing_file', message, { cause: error });
}

const isOpened = (value: unknown): value is Opened =>
  typeof value === 'object' && value !== null && 'choice' in value;
