/**
 * The record of what translations changed on a page: for each text, attribute and order of children what was there, and what was
 * written. Where the page no longer has what was written it has changed it, and that is its source. One for all translations,
 * so that two of one element see the same source. Nodes that the page drops are not held.
 */

import * as dom from '../markup/dom.js';

interface Entry {
  /** `null`: there was no attribute. */
  readonly source: string | null;
  readonly written: string;
  /** Who wrote it. */
  readonly by: object;
}

/** The children of an element whose order changed, or which got texts. */
interface Order {
  readonly source: readonly Node[];
  readonly written: readonly Node[];
}

const textName = '';

class Ledger {
  /** By attribute; a text has one of the name `textName`. */
  readonly #entries = new WeakMap<Node, Map<string, Entry>>();
  readonly #orders = new WeakMap<Node, Order>();
  /** Texts that a translation needed; for each, the first node of the source that it belongs to. */
  readonly #added = new WeakMap<Node, Node>();
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

  /** The children that the page gave an element, in its order. */
  childrenOf(parent: Node): Node[] {
    const now = [...dom.childNodes(parent)];
    const order = this.#orders.get(parent);
    if (!order) return now;
    const own = now.filter((node) => !this.#added.has(node));
    const places = new Map(order.written.map((node, i) => [node, i]));
    const kept = own.filter((node) => places.has(node));
    // Whoever sorts them anew decides.
    const isAsWritten = kept.every((node, i) => i === 0 || place(kept[i - 1]) < place(node));
    if (!isAsWritten) return own;
    function place(node: Node | undefined): number {
      return places.get(node as Node) ?? -1;
    }
    // What the page has put in stands before what it was put in front of.
    const before = new Map<Node, readonly Node[]>();
    let waiting: Node[] = [];
    for (const node of own) {
      if (!places.has(node)) {
        waiting.push(node);
        continue;
      }
      before.set(node, waiting);
      waiting = [];
    }
    const source = order.source.filter((node) => before.has(node));
    return [...source.flatMap((node) => [...(before.get(node) ?? []), node]), ...waiting];
  }

  /** Whether the page still has these among the children of an element, in this order. */
  isInOrder(parent: Node, children: readonly Node[]): boolean {
    if (children.some((child) => dom.parentNode(child) !== parent)) return false;
    if (!this.#orders.has(parent))
      return children.every((child, i) => i === 0 || follows(children[i - 1], child));
    const places = new Map(this.childrenOf(parent).map((node, i) => [node, i]));
    return children.every(
      (child, i) => i === 0 || (places.get(children[i - 1] as Node) ?? -1) < (places.get(child) ?? -1),
    );
  }

  /** The page has moved these: their places are its own. */
  release(parent: Node, moved: Iterable<Node>): void {
    const order = this.#orders.get(parent);
    if (!order) return;
    const gone = new Set(moved);
    const rest = (nodes: readonly Node[]) => nodes.filter((node) => !gone.has(node));
    this.#orders.set(parent, { source: rest(order.source), written: rest(order.written) });
  }

  /** A text of ours that stands for nothing of the page alone. */
  add(near: Node, text: string): Text {
    const added = dom.createTextNode(dom.ownerDocument(near) as Document, text);
    this.#added.set(added, near);
    return added;
  }

  /** Changes the children of an element. */
  reorder(parent: Node, by: object, change: () => void): void {
    const source = this.childrenOf(parent);
    change();
    const written = [...dom.childNodes(parent)];
    if (written.every((node, i) => node === source[i])) this.#orders.delete(parent);
    else {
      this.#orders.set(parent, { source, written: written.filter((node) => !this.#added.has(node)) });
      this.#touch(parent, by);
    }
  }

  /** Removes the texts that were added for what begins with this node. */
  removeAdded(parent: Node, near: Node): void {
    for (const node of [...dom.childNodes(parent)])
      if (this.#added.get(node) === near) dom.removeChild(parent, node);
  }

  hasOrder(parent: Node): boolean {
    return this.#orders.has(parent);
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
    if (!this.#orders.has(node)) return;
    const source = this.childrenOf(node);
    for (const child of [...dom.childNodes(node)]) if (this.#added.has(child)) dom.removeChild(node, child);
    this.#orders.delete(node);
    let next: Node | null = null;
    for (const child of source.reverse()) {
      if (dom.nextSibling(child) !== next) dom.move(node, child, next);
      next = child;
    }
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

function follows(before: Node | undefined, node: Node): boolean {
  let next = before ? dom.nextSibling(before) : null;
  while (next && next !== node) next = dom.nextSibling(next);
  return next === node;
}

export const ledger = new Ledger();
