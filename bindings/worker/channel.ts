/** How requests reach a worker: as messages, or by a way that is built around them (mailbox.ts). */

import type { Numbered } from './protocol.js';
import type { SpareBuffers } from './spare_buffers.js';
import { copyToMove } from './transfer.js';
import type { Thread } from './worker_thread.js';

export interface Channel {
  /** @param isAlone whether no earlier request awaits its reply */
  send(request: Numbered, isAlone: boolean): void;
  /** The worker has ended: nothing may wait for it any longer. */
  end?(): void;
}

/** Messages, to which copies of typed arrays are moved. */
export class Port implements Channel {
  readonly #thread: Thread;
  readonly #spare: SpareBuffers;

  constructor(thread: Thread, spare: SpareBuffers) {
    this.#thread = thread;
    this.#spare = spare;
  }

  send(request: Numbered): void {
    const moved: ArrayBuffer[] = [];
    this.#thread.post(copyToMove(request, moved, this.#spare), moved);
  }
}
