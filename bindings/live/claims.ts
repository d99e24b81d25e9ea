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

  release(blocks: Iterable<Block> = this.#own): void {
    for (const block of blocks) if (this.#own.delete(block)) claimed.delete(block);
    for (const go of waiting.splice(0)) go();
  }
}

/** Settles when some block is released, of whichever translation. */
export const released = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
  });
