/**
 * The children that translations put in another order, and the texts that they added: for each segment and element a
 * region, its children as the page has them and as they were written. What the page moves or puts in has the place that
 * it was given.
 */

import * as dom from '../markup/dom.js';

interface Region {
  source: readonly Node[];
  written: readonly Node[];
  readonly added: readonly Node[];
}

/** Children of an element that are written together. */
export interface Siblings {
  readonly parent: Node;
  /** The first leaf of their segment, which tells regions of an element apart. */
  readonly key: Node;
  /** In the order of the source. */
  readonly children: readonly Node[];
  /** Those that have parts of other segments. */
  readonly shared: ReadonlySet<Node>;
}

/** A child in its new place; texts without a node are added. */
export type Written = { readonly node: Node | null; readonly text: string | null };

/** Moved, these would load anew, or lose what they are doing. */
const fixed = 'iframe,object,embed,video,audio,canvas,input,textarea,select,dialog,details,:not(:defined)';

/** Whether a node is never moved. */
function isFixed(node: Node, selector = fixed): boolean {
  if (dom.nodeType(node) !== 1) return true;
  const element = node as Element;
  if (dom.localName(element).includes('-') || dom.matches(element, selector)) return true;
  return dom.querySelector(element, selector) !== null;
}

/** Whether a node is not moved now: where the focus is, too. */
export const isHeld = (node: Node): boolean => isFixed(node, `${fixed},:focus`);

export class Orders {
  readonly #regions = new WeakMap<Node, Map<Node, Region>>();
  /** By child. */
  readonly #regionOf = new WeakMap<Node, { readonly key: Node; readonly region: Region }>();
  readonly #added = new WeakSet<Node>();

  /** The children that the page gave an element, in its order. */
  childrenOf(parent: Node): Node[] {
    const now = [...dom.childNodes(parent)];
    const regions = this.#regions.get(parent);
    if (!regions) return now;
    const nodes: Node[] = now.filter((node) => !this.#added.has(node));
    const places = placesOf(nodes);
    for (const region of regions.values()) {
      const own = region.written.flatMap((node) => places.get(node) ?? []);
      const begin = own.reduce((least, place) => Math.min(least, place), nodes.length);
      const end = own.reduce((most, place) => Math.max(most, place), -1) + 1;
      for (const [i, node] of inSource(nodes.slice(begin, end), region).entries()) {
        nodes[begin + i] = node;
        places.set(node, begin + i);
      }
    }
    return nodes;
  }

  /** Whether the page still has these among the children of an element, in this order, and nothing between them. */
  isInOrder(parent: Node, children: readonly Node[]): boolean {
    if (children.some((child) => dom.parentNode(child) !== parent)) return false;
    const known = new Map<Region | null, ReadonlyMap<Node, number>>();
    const placesIn = (region: Region | null) => {
      const found =
        known.get(region) ??
        placesOf(region ? inSource(this.#rangeOf(parent, region), region) : this.childrenOf(parent));
      known.set(region, found);
      return found;
    };
    return children.every((child, i) => {
      const before = children[i - 1];
      if (!before) return true;
      const [one, other] = [before, child].map((node) => this.#regionOf.get(node)?.region);
      if (!one && !other) return this.#nextOf(before) === child;
      const places = placesIn(one && one === other ? one : null);
      return places.get(child) === (places.get(before) ?? Number.NaN) + 1;
    });
  }

  /** The page has changed the children of an element. */
  follow({ target, addedNodes, removedNodes, nextSibling }: MutationRecord): void {
    if (!this.#regions.has(target)) return;
    const gone = new Set([...removedNodes, ...addedNodes]);
    // What is put in has the place of what it replaces, or is in front of what it was put in front of.
    const replaced = removedNodes.length === 1 && addedNodes.length > 0 ? removedNodes[0] : undefined;
    const next = nextSibling && this.#added.has(nextSibling) ? this.#nextOf(nextSibling) : nextSibling;
    const anchor = replaced ?? next ?? target;
    const home = addedNodes.length > 0 ? this.#regionOf.get(anchor) : undefined;
    const touched = new Map(
      [...gone].flatMap((node) => this.#regionOf.get(node) ?? []).map(({ key, region }) => [key, region]),
    );
    if (home) touched.set(home.key, home.region);
    for (const node of gone) this.#regionOf.delete(node);
    for (const [key, region] of touched) {
      const changed = (nodes: readonly Node[]) =>
        nodes.flatMap((node) => [
          ...(node === anchor && region === home?.region ? addedNodes : []),
          ...(gone.has(node) ? [] : [node]),
        ]);
      region.source = changed(region.source);
      region.written = changed(region.written);
      // Words of what the page has removed.
      if (removedNodes.length > 0 && !region.written.some(hasText)) this.#undo(target, key);
    }
    if (home) for (const node of addedNodes) this.#regionOf.set(node, home);
  }

  /** Puts children in a new order, and texts among them. @returns whether they are in another order than the page's. */
  write({ parent, key, children, shared }: Siblings, final: readonly Written[]): boolean {
    const own = children.filter((node) => !shared.has(node));
    const known = new Set([key, ...own.flatMap((node) => this.#regionOf.get(node)?.key ?? [])]);
    const regions = this.#regions.get(parent) ?? new Map<Node, Region>();
    const isInOrder = final.every(({ node }, i) => node === children[i]);
    const [only] = known.size === 1 ? [regions.get(key)] : [];
    if (only?.added.length === 0) {
      const range = this.#rangeOf(parent, only);
      if (final.length === range.length && final.every(({ node }, i) => node === range[i])) return true;
    }
    for (const one of known) this.#undo(parent, one);
    if (isInOrder) return false;
    const end = dom.nextSibling(children.at(-1) as Node);
    const nodes = final.map(({ node, text }) => node ?? this.#add(parent, text ?? ''));
    arrange(parent, nodes, end, (node) => shared.has(node) || isHeld(node));
    const region: Region = {
      source: children,
      written: nodes.filter((node) => !this.#added.has(node)),
      added: nodes.filter((node) => this.#added.has(node)),
    };
    this.#regions.set(parent, regions.set(key, region));
    for (const node of own) this.#regionOf.set(node, { key, region });
    return true;
  }

  /** Gives the children of an element the order that the page gave them. */
  restore(parent: Node): void {
    for (const key of [...(this.#regions.get(parent)?.keys() ?? [])]) this.#undo(parent, key);
  }

  /** The next sibling that the page has made. */
  #nextOf(node: Node): Node | null {
    let next = dom.nextSibling(node);
    while (next && this.#added.has(next)) next = dom.nextSibling(next);
    return next;
  }

  #add(near: Node, text: string): Text {
    const added = dom.createTextNode(dom.ownerDocument(near) as Document, text);
    this.#added.add(added);
    return added;
  }

  /** From the first to the last child of a region. */
  #rangeOf(parent: Node, { written }: Region): Node[] {
    const left = new Set(written.filter((node) => dom.parentNode(node) === parent));
    const range: Node[] = [];
    const [first = null] = left;
    for (let node: Node | null = first; node && left.size > 0; node = dom.nextSibling(node)) {
      left.delete(node);
      if (!this.#added.has(node)) range.push(node);
    }
    if (left.size === 0) return range;
    // The page has sorted them anew.
    const own = new Set(written);
    return [...dom.childNodes(parent)].filter((node) => own.has(node));
  }

  #undo(parent: Node, key: Node): void {
    const regions = this.#regions.get(parent);
    const region = regions?.get(key);
    if (!regions || !region) return;
    for (const node of region.added) if (dom.parentNode(node) === parent) dom.removeChild(parent, node);
    const range = this.#rangeOf(parent, region);
    const wanted = inSource(range, region);
    const members = new Set(region.written);
    const last = range.at(-1);
    if (last && wanted !== range)
      arrange(parent, wanted, dom.nextSibling(last), (node) => members.has(node) && isFixed(node));
    for (const node of region.written)
      if (this.#regionOf.get(node)?.region === region) this.#regionOf.delete(node);
    regions.delete(key);
    if (regions.size === 0) this.#regions.delete(parent);
  }
}

const placesOf = (nodes: readonly Node[]) => new Map(nodes.map((node, i) => [node, i]));

/**
 * Nodes from the first to the last of a region, in the order that the page means: as they are if it has sorted them
 * anew.
 */
function inSource(range: readonly Node[], { source, written }: Region): readonly Node[] {
  const places = placesOf(written);
  // What the page has put in stands before what it was put in front of.
  const before = new Map<Node, readonly Node[]>();
  let waiting: Node[] = [];
  let last = -1;
  for (const node of range) {
    waiting.push(node);
    const place = places.get(node);
    if (place === undefined) continue;
    if (place < last) return range;
    last = place;
    before.set(node, waiting);
    waiting = [];
  }
  return [...source.flatMap((node) => before.get(node) ?? []), ...waiting];
}

/** Puts nodes in their order, before `end`. What stays is in its order already. */
function arrange(
  parent: Node,
  nodes: readonly Node[],
  end: Node | null,
  stays: (node: Node) => boolean,
): void {
  let next = end;
  for (const node of [...nodes].reverse()) {
    const isNew = dom.parentNode(node) !== parent;
    if (isNew || (dom.nextSibling(node) !== next && !stays(node))) dom.move(parent, node, next);
    next = node;
  }
}

const hasText = (node: Node): boolean =>
  dom.nodeType(node) !== 8 && (dom.textContent(node) ?? '').trim() !== '';
