/** What the page changes by itself, gathered for a moment. */

import * as dom from '../markup/dom.js';
import { isInlineName } from '../markup/elements.js';
import { readableAttributes } from '../texts/options.js';
import { ledger } from './ledger.js';

/** How long changes are gathered before they are translated, in milliseconds. */
const moment = 50;

const watched: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
};
const attributes = [...readableAttributes, 'value', 'label', 'content', 'translate', 'lang'];

export class Changes {
  readonly #root: Element;
  readonly #follow: () => void;
  readonly #observer = new MutationObserver((records) => this.#add(records));
  readonly #ends = new AbortController();
  readonly #watched = new WeakSet<Node>();
  #nodes = new Set<Node>();
  #targets = new Set<Node>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: Element, follow: () => void) {
    this.#root = root;
    this.#follow = follow;
  }

  /** @param root the element, a shadow tree in it, a frame, or the document in a frame */
  watch(root: Node): void {
    if (this.#watched.has(root)) return;
    const isFrame = dom.nodeType(root) === 1 && dom.isFrame(root as Element);
    const isOwn = root !== this.#root && dom.nodeType(root) === 1 && !isFrame;
    if (isOwn && dom.ownerDocument(root) === dom.ownerDocument(this.#root)) return;
    this.#watched.add(root);
    if (isFrame)
      EventTarget.prototype.addEventListener.call(root, 'load', () => this.again(root), {
        signal: this.#ends.signal,
      });
    else this.#observer.observe(root, { ...watched, attributeFilter: attributes });
  }

  stop(): void {
    this.note();
    clearTimeout(this.#timer);
    this.#observer.disconnect();
    this.#ends.abort();
  }

  note(): void {
    this.#add(this.#observer.takeRecords());
  }

  /** What was changed since is our own. */
  forget(): void {
    this.#observer.takeRecords();
  }

  /** Something is to be looked at as if the page had changed it. */
  again(node: Node): void {
    this.#nodes.add(node);
    this.#wait();
  }

  /** New nodes, and those with texts that have changed. */
  take(): { nodes: Set<Node>; targets: Set<Node> } {
    const taken = { nodes: this.#nodes, targets: this.#targets };
    [this.#nodes, this.#targets] = [new Set(), new Set()];
    return taken;
  }

  #add(records: readonly MutationRecord[]): void {
    for (const record of records) {
      const { type, target, addedNodes, removedNodes, attributeName } = record;
      if (type === 'childList') {
        ledger.orders.follow(record);
        for (const node of addedNodes) this.#nodes.add(node);
        if ([...addedNodes, ...removedNodes].some(isInLine)) this.#targets.add(target);
      } else if (attributeName === 'translate' || attributeName === 'lang') this.#nodes.add(target);
      else this.#targets.add(target);
    }
    if (records.length > 0) this.#wait();
  }

  #wait(): void {
    // Whoever changes without end is followed, too.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#follow();
    }, moment);
  }
}

/** Whether a node changes the text around it. */
function isInLine(node: Node): boolean {
  const type = dom.nodeType(node);
  if (type === 3) return (node as Text).data.trim() !== '';
  return type === 1 && isInlineName(dom.localName(node as Element));
}
