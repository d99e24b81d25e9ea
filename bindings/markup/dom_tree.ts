/** The browser's own nodes as a tree. */

import * as dom from './dom.js';
import { isInlineName, isPreformattedName } from './elements.js';
import type { Tree } from './tree.js';

/** How a tree finds out what an element looks like: by its name, or on a page by its style. */
interface Looks {
  isInline(element: Element): boolean;
  keepsLines(element: Element): boolean;
}

const byName: Looks = {
  isInline: (element) => isInlineName(dom.localName(element)),
  keepsLines(element) {
    for (let one: Node | null = element; one; one = dom.parentNode(one))
      if (isElement(one) && isPreformattedName(dom.localName(one))) return true;
    return false;
  },
};

/** For what is on a page: a link may be a block there, and a block stand in a line. */
export const byStyle: Looks = {
  isInline(element) {
    if (!dom.isConnected(element)) return byName.isInline(element);
    const { display } = getComputedStyle(element);
    // What is not shown has no display of its own that tells.
    if (display === 'none') return byName.isInline(element);
    return display === 'inline' || display === 'contents' || display.startsWith('ruby');
  },
  keepsLines: (element) => /^(pre|break-spaces)/.test(getComputedStyle(element).whiteSpace),
};

export class DomTree implements Tree<Node> {
  readonly #looks: Looks;

  constructor(looks: Looks = byName) {
    this.#looks = looks;
  }

  kindOf(node: Node): 'element' | 'text' | 'other' {
    const nodeType = dom.nodeType(node);
    return nodeType === 1 || nodeType === 11 ? 'element' : nodeType === 3 ? 'text' : 'other';
  }

  nameOf(node: Node): string {
    return isElement(node) ? dom.localName(node).toLowerCase() : '';
  }

  attributeOf(node: Node, name: string): string | null {
    return isElement(node) ? dom.getAttribute(node, name) : null;
  }

  setAttribute(node: Node, name: string, value: string): void {
    if (isElement(node)) dom.setAttribute(node, name, value);
  }

  textOf(node: Node): string {
    return node.nodeValue ?? '';
  }

  setText(node: Node, text: string): void {
    if (node.nodeValue !== text) node.nodeValue = text;
  }

  childrenOf(node: Node): Node[] {
    return [...dom.childNodes(node)];
  }

  isInline(node: Node): boolean {
    return isElement(node) && this.#looks.isInline(node);
  }

  keepsLines(node: Node): boolean {
    return isElement(node) && this.#looks.keepsLines(node);
  }

  createText(near: Node, text: string): Node {
    return dom.createTextNode(dom.ownerDocument(near) as Document, text);
  }

  cloneElement(node: Node): Node {
    const copy = dom.cloneNode(node, false) as Element;
    dom.removeAttribute(copy, 'id');
    return copy;
  }

  /** Moves only what stands in another place than before: a frame that is moved loads again. */
  replace(parent: Node, old: readonly Node[], fresh: readonly Node[]): void {
    const kept = new Set(fresh);
    const last = old.at(-1);
    let place: Node | null = last ? dom.nextSibling(last) : null;
    for (const node of old) if (!kept.has(node)) dom.removeChild(parent, node);
    for (const node of [...fresh].reverse()) {
      if (dom.parentNode(node) !== parent || dom.nextSibling(node) !== place)
        dom.insertBefore(parent, node, place);
      place = node;
    }
  }
}

const isElement = (node: Node): node is Element => dom.nodeType(node) === 1;
