/** The browser's own nodes as a tree. */

import { isInlineName, isPreformattedName } from './elements.js';
import type { Tree } from './tree.js';

/** How a tree finds out what an element looks like: by its name, or on a page by its style. */
interface Looks {
  isInline(element: Element): boolean;
  keepsLines(element: Element): boolean;
}

const byName: Looks = {
  isInline: ({ localName }) => isInlineName(localName),
  keepsLines(element) {
    for (let one: Element | null = element; one; one = one.parentElement)
      if (isPreformattedName(one.localName)) return true;
    return false;
  },
};

/** For what is on a page: a link may be a block there, and a block stand in a line. */
export const byStyle: Looks = {
  isInline(element) {
    if (!element.isConnected) return byName.isInline(element);
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

  kindOf({ nodeType }: Node): 'element' | 'text' | 'other' {
    return nodeType === 1 || nodeType === 11 ? 'element' : nodeType === 3 ? 'text' : 'other';
  }

  nameOf(node: Node): string {
    return isElement(node) ? node.localName.toLowerCase() : '';
  }

  attributeOf(node: Node, name: string): string | null {
    return isElement(node) ? node.getAttribute(name) : null;
  }

  setAttribute(node: Node, name: string, value: string): void {
    if (isElement(node)) node.setAttribute(name, value);
  }

  textOf(node: Node): string {
    return node.nodeValue ?? '';
  }

  setText(node: Node, text: string): void {
    if (node.nodeValue !== text) node.nodeValue = text;
  }

  childrenOf(node: Node): Node[] {
    return [...node.childNodes];
  }

  isInline(node: Node): boolean {
    return isElement(node) && this.#looks.isInline(node);
  }

  keepsLines(node: Node): boolean {
    return isElement(node) && this.#looks.keepsLines(node);
  }

  createText(near: Node, text: string): Node {
    return (near.ownerDocument as Document).createTextNode(text);
  }

  cloneElement(node: Node): Node {
    const copy = node.cloneNode(false) as Element;
    copy.removeAttribute('id');
    return copy;
  }

  /** Moves only what stands in another place than before: a frame that is moved loads again. */
  replace(parent: Node, old: readonly Node[], fresh: readonly Node[]): void {
    const kept = new Set(fresh);
    let place: Node | null = old.at(-1)?.nextSibling ?? null;
    for (const node of old) if (!kept.has(node)) parent.removeChild(node);
    for (const node of [...fresh].reverse()) {
      if (node.parentNode !== parent || node.nextSibling !== place) parent.insertBefore(node, place);
      place = node;
    }
  }
}

const isElement = (node: Node): node is Element => node.nodeType === 1;
