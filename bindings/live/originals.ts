/** The content of a page before its translation, so that it can be restored. */

import * as dom from '../markup/dom.js';
import type { DomTree } from '../markup/dom_tree.js';
import type { Run } from '../markup/runs.js';

/** A text as it was, and as it was written. */
interface Pair {
  readonly source: string;
  readonly target: string;
}

/** One run that was translated. */
interface Saved {
  readonly nodes: readonly Node[];
  /** The children of each of its elements. */
  readonly children: ReadonlyMap<Node, readonly Node[]>;
  readonly texts: ReadonlyMap<Text, Pair>;
  /** Nodes that the translation needed: parts of elements that it tore apart, white space. */
  readonly made: ReadonlySet<Node>;
}

export class Originals {
  readonly #tree: DomTree;
  readonly #saved = new Map<Node, Saved[]>();
  readonly #attributes = new Map<Element, Map<string, Pair>>();
  /** The translation that was written into each text. */
  readonly #written = new WeakMap<Text, string>();

  constructor(tree: DomTree) {
    this.#tree = tree;
  }

  /** Whether a text is a translation that nobody has changed. */
  isTranslated(text: Text): boolean {
    return this.#written.get(text) === text.data;
  }

  /** @param write puts the translation into the page */
  save(run: Run<Node>, write: () => void): void {
    const before = snapshot(run.nodes);
    const { container } = run;
    const previous = dom.previousSibling(run.nodes[0] as Node);
    const next = dom.nextSibling(run.nodes.at(-1) as Node);
    write();
    const after = snapshot(between(container, previous, next));
    const made = new Set([...after.all].filter((node) => !before.all.has(node)));
    const texts = new Map<Text, Pair>();
    for (const [text, source] of before.texts) texts.set(text, { source, target: text.data });
    for (const text of [...before.texts.keys(), ...after.texts.keys()]) this.#written.set(text, text.data);
    const saved = { nodes: run.nodes, children: before.children, texts, made };
    this.#saved.set(container, [...(this.#saved.get(container) ?? []), saved]);
  }

  setAttribute(element: Element, name: string, target: string): void {
    const own = this.#attributes.get(element) ?? new Map<string, Pair>();
    const source = own.get(name)?.source ?? dom.getAttribute(element, name) ?? '';
    this.#attributes.set(element, own.set(name, { source, target }));
    dom.setAttribute(element, name, target);
  }

  isTranslatedAttribute(element: Element, name: string): boolean {
    return this.#attributes.get(element)?.get(name)?.target === dom.getAttribute(element, name);
  }

  /** Takes back what was translated directly in an element. What the page has changed since stays changed. */
  restoreIn(container: Node): void {
    for (const saved of (this.#saved.get(container) ?? []).reverse()) this.#restore(container, saved);
    this.#saved.delete(container);
  }

  restoreAll(): void {
    for (const container of [...this.#saved.keys()]) this.restoreIn(container);
    for (const [element, own] of this.#attributes)
      for (const [name, { source, target }] of own)
        if (dom.getAttribute(element, name) === target) dom.setAttribute(element, name, source);
    this.#attributes.clear();
  }

  #restore(container: Node, { nodes, children, texts, made }: Saved): void {
    for (const [text, { source, target }] of texts) {
      if (text.data === target) text.data = source;
      this.#written.delete(text);
    }
    // From the inside out: an element that was torn apart gets its children before it is put back itself.
    for (const [element, own] of [...children].reverse())
      this.#tree.replace(element, this.#tree.childrenOf(element), wanted(own, dom.childNodes(element), made));
    const region = regionOf(container, new Set([...nodes, ...made]));
    if (region.length > 0) this.#tree.replace(container, region, wanted(nodes, region, made));
  }
}

/** The original nodes, without those that the page has removed; then what it has added. */
function wanted(originals: readonly Node[], now: Iterable<Node>, made: ReadonlySet<Node>): Node[] {
  const own = new Set(originals);
  const added = [...now].filter((node) => !own.has(node) && !made.has(node));
  return [...originals.filter((node) => dom.parentNode(node) !== null), ...added];
}

/** The children from the first to the last of those that are meant. */
function regionOf(container: Node, meant: ReadonlySet<Node>): Node[] {
  const children: Node[] = [...dom.childNodes(container)];
  const isMeant = children.map((child) => meant.has(child));
  return isMeant.includes(true) ? children.slice(isMeant.indexOf(true), isMeant.lastIndexOf(true) + 1) : [];
}

function between(container: Node, previous: Node | null, next: Node | null): Node[] {
  const children: Node[] = [...dom.childNodes(container)];
  const begin = previous ? children.indexOf(previous as ChildNode) + 1 : 0;
  return children.slice(begin, next ? children.indexOf(next as ChildNode) : children.length);
}

/** All nodes below, and the children and texts among them. */
function snapshot(nodes: readonly Node[]) {
  const all = new Set<Node>();
  const children = new Map<Node, readonly Node[]>();
  const texts = new Map<Text, string>();
  const open = [...nodes].reverse();
  for (let node = open.pop(); node; node = open.pop()) {
    all.add(node);
    if (dom.nodeType(node) === Node.TEXT_NODE) texts.set(node as Text, (node as Text).data);
    if (dom.nodeType(node) !== Node.ELEMENT_NODE) continue;
    const own = [...dom.childNodes(node)];
    children.set(node, own);
    open.push(...[...own].reverse());
  }
  return { all, children, texts };
}
