/** An engine in a worker: every call is a request, and pending requests reject if the worker dies. */

import type { Call, Run } from '../engine/calls.js';
import { type MadeChoice, type MemoryUse, startCore } from '../engine/core.js';
import { whenForgotten } from '../engine/forgotten.js';
import { disposedMessage, type Handle, Host, type MakeAgain } from '../engine/host.js';
import type { EngineFiles } from '../modules/addresses.js';
import type { GenerationProgress } from '../modules/embind.js';
import { reasonFor } from '../modules/fetch_wasm.js';
import type { CompiledModule } from '../modules/glue.js';
import { fail, fromMessage, messageOf, TransformerError } from '../values/errors.js';
import { LatestReport } from './latest_report.js';
import { newLifeLock, onDeath } from './life_lock.js';
import { newMailboxMemory, PageMailbox } from './mailbox.js';
import type { Nearby, SmallLayer } from './nearby.js';
import { copyToMove, type Numbered, type Opened, type Reply, type Request } from './protocol.js';
import { SpareBuffers } from './spare_buffers.js';
import { startThread, type Thread } from './worker_thread.js';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The worker could not be started: its script was not found, or the page's policy forbids it. */
export class WorkerFailed extends TransformerError {}

/** The connection to one worker. Does not reference its host, so that an unused host can be garbage-collected. */
class Line {
  memory: MemoryUse = { heapBytes: 0, memoryBytes: 0 };
  /** From the time on when it is worth while. */
  nearby: Nearby | undefined;
  /** The layers that it may copy, by the numbers of their handles. */
  readonly layers = new Map<number, SmallLayer>();
  readonly #thread: Thread;
  readonly #watch = new AbortController();
  readonly #waiting = new Map<number, Waiting>();
  readonly #spare = new SpareBuffers();
  #mailbox: PageMailbox | undefined;
  #nextId = 1;
  #heardFrom = false;
  #ended: TransformerError | undefined;

  constructor(workerUrl: string | undefined) {
    try {
      this.#thread = startThread(workerUrl, {
        message: (reply) => this.#settle(reply),
        failure: (why) => this.end(this.#asError(why)),
      });
    } catch (error) {
      throw error instanceof TransformerError ? error : this.#asError(messageOf(error));
    }
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Gets ready to answer small calls in this thread, by an instance with one thread of what the worker has compiled. Its code is
   * loaded only where building blocks or layers are called; without it, the worker answers everything.
   */
  openNearby(choice: MadeChoice, files: EngineFiles | undefined): void {
    const open = async () => {
      const wasmModule = (await this.ask({ kind: 'compiled' })) as CompiledModule; // as worker.ts answers
      return startCore({ ...choice, threads: 1 }, { files, wasmModule });
    };
    const found = ({ Nearby }: typeof import('./nearby.js')) => {
      if (!this.#ended) this.nearby = new Nearby(open, { threads: choice.threads, layers: this.layers });
    };
    import('./nearby.js').then(found, () => undefined);
  }

  /** Notices when the worker, which holds the lock, ends without a word. */
  watch(lifeLock: string): void {
    const died = () => this.end(this.#asError('the browser has ended it'));
    onDeath(lifeLock, died, this.#watch.signal);
  }

  /** From the next request on; threads: of the engine. */
  attach(memory: SharedArrayBuffer, threads: number): void {
    this.#mailbox = new PageMailbox(memory, navigator.hardwareConcurrency > threads);
  }

  ask(request: Request): Promise<unknown> {
    return new Promise((resolve, reject) => void this.follow(request, { resolve, reject }));
  }

  /** Sends a request whose replies, one or several, go to `waiting`; returns its number. */
  follow(request: Request, waiting: Waiting): number {
    if (this.#ended) throw this.#ended;
    const id = this.#nextId++;
    if (!this.#mail({ ...request, id })) this.#post({ ...request, id });
    this.#waiting.set(id, waiting);
    this.#thread.keepAlive(true);
    return id;
  }

  #mail(request: Numbered): boolean {
    if (request.kind === 'run' || request.kind === 'stop' || request.kind === 'compiled') return false;
    // Else it would overtake a message that the worker has not read yet.
    if (this.#waiting.size > 0) return false;
    return this.#mailbox?.send(request, (reply) => this.#settle(reply as Reply)) ?? false;
  }

  #post(request: Numbered): void {
    const moved: ArrayBuffer[] = [];
    const message = copyToMove(request, moved, this.#spare);
    this.#mailbox?.announceMessage();
    this.#thread.post(message, moved);
  }

  async release(handle: Handle): Promise<void> {
    const layer = this.layers.get(handle.handle);
    this.layers.delete(handle.handle);
    if (layer) void this.nearby?.release(layer);
    await this.ask({ kind: 'release', handle });
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  isWaiting(id: number): boolean {
    return this.#waiting.has(id);
  }

  /** Ignores further replies to a request. */
  forget(id: number): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#thread.keepAlive(false);
  }

  /** Ends the worker with its threads, and the instance nearby; pending requests reject. */
  end(reason: TransformerError): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.memory = { heapBytes: 0, memoryBytes: 0 };
    this.nearby?.close();
    this.#watch.abort();
    this.#thread.terminate();
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
    this.#waiting.clear();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#heardFrom = true;
    this.memory = reply.memory;
    if (reply.spent) this.#spare.put(reply.spent);
    if (!(reply.ok && reply.more)) this.forget(reply.id);
    if (reply.ok) waiting?.resolve(reply.value);
    else waiting?.reject(fromMessage(reply.error));
  }

  #asError(why: string): TransformerError {
    if (this.#heardFrom) return new TransformerError('internal', `The engine's worker has died: ${why}`);
    return new WorkerFailed('unsupported', `The engine's worker could not be started: ${why}`);
  }
}

/** Ends workers whose hosts were garbage-collected. */
const forgotten = whenForgotten<Line>((line) => line.end(new TransformerError('disposed', disposedMessage)));

/** So many calls of building blocks and small layers go to the worker before a second instance answers the small ones. */
const callsBeforeNearby = 4;

/** The greatest numbers of parameters that are kept twice, of a layer and of all: 5 and 16 MB. */
const mostOfLayer = 1.25e6;
const mostOfLayers = 4e6;

export class WorkerHost extends Host {
  readonly inWorker = true;
  readonly choice: MadeChoice;
  readonly #line: Line;
  readonly #files: EngineFiles | undefined;
  #calls = 0;

  private constructor(line: Line, choice: MadeChoice, files: EngineFiles | undefined) {
    super();
    this.#line = line;
    this.#files = files;
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
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const lifeLock = newLifeLock();
      const mailbox = newMailboxMemory();
      const opened = await line.ask({ ...request, lifeLock, mailbox });
      if (lifeLock) line.watch(lifeLock);
      if (!isOpened(opened)) fail('internal', "The engine's worker sent an unknown reply.");
      if (mailbox) line.attach(mailbox, opened.choice.threads);
      return new WorkerHost(line, opened.choice, request.files);
    } catch (error) {
      line.end(new TransformerError('internal', 'The engine could not be opened.'));
      signal?.throwIfAborted();
      throw workerUrl !== undefined && error instanceof WorkerFailed
        ? await explain(workerUrl, error)
        : error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  get closed(): boolean {
    return this.#line.ended;
  }

  get isBusy(): boolean {
    return this.#line.isBusy;
  }

  get memory(): MemoryUse {
    const { memory, nearby } = this.#line;
    return nearby?.memoryWith(memory) ?? memory;
  }

  async release(handle: Handle): Promise<void> {
    if (this.#line.ended) return;
    await this.#ignoringEnd(this.#line.release(handle));
  }

  override offer({ handle }: Handle, parameterCount: number, keepWeights: () => MakeAgain): void {
    const { layers } = this.#line;
    let sum = parameterCount;
    for (const layer of layers.values()) sum += layer.parameterCount;
    if (parameterCount <= mostOfLayer && sum <= mostOfLayers)
      layers.set(handle, { parameterCount, makeAgain: keepWeights() });
  }

  async *run(run: Run, signal?: AbortSignal): AsyncGenerator<GenerationProgress, void, void> {
    signal?.throwIfAborted();
    const report = new LatestReport<GenerationProgress>();
    const abort = () => report.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const id = this.#line.follow({ kind: 'run', ...run }, report);
    try {
      for (;;) {
        const progress = await report.next();
        yield progress;
        signal?.throwIfAborted();
        if (progress.done) return;
      }
    } finally {
      signal?.removeEventListener('abort', abort);
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
  protected async answer(call: Call): Promise<unknown> {
    const line = this.#line;
    const counts = call.kind === 'call' || (call.kind === 'invoke' && line.layers.has(call.target.handle));
    if (counts && ++this.#calls === callsBeforeNearby) line.openNearby(this.choice, this.#files);
    const near = line.nearby?.answer(call);
    return near ? near.value : await line.ask(call);
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
