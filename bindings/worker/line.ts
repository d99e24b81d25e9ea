/** The connection to one worker: requests with numbers, and the replies to them. */

import type { MemoryUse } from '../engine/core.js';
import { fromMessage, messageOf, TransformerError } from '../values/errors.js';
import { type Channel, Port } from './channel.js';
import { onDeath } from './life_lock.js';
import type { Reply, Request } from './protocol.js';
import { SpareBuffers } from './spare_buffers.js';
import { startThread, type Thread } from './worker_thread.js';

/** The worker could not be started: its script was not found, or the page's policy forbids it. */
export class WorkerFailed extends TransformerError {}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The connection to one worker. Does not reference its host, so that an unused host can be garbage-collected. */
export class Line {
  memory: MemoryUse = { heapBytes: 0, memoryBytes: 0 };
  readonly #thread: Thread;
  readonly #watch = new AbortController();
  readonly #waiting = new Map<number, Waiting>();
  readonly #spare = new SpareBuffers();
  #channel: Channel;
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
    this.#channel = new Port(this.#thread, this.#spare);
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /** Notices when the worker, which holds the lock, ends without a word. */
  watch(lifeLock: string): void {
    const died = () => this.end(this.#asError('the browser has ended it'));
    onDeath(lifeLock, died, this.#watch.signal);
  }

  /** Builds a quicker way around the messages, from the next request on. */
  attach(around: (port: Channel, settle: (reply: Reply) => void) => Channel): void {
    this.#channel = around(this.#channel, (reply) => this.#settle(reply));
  }

  ask(request: Request): Promise<unknown> {
    return new Promise((resolve, reject) => void this.follow(request, { resolve, reject }));
  }

  /** Sends a request whose replies, one or several, go to `waiting`; returns its number. */
  follow(request: Request, waiting: Waiting): number {
    if (this.#ended) throw this.#ended;
    const id = this.#nextId++;
    this.#channel.send({ ...request, id }, this.#waiting.size === 0);
    this.#waiting.set(id, waiting);
    this.#thread.keepAlive(true);
    return id;
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

  /** Ends the worker with its threads; pending requests reject. */
  end(reason: TransformerError): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.memory = { heapBytes: 0, memoryBytes: 0 };
    this.#watch.abort();
    this.#thread.terminate();
    this.#channel.end?.();
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
