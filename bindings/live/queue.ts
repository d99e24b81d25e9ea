/** What waits for its translation: what is in sight first, else in order. */

import * as dom from '../markup/dom.js';
import type { Block } from './reach.js';

const elementOf = (block: Block): Element => dom.hostOf(block) ?? (block as Element);

export class Queue {
  readonly #open = new Set<Block>();
  readonly #inSight = new Set<Block>();
  /** Blocks by what is observed. */
  readonly #observed = new Map<Element, Set<Block>>();
  readonly #observer: IntersectionObserver | null;
  #told: () => void = () => undefined;
  /** Settles when the browser has said what is in sight. */
  #known: Promise<void> = Promise.resolve();

  constructor() {
    this.#observer =
      typeof IntersectionObserver === 'function' ? new IntersectionObserver((all) => this.#note(all)) : null;
  }

  get size(): number {
    return this.#open.size;
  }

  add(block: Block): void {
    if (this.#open.has(block)) return;
    this.#open.add(block);
    const element = elementOf(block);
    const own = this.#observed.get(element);
    if (own) own.add(block);
    else {
      if (this.#observed.size === 0) this.#await();
      this.#observed.set(element, new Set([block]));
      this.#observer?.observe(element);
    }
  }

  /** The next block. */
  take(): Block | undefined {
    const [next] = this.#inSight.size > 0 ? this.#inSight : this.#open;
    if (next) this.#remove(next);
    return next;
  }

  /** Pages in the background show nothing, and wait for nothing. */
  async known(): Promise<void> {
    if (this.#observer && dom.visibilityState(document) === 'visible') await this.#known;
  }

  clear(): void {
    this.#observer?.disconnect();
    this.#open.clear();
    this.#inSight.clear();
    this.#observed.clear();
    this.#told();
  }

  #await(): void {
    this.#known = new Promise((resolve) => {
      this.#told = resolve;
      // A frame that is not drawn is told nothing.
      setTimeout(resolve, 1000);
    });
  }

  #remove(block: Block): void {
    this.#open.delete(block);
    this.#inSight.delete(block);
    const element = elementOf(block);
    const own = this.#observed.get(element);
    own?.delete(block);
    if (own?.size !== 0) return;
    this.#observed.delete(element);
    this.#observer?.unobserve(element);
  }

  #note(all: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of all)
      for (const block of this.#observed.get(target) ?? [])
        if (isIntersecting) this.#inSight.add(block);
        else this.#inSight.delete(block);
    this.#told();
  }
}
