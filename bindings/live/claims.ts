/** Which blocks are being translated: each by one translation at a time, from before it is read until it is written. */

import type { Block } from './reach.js';

const claimed = new Set<Block>();
const waiting: (() => void)[] = [];

/** What one translation has in hand. */
export class Claims {
  readonly #own = new Set<Block>();

  /** @returns whether nobody had the block. */
  take(block: Block): boolean {
    if (claimed.has(block)) return false;
    claimed.add(block);
    this.#own.add(block);
    return true;
  }

  /** @param blocks without them all, and whoever waits looks again */
  release(blocks?: readonly Block[]): void {
    const before = this.#own.size;
    for (const block of blocks ?? this.#own) if (this.#own.delete(block)) claimed.delete(block);
    // Two that wait would wake each other without end.
    if (!blocks || this.#own.size < before) for (const go of waiting.splice(0)) go();
  }
}

/** Settles when some block is released, of whichever translation. */
export const released = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
  });
