/** What a translation reaches: shadow trees, frames, pictures' texts and menus' options; and what it leaves alone. */

import * as dom from '../markup/dom.js';
import { isOpaqueName } from '../markup/elements.js';
import { hasLetters } from '../markup/segment.js';
import type { ReadableAttribute } from '../texts/options.js';
import { isElement, type SourceTree } from './source_tree.js';

/** What an element inherits. */
interface Context {
  readonly isOn: boolean;
  readonly language: string;
}

/** A part of the page with texts that are read together. */
export type Block = Element | ShadowRoot;

/** Content that is never looked into, but what these hold is found. */
const entered = new Set(['select', 'datalist', 'svg', 'iframe', 'frame']);

const always: Readonly<Record<string, readonly string[]>> = {
  optgroup: ['label'],
  option: ['label'],
  track: ['label'],
};

export class Reach {
  readonly #tree: SourceTree;
  readonly #attributes: readonly ReadableAttribute[];
  readonly #onRoot: (root: Node) => void;

  /** @param onRoot called with each shadow tree and document that is entered */
  constructor(tree: SourceTree, attributes: readonly ReadableAttribute[], onRoot: (root: Node) => void) {
    this.#tree = tree;
    this.#attributes = attributes;
    this.#onRoot = onRoot;
  }

  /** The attributes of an element that are translated: those that were asked for, and those that are shown as texts. */
  attributesOf(element: Element): readonly string[] {
    const name = dom.localName(element);
    if (name === 'input') {
      const type = dom.getAttribute(element, 'type')?.toLowerCase();
      // What a form sends stays.
      const isButton = type === 'button' || type === 'reset' || type === 'submit';
      const isSent = type === 'submit' && dom.getAttribute(element, 'name') !== null;
      return isButton && !isSent ? [...this.#attributes, 'value'] : this.#attributes;
    }
    const isMeta =
      name === 'meta' && /^(description|keywords)$/i.test(dom.getAttribute(element, 'name') ?? '');
    return isMeta ? ['content'] : [...this.#attributes, ...(always[name] ?? [])];
  }

  hasAttributes(element: Element): boolean {
    if (!dom.hasAttributes(element)) return false;
    return this.attributesOf(element).some((name) => hasLetters(this.#tree.attributeOf(element, name) ?? ''));
  }

  /** Blocks below a node with something to translate, in order. A block may come several times. */
  *blocksIn(root: Node): Generator<Block | null, void, void> {
    const found = this.#placeOf(root);
    if (!found) return;
    const open: { node: Node; context: Context; block: Block }[] = [{ ...found, node: root }];
    for (let one = open.pop(); one; one = open.pop()) {
      const { node } = one;
      yield null;
      if (dom.nodeType(node) === 3) {
        if (this.#isOn(one.context) && hasLetters(this.#tree.textOf(node))) yield one.block;
        continue;
      }
      const inner = node === root ? one : this.#enter(node, one);
      if (!inner) continue;
      if (isElement(node) && this.#isOn(inner.context) && this.hasAttributes(node)) yield inner.block;
      const children = this.#childrenOf(node);
      for (const child of children.reverse()) open.push({ ...inner, node: child });
    }
  }

  /** The block that a node's text is in; `null` where nothing is translated. */
  blockOf(node: Node): Block | null {
    const found = this.#placeOf(node);
    return found && this.#isOn(found.context) ? found.block : null;
  }

  #childrenOf(node: Node): Node[] {
    const children = [...dom.childNodes(node)];
    if (!isElement(node)) return children;
    if (dom.isFrame(node)) {
      const document = dom.contentDocument(node);
      const inside = document && dom.documentElement(document);
      this.#onRoot(node);
      return inside ? [inside] : [];
    }
    const shadow = dom.shadowRoot(node);
    return shadow ? [...children, shadow] : children;
  }

  /** What holds below a node, and the block of its text; `null` for what is not looked into. */
  #enter(node: Node, around: { readonly context: Context; readonly block: Block }) {
    if (dom.nodeType(node) === 11) {
      this.#onRoot(node);
      return { context: around.context, block: node as ShadowRoot };
    }
    if (!isElement(node)) return null;
    const name = this.#tree.nameOf(node);
    if (isOpaqueName(name) && !entered.has(name)) return null;
    if (name === 'html') this.#onRoot(node);
    const context = this.#contextIn(node, around.context);
    if (context === null) return null;
    const isSwitch = this.#isOn(context) && !this.#isOn(around.context);
    const block = isSwitch || !this.#tree.isInline(node) ? node : around.block;
    return { context, block };
  }

  /** `null` for what a reader edits. */
  #contextIn(element: Element, around: Context): Context | null {
    // Most elements have no attributes.
    if (!dom.hasAttributes(element) && dom.localName(element) !== 'html') return around;
    const attribute = (name: string) => this.#tree.attributeOf(element, name)?.toLowerCase();
    const editable = attribute('contenteditable');
    if (editable !== undefined && editable !== 'false') return null;
    const translate = attribute('translate');
    const isNo = translate === 'no' || /(^|\s)notranslate(\s|$)/.test(attribute('class') ?? '');
    const isYes = translate === 'yes' || translate === '';
    // A frame's document says itself what language it is in.
    const language = attribute('lang') ?? (dom.localName(element) === 'html' ? '' : around.language);
    return { isOn: isYes || (!isNo && around.isOn), language };
  }

  #isOn({ isOn, language }: Context): boolean {
    return isOn && this.#tree.isRead(language);
  }

  /** Of a node in the page, from what is around it. */
  #placeOf(node: Node): { context: Context; block: Block } | null {
    const around: Node[] = [];
    for (let one: Node | null = node; one; one = parentOf(one)) around.unshift(one);
    let place: { context: Context; block: Block } | null = null;
    for (const one of around) {
      const type = dom.nodeType(one);
      if (type === 9) continue;
      if (type === 3) break;
      const first: { context: Context; block: Block } = {
        context: { isOn: true, language: '' },
        block: one as Block,
      };
      place = this.#enter(one, place ?? first);
      if (!place) return null;
    }
    return place;
  }
}

/** What is around a node, through the borders of shadow trees and frames. */
export function parentOf(node: Node): Node | null {
  const parent = dom.parentNode(node) ?? dom.hostOf(node);
  if (parent || dom.nodeType(node) !== 9) return parent;
  return dom.defaultView(node as Document)?.frameElement ?? null;
}

export function isWithin(node: Node, root: Node): boolean {
  for (let one: Node | null = node; one; one = parentOf(one)) if (one === root) return true;
  return false;
}
