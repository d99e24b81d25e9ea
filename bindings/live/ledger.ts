/**
 * The record of what translations changed on a page: for each text, attribute and order of children what was there, and
 * what was written. Where the page no longer has what was written it has changed it, and that is its source. One for
 * all translations, so that two of one element see the same source. Nodes that the page drops are not held.
 */

import * as dom from '../markup/dom.js';
import { Orders, type Siblings, type Written } from './orders.js';

interface Entry {
  /** `null`: there was no attribute. */
  readonly source: string | null;
  readonly written: string;
  /** Who wrote it. */
  readonly by: object;
}

const textName = '';

class Ledger {
  /** By attribute; a text has one of the name `textName`. */
  readonly #entries = new WeakMap<Node, Map<string, Entry>>();
  readonly orders = new Orders();
  /** All that has entries, for as long as somebody has it. */
  #touched = new Map<WeakRef<Node>, object>();
  readonly #known = new WeakSet<Node>();
  #sweepAt = 1024;

  #now(node: Node, name: string): string | null {
    return name === textName ? (node as Text).data : dom.getAttribute(node as Element, name);
  }

  #put(node: Node, name: string, value: string | null): void {
    if (this.#now(node, name) === value) return;
    if (name === textName) (node as Text).data = value ?? '';
    else if (value === null) dom.removeAttribute(node as Element, name);
    else dom.setAttribute(node as Element, name, value);
  }

  /** What the page means it to be. */
  source(node: Node, name = textName): string | null {
    const now = this.#now(node, name);
    const entry = this.#entries.get(node)?.get(name);
    return entry && entry.written === now ? entry.source : now;
  }

  isWritten(node: Node, by: object, name = textName): boolean {
    const entry = this.#entries.get(node)?.get(name);
    return entry?.by === by && entry.written === this.#now(node, name);
  }

  write(node: Node, written: string, by: object, name = textName): void {
    const source = this.source(node, name);
    const own = this.#entries.get(node) ?? new Map<string, Entry>();
    this.#entries.set(node, own.set(name, { source, written, by }));
    this.#touch(node, by);
    this.#put(node, name, written);
  }

  /** Puts the children of an element in a new order. */
  arrange(siblings: Siblings, final: readonly Written[], by: object): void {
    if (this.orders.write(siblings, final)) this.#touch(siblings.parent, by);
  }

  /** Gives the page back what it had, where it still has what was written. */
  restore(isMeant: (node: Node, by: object) => boolean): void {
    for (const [ref, by] of [...this.#touched]) {
      const node = ref.deref();
      if (node && !isMeant(node, by)) continue;
      this.#touched.delete(ref);
      if (node) this.#restore(node);
    }
  }

  #restore(node: Node): void {
    this.#known.delete(node);
    for (const [name, { source, written }] of this.#entries.get(node) ?? [])
      if (this.#now(node, name) === written) this.#put(node, name, source);
    this.#entries.delete(node);
    this.orders.restore(node);
  }

  #touch(node: Node, by: object): void {
    if (this.#known.has(node)) return;
    this.#known.add(node);
    this.#touched.set(new WeakRef(node), by);
    if (this.#touched.size < this.#sweepAt) return;
    for (const ref of [...this.#touched.keys()]) if (!ref.deref()) this.#touched.delete(ref);
    this.#sweepAt = 2 * Math.max(this.#touched.size, 512);
  }
}

export const ledger = new Ledger();
