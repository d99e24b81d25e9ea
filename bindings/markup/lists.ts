/**
 * Menus, breadcrumbs, tags, pagination: siblings in a line, each of which holds a whole text. A sentence whose words
 * are in elements looks alike, so that links and marks between the siblings decide.
 */

import { isActiveName } from './elements.js';
import { hasLetters } from './segment.js';
import type { Tree } from './tree.js';

/** Consecutive children of a container that are read as one text. */
export interface Part<Node> {
  readonly container: Node;
  readonly nodes: readonly Node[];
}

const prose = /^(p|h[1-6]|blockquote|figcaption|caption|summary|q|cite|dd|pre)$/;
const mark = '[|¦/\\\\·•‣∙‧›»>→⇒]';
const isMark = new RegExp(`^\\s*${mark}+\\s*$`, 'u');
export const beginsWithMark = new RegExp(`^\\s*${mark}+\\s`, 'u');
export const endsWithMark = new RegExp(`\\s${mark}+\\s*$`, 'u');

/** Tells the texts in a line apart. */
export class Lists<Node> {
  readonly #tree: Tree<Node>;
  readonly #withText: ReadonlySet<Node>;

  /** @param withText the elements that have text */
  constructor(tree: Tree<Node>, withText: ReadonlySet<Node>) {
    this.#tree = tree;
    this.#withText = withText;
  }

  /** The texts among children of a container that stand in a line; what stands between them is in none. */
  partsOf({ container, nodes }: Part<Node>): Part<Node>[] {
    const inner = this.#unwrapped({ container, nodes });
    const prefix = this.#prefixOf(inner.nodes);
    const rest = inner.nodes.slice(prefix);
    if (this.#isList(inner.container, rest)) {
      const items = rest.filter((node) => this.#isItem(node)).map((node) => [node]);
      const all = prefix > 0 ? [inner.nodes.slice(0, prefix), ...items] : items;
      return all.map((own) => ({ container: inner.container, nodes: own }));
    }
    const cut = this.#cutAtMarks(inner.nodes);
    return cut.length > 1
      ? cut.map((own) => ({ container: inner.container, nodes: own }))
      : [{ container, nodes }];
  }

  /** What is in the elements that hold all of the text. */
  #unwrapped(part: Part<Node>): Part<Node> {
    let { container, nodes } = part;
    for (;;) {
      const items = nodes.filter((node) => this.#isItem(node));
      const [only] = items;
      const isWrapper =
        items.length === 1 && only !== undefined && !nodes.some((node) => this.#isWritten(node));
      if (!isWrapper || isActiveName(this.#tree.nameOf(only))) return { container, nodes };
      [container, nodes] = [only, this.#tree.childrenOf(only)];
    }
  }

  /** The length of what introduces a list: "Tags:". */
  #prefixOf(nodes: readonly Node[]): number {
    const first = nodes.findIndex((node) => this.#isItem(node));
    const before = nodes[first - 1];
    const isLabel = before !== undefined && this.#textOf(before).trimEnd().endsWith(':');
    return isLabel ? first : 0;
  }

  #isList(container: Node, nodes: readonly Node[]): boolean {
    if (nodes.some((node) => this.#isWritten(node))) return false;
    const items = nodes.filter((node) => this.#isItem(node));
    if (items.length < 2) return false;
    if (items.filter((node) => !this.#isActive(node)).length <= 1) return true;
    const between = nodes
      .filter((node) => this.#textOf(node).trim() !== '')
      .map((node) => this.#textOf(node));
    if (between.length >= items.length - 1 && between.every((text) => isMark.test(text))) return true;
    const [kind, ...kinds] = items.map((node) => this.#kindOf(node));
    return (
      kind !== '' &&
      kinds.every((one) => one === kind) &&
      between.length === 0 &&
      this.#hasSpaces(nodes) &&
      !prose.test(this.#tree.nameOf(container))
    );
  }

  /** Texts and elements that marks part: "Home › Books › The cat". */
  #cutAtMarks(nodes: readonly Node[]): Node[][] {
    const cut: Node[][] = [[]];
    for (const [i, node] of nodes.entries()) {
      const [before, text] = [nodes[i - 1], this.#textOf(node)];
      const begins = before !== undefined && this.#isItem(before) && beginsWithMark.test(text);
      const follows = before !== undefined && this.#isItem(node) && endsWithMark.test(this.#textOf(before));
      if (begins || follows) cut.push([]);
      cut.at(-1)?.push(node);
    }
    return cut;
  }

  /** White space parts every two siblings: where there is none, a word may go on. */
  #hasSpaces(nodes: readonly Node[]): boolean {
    return nodes.every((node, i) => i === 0 || !this.#isItem(node) || !this.#isItem(nodes[i - 1] as Node));
  }

  #isItem(node: Node): boolean {
    return this.#withText.has(node);
  }

  #isWritten(node: Node): boolean {
    return hasLetters(this.#textOf(node));
  }

  #textOf(node: Node): string {
    return this.#tree.kindOf(node) === 'text' ? this.#tree.textOf(node) : '';
  }

  /** Whether all of an element's text is one thing that a reader acts on. */
  #isActive(node: Node): boolean {
    for (let one = node; ; ) {
      if (isActiveName(this.#tree.nameOf(one))) return true;
      const children = this.#tree.childrenOf(one);
      const items = children.filter((child) => this.#isItem(child));
      const [only] = items;
      if (only === undefined || items.length > 1 || children.some((child) => this.#isWritten(child)))
        return false;
      one = only;
    }
  }

  /** What siblings of a kind have in common: a name and classes. */
  #kindOf(node: Node): string {
    const classes = this.#tree.attributeOf(node, 'class')?.trim() ?? '';
    return classes === '' ? '' : `${this.#tree.nameOf(node)}.${classes}`;
  }
}
