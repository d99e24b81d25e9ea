/** A page as it was before it was translated, as a tree. */

import * as dom from '../markup/dom.js';
import { isInlineName } from '../markup/elements.js';
import type { Tree } from '../markup/tree.js';
import { ledger } from './ledger.js';

export const isElement = (node: Node): node is Element => dom.nodeType(node) === 1;

const primary = (tag: string) => tag.trim().toLowerCase().split(/[-_]/)[0] ?? '';

export class SourceTree implements Tree<Node> {
  /** The language that is read; empty if the page does not say it. */
  readonly #language: string;
  /** What styles say, until they may have changed. */
  #inline = new Map<Node, boolean>();

  constructor(language: string) {
    this.#language = primary(language);
  }

  /** Styles are read anew. */
  forget(): void {
    this.#inline = new Map();
  }

  isRead(language: string): boolean {
    return language === '' || primary(language) === this.#language;
  }

  kindOf(node: Node): 'element' | 'text' | 'other' {
    const type = dom.nodeType(node);
    return type === 1 || type === 11 ? 'element' : type === 3 ? 'text' : 'other';
  }

  nameOf(node: Node): string {
    return isElement(node) ? dom.localName(node).toLowerCase() : '';
  }

  attributeOf(node: Node, name: string): string | null {
    return isElement(node) ? ledger.source(node, name) : null;
  }

  textOf(node: Node): string {
    return ledger.source(node) ?? '';
  }

  childrenOf(node: Node): Node[] {
    return ledger.orders.childrenOf(node);
  }

  /** In another language, or hidden from translation. */
  isApart(node: Node): boolean {
    const language = this.attributeOf(node, 'lang');
    return language !== null && !this.isRead(language);
  }

  /** By its style: a link may be a block, and a block stand in a line. */
  isInline(node: Node): boolean {
    if (!isElement(node)) return false;
    const known = this.#inline.get(node);
    if (known !== undefined) return known;
    const inline = isInlineByStyle(node);
    this.#inline.set(node, inline);
    return inline;
  }

  keepsLines(node: Node): boolean {
    const element = isElement(node) ? node : dom.hostOf(node);
    return (
      element !== null && /^(pre|break-spaces)/.test(dom.viewOf(element).getComputedStyle(element).whiteSpace)
    );
  }
}

/** Of menus and of pictures: in some browsers they have the style of a line. */
const blocks = new Set(['option', 'optgroup', 'text', 'foreignObject']);

function isInlineByStyle(element: Element): boolean {
  const name = dom.localName(element);
  if (!dom.isConnected(element)) return isInlineName(name);
  // A part of a picture's text that has a place of its own.
  if (name === 'tspan' && ['x', 'y', 'dy'].some((one) => dom.getAttribute(element, one) !== null))
    return false;
  if (blocks.has(name)) return false;
  const { display } = dom.viewOf(element).getComputedStyle(element);
  // What is not shown has no display of its own that tells.
  if (display === 'none' || display === '') return isInlineName(name);
  return display === 'inline' || display === 'contents' || display.startsWith('ruby');
}
