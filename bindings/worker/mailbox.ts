/**
 * A mailbox in shared memory, for requests and replies of up to 4 MB: nothing is allocated but the arrays of the reply.
 * After each reply the worker waits at it for two milliseconds: a request that comes meanwhile finds it awake. While
 * the worker computes or is back in its event loop, requests are messages; both ways keep their order, since the worker
 * leaves the mailbox as soon as a message is on its way.
 */

import { isNode } from '../modules/is_node.js';
import type { Channel } from './channel.js';
import { FlatMessage } from './flat_message.js';
import type { Numbered, Reply } from './protocol.js';
import { copyToMove } from './transfer.js';

/** Words at the beginning: what the mailbox holds, and how many messages the page has sent. */
const state = 0;
const sent = 1;
const headerBytes = 8;

const closed = 0; // the worker is elsewhere
const open = 1; // it waits for a request
const request = 2;
const reply = 3; // the worker waits for it to be taken
const left = 4; // a reply too, but the worker is elsewhere

/** Of a request, and of a reply. */
const messageBytes = 4 << 20;
const patience = 2; // milliseconds
/** A thread that sleeps takes longer to wake than a small request takes to answer: 40 µs and more. */
const workerSpin = 0.2;
const pageSpin = 0.3;

/** TypeScript's declaration needs a newer standard library than users may have. */
type WaitAsync = (words: Int32Array, index: number, value: number) => { value: Promise<string> | string };
const waitAsync = typeof Atomics === 'object' ? (Atomics as { waitAsync?: WaitAsync }).waitAsync : undefined;

/** Opens an engine with a mailbox. */
export interface WithMailbox {
  readonly mailbox?: SharedArrayBuffer | undefined;
}

/** Memory for a mailbox; `undefined` where threads share no memory, and in Node.js, where a message is as quick. */
export function newMailboxMemory(): SharedArrayBuffer | undefined {
  // WebKit may have no shared memory in an isolated page either.
  const isShared = globalThis.crossOriginIsolated && typeof SharedArrayBuffer === 'function';
  return isShared && waitAsync && !isNode ? new SharedArrayBuffer(headerBytes + 2 * messageBytes) : undefined;
}

class Mailbox {
  protected readonly words: Int32Array<SharedArrayBuffer>;
  protected readonly request: FlatMessage;
  protected readonly reply: FlatMessage;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory, 0, 2);
    const bytes = (memory.byteLength - headerBytes) / 2;
    this.request = new FlatMessage(new Uint8Array(memory, headerBytes, bytes));
    this.reply = new FlatMessage(new Uint8Array(memory, headerBytes + bytes, bytes));
  }

  /** Waits without sleeping for this many milliseconds, or until the state changes. */
  protected spin(from: number, milliseconds: number): void {
    const end = performance.now() + milliseconds;
    do for (let i = 0; i < 100; i++) if (Atomics.load(this.words, state) !== from) return;
    while (performance.now() < end);
  }

  protected change(from: number, to: number): boolean {
    const changed = Atomics.compareExchange(this.words, state, from, to) === from;
    if (changed) Atomics.notify(this.words, state);
    return changed;
  }
}

/** The page's side. */
export class PageMailbox extends Mailbox {
  readonly #spin: number;
  #isWaiting = false;

  /**
   * @param maySpin whether there is a core for the page besides those of the engine, which it would slow down otherwise
   */
  constructor(memory: SharedArrayBuffer, maySpin = true) {
    super(memory);
    this.#spin = maySpin ? pageSpin : 0;
  }

  /**
   * Sends a request if the worker waits for one. `take` gets its reply, unless that comes as a message. Not while a
   * reply to a message is awaited: the request would overtake it.
   */
  send(message: unknown, take: (reply: unknown) => void): boolean {
    if (this.#isWaiting || Atomics.load(this.words, state) !== open) return false;
    if (!this.request.write(message) || !this.change(open, request)) return false;
    this.#isWaiting = true;
    void this.#collect(take);
    return true;
  }

  /** Calls the worker back to its messages, of which one is about to be sent. */
  announceMessage(): void {
    Atomics.add(this.words, sent, 1);
    this.change(open, closed);
  }

  /** Ends the wait for a reply that will not come, which would hold the memory of the mailbox. */
  end(): void {
    this.change(request, closed);
  }

  async #collect(take: (reply: unknown) => void): Promise<void> {
    this.spin(request, this.#spin);
    // At least one `await`: nobody expects a reply before `send` has returned.
    do await waitAsync?.(this.words, state, request).value;
    while (Atomics.load(this.words, state) === request);
    this.#isWaiting = false;
    const found = Atomics.load(this.words, state);
    if (found !== reply && found !== left) return;
    const taken = this.reply.read('copies');
    if (!this.change(reply, open)) this.change(left, closed);
    take(taken);
  }
}

/** The way through a mailbox where it is open, else the one around which it is built. */
export class MailChannel implements Channel {
  readonly #mailbox: PageMailbox;
  readonly #port: Channel;
  readonly #settle: (reply: Reply) => void;

  /** @param settle takes the replies that come through the mailbox */
  constructor(mailbox: PageMailbox, port: Channel, settle: (reply: Reply) => void) {
    this.#mailbox = mailbox;
    this.#port = port;
    this.#settle = settle;
  }

  send(request: Numbered, isAlone: boolean): void {
    // One that is not alone would overtake a message that the worker has not read yet.
    if (isAlone && isMail(request) && this.#mailbox.send(request, (reply) => this.#settle(reply as Reply)))
      return;
    this.#mailbox.announceMessage();
    this.#port.send(request, isAlone);
  }

  end(): void {
    this.#mailbox.end();
  }
}

/** The calls that the worker answers at once, with one reply that can be written. */
const isMail = ({ kind }: Numbered) => kind !== 'run' && kind !== 'stop' && kind !== 'compiled';

/** The worker's side. */
export class WorkerMailbox extends Mailbox {
  #received = 0;

  countMessage(): void {
    this.#received++;
  }

  /**
   * Answers requests for as long as they follow one another and no message is on its way. `answer` gets views of the
   * mailbox, and may place the numbers of its reply there.
   */
  attend(answer: (message: unknown, reply: FlatMessage) => unknown, post: (reply: unknown) => void): void {
    if (this.#isMessageComing() || !this.change(closed, open)) return;
    for (;;) {
      this.spin(open, workerSpin);
      // A message that was announced before the mailbox was open has not closed it.
      if (!this.#isMessageComing()) Atomics.wait(this.words, state, open, patience);
      if (this.change(open, closed) || Atomics.load(this.words, state) !== request) return;
      const answered = answer(this.request.read('views'), this.reply);
      if (this.reply.write(answered)) {
        this.change(request, reply);
        this.spin(reply, workerSpin);
        Atomics.wait(this.words, state, reply, patience);
        if (this.change(reply, left)) return;
      } else {
        post(copyToMove(answered, []));
        this.change(request, open);
      }
    }
  }

  #isMessageComing(): boolean {
    return Atomics.load(this.words, sent) !== this.#received;
  }
}
