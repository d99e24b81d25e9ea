/**
 * A mailbox in shared memory, for requests of up to 128 kB. After each reply the worker waits at it for two milliseconds: a
 * request of 4 kB that comes meanwhile takes 0.6 of the time of messages. While the worker computes or is back in its event loop,
 * requests are messages; both ways keep their order, since the worker leaves the mailbox as soon as a message is on its way.
 */

import { isNode } from './features.js';
import { readFlat, writeFlat } from './flat_message.js';

/** Words at the beginning: what the mailbox holds, and how many messages the page has sent. */
const state = 0;
const sent = 1;
const textBegin = 8;

const closed = 0; // the worker is elsewhere
const open = 1; // it waits for a request
const request = 2;
const reply = 3; // the worker waits for it to be taken
const left = 4; // a reply too, but the worker is elsewhere

const bytes = 128 * 1024;
const patience = 2; // milliseconds

/** TypeScript's declaration needs a newer standard library than users may have. */
type WaitAsync = (words: Int32Array, index: number, value: number) => { value: Promise<string> | string };
const waitAsync = typeof Atomics === 'object' ? (Atomics as { waitAsync?: WaitAsync }).waitAsync : undefined;

/** Memory for a mailbox; `undefined` where threads share no memory, and in Node.js, where a message is as quick. */
export function newMailboxMemory(): SharedArrayBuffer | undefined {
  // WebKit may have no shared memory in an isolated page either.
  const isShared = globalThis.crossOriginIsolated && typeof SharedArrayBuffer === 'function';
  return isShared && waitAsync && !isNode ? new SharedArrayBuffer(bytes) : undefined;
}

class Mailbox {
  protected readonly words: Int32Array<SharedArrayBuffer>;
  protected readonly content: Uint8Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory, 0, 2);
    this.content = new Uint8Array(memory, textBegin);
  }

  protected change(from: number, to: number): boolean {
    const changed = Atomics.compareExchange(this.words, state, from, to) === from;
    if (changed) Atomics.notify(this.words, state);
    return changed;
  }
}

/** The page's side. */
export class PageMailbox extends Mailbox {
  #isWaiting = false;

  /** Sends a request if the worker waits for one. `take` gets its reply, unless that comes as a message. */
  send(message: unknown, take: (reply: unknown) => void): boolean {
    if (this.#isWaiting || Atomics.load(this.words, state) !== open) return false;
    if (!writeFlat(message, this.content) || !this.change(open, request)) return false;
    this.#isWaiting = true;
    void this.#collect(take);
    return true;
  }

  /** Calls the worker back to its messages, of which one is about to be sent. */
  announceMessage(): void {
    Atomics.add(this.words, sent, 1);
    this.change(open, closed);
  }

  async #collect(take: (reply: unknown) => void): Promise<void> {
    // At least one `await`: nobody expects a reply before `send` has returned.
    do await waitAsync?.(this.words, state, request).value;
    while (Atomics.load(this.words, state) === request);
    this.#isWaiting = false;
    const found = Atomics.load(this.words, state);
    if (found !== reply && found !== left) return;
    const taken = readFlat(this.content, 'copies');
    if (!this.change(reply, open)) this.change(left, closed);
    take(taken);
  }
}

/** The worker's side. */
export class WorkerMailbox extends Mailbox {
  #received = 0;

  countMessage(): void {
    this.#received++;
  }

  /** Answers requests for as long as they follow one another and no message is on its way. */
  attend(answer: (message: unknown) => unknown, post: (reply: unknown) => void): void {
    if (this.#isMessageComing() || !this.change(closed, open)) return;
    for (;;) {
      // A message that was announced before the mailbox was open has not closed it.
      if (!this.#isMessageComing()) Atomics.wait(this.words, state, open, patience);
      if (this.change(open, closed) || Atomics.load(this.words, state) !== request) return;
      const answered = answer(readFlat(this.content, 'views'));
      if (writeFlat(answered, this.content)) {
        this.change(request, reply);
        Atomics.wait(this.words, state, reply, patience);
        if (this.change(reply, left)) return;
      } else {
        post(answered);
        this.change(request, open);
      }
    }
  }

  #isMessageComing(): boolean {
    return Atomics.load(this.words, sent) !== this.#received;
  }
}
