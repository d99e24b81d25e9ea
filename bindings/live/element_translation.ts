/** Translates an element of a page in place: what is in sight first, and what the page changes later. */

import { findAttributes } from '../markup/attributes.js';
import * as dom from '../markup/dom.js';
import { byStyle, DomTree } from '../markup/dom_tree.js';
import { findRuns, isPoint, type Run, survey } from '../markup/runs.js';
import { hasLetters } from '../markup/segment.js';
import { type TranslateTexts, translateSegments, writeRun } from '../markup/translate_runs.js';
import type { ReadableAttribute } from '../texts/options.js';
import { inSightFirst } from './in_sight.js';
import { Originals } from './originals.js';

/** Something to translate: a run of text, or attributes. */
interface Work {
  readonly container: Element;
  readonly run: Run<Node> | null;
  /** The texts as they are now: a page may change them meanwhile. */
  readonly texts: ReadonlyMap<Text, string>;
}

interface ElementSettings {
  readonly attributes: readonly ReadableAttribute[];
  readonly observe: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}

/** How many runs are translated together: few at first, so that something is soon there. */
const atFirst = 8;
const atMost = 64;
/** How long changes are gathered before they are translated, in milliseconds. */
const pause = 50;
/** A page that undoes a translation is left alone after this many times. */
const mostAgain = 20;

export class ElementTranslation {
  readonly #tree = new DomTree(byStyle);
  readonly #originals = new Originals(this.#tree);
  readonly #root: Element;
  readonly #translate: TranslateTexts;
  readonly #settings: ElementSettings;
  readonly #observer: MutationObserver | null;
  readonly #changed = new Set<Element>();
  readonly #again = new WeakMap<Node, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(root: Element, translate: TranslateTexts, settings: ElementSettings) {
    this.#root = root;
    this.#translate = translate;
    this.#settings = settings;
    this.#observer = settings.observe ? new MutationObserver((records) => this.#note(records)) : null;
    this.#watch();
  }

  /** @throws what the translation throws. */
  run(): Promise<void> {
    this.#running = this.#translateIn([this.#root]);
    return this.#running;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#observer?.disconnect();
  }

  restore(): void {
    this.stop();
    this.#originals.restoreAll();
  }

  async #translateIn(roots: readonly Element[]): Promise<void> {
    let open = roots.flatMap((root) => this.#workIn(root));
    const total = open.length;
    let size = atFirst;
    while (open.length > 0) {
      this.#settings.signal.throwIfAborted();
      open = inSightFirst(open);
      const some = open.splice(0, size);
      await this.#translateSome(some);
      this.#settings.onProgress?.({ done: total - open.length, total });
      size = Math.min(2 * size, atMost);
    }
  }

  #workIn(root: Element): Work[] {
    const known = survey(this.#tree, root as Node);
    const runs = findRuns(this.#tree, root as Node, known).filter((run) => !this.#isDone(run));
    const labels = findAttributes(this.#tree, known.elements, this.#settings.attributes);
    const labelled = new Set(labels.map(({ node }) => node as Element));
    const texts = [...runs.map((run) => workOf(run)), ...[...labelled].map(attributesOf)];
    return texts;
  }

  #isDone(run: Run<Node>): boolean {
    const texts = [...textsIn(run).keys()].filter(({ data }) => hasLetters(data));
    return texts.every((text) => this.#originals.isTranslated(text));
  }

  async #translateSome(some: readonly Work[]): Promise<void> {
    const runs = some.flatMap(({ run }) => run ?? []);
    const labels = some.flatMap(({ run, container }) => (run ? [] : this.#labelsOf(container)));
    const translations = await translateSegments(runs, this.#translate);
    const texts =
      labels.length > 0
        ? await this.#translate(
            labels.map(({ text }) => text),
            false,
          )
        : [];
    this.#settings.signal.throwIfAborted();
    this.#unseen(() => {
      for (const { run, texts: own } of some)
        if (run && isUnchanged(run, own))
          this.#originals.save(run, () => writeRun(this.#tree, run, translations));
      for (const [i, { element, name, text }] of labels.entries())
        if (dom.getAttribute(element, name) === text)
          this.#originals.setAttribute(element, name, texts[i]?.text ?? text);
    });
  }

  #labelsOf(element: Element) {
    return this.#settings.attributes.flatMap((name) => {
      const text = dom.getAttribute(element, name) ?? '';
      const isOpen = hasLetters(text) && !this.#originals.isTranslatedAttribute(element, name);
      return isOpen ? [{ element, name, text }] : [];
    });
  }

  #watch(): void {
    const { attributes } = this.#settings;
    this.#observer?.observe(this.#root, {
      subtree: true,
      childList: true,
      characterData: true,
      ...(attributes.length > 0 && { attributeFilter: [...attributes] }),
    });
  }

  /** Changes the page without taking note of it. */
  #unseen(change: () => void): void {
    this.#note(this.#observer?.takeRecords() ?? []);
    change();
    this.#observer?.takeRecords();
  }

  #note(records: readonly MutationRecord[]): void {
    for (const { target } of records) {
      const block = this.#blockOf(target);
      if (block) this.#changed.add(block);
    }
    if (this.#changed.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#follow(), pause);
  }

  /** The block whose text a change is in; `null` where nothing is translated. */
  #blockOf(target: Node): Element | null {
    let block: Element | null = null;
    for (let node: Node | null = target; node; node = dom.parentNode(node)) {
      if (dom.nodeType(node) === Node.ELEMENT_NODE) {
        if (isPoint(this.#tree, node)) return null;
        if (block === null && (node === this.#root || !this.#tree.isInline(node))) block = node as Element;
      }
      if (node === this.#root) return block;
    }
    return null;
  }

  /** Translates what has changed, once what runs is done: a changed text as a whole, from what it was. */
  #follow(): void {
    const changed = [...this.#changed].filter((block) => dom.isConnected(block) && this.#mayTryAgain(block));
    this.#changed.clear();
    const go = async () => {
      this.#unseen(() => {
        for (const block of changed) this.#originals.restoreIn(block);
      });
      await this.#translateIn(changed);
    };
    // Errors are those of the first run, and were reported to those who wait for it.
    this.#running = this.#running.then(go).catch(() => undefined);
  }

  #mayTryAgain(block: Element): boolean {
    const times = (this.#again.get(block) ?? 0) + 1;
    this.#again.set(block, times);
    return times <= mostAgain;
  }
}

const workOf = (run: Run<Node>): Work => ({
  container: run.container as Element,
  run,
  texts: textsIn(run),
});

const attributesOf = (element: Element): Work => ({ container: element, run: null, texts: new Map() });

function textsIn({ segments }: Run<Node>): Map<Text, string> {
  const texts = new Map<Text, string>();
  for (const { items } of segments)
    for (const { node } of items)
      if (dom.nodeType(node) === Node.TEXT_NODE) texts.set(node as Text, (node as Text).data);
  return texts;
}

/** Whether a page still has what was translated. */
function isUnchanged({ container, nodes }: Run<Node>, texts: ReadonlyMap<Text, string>): boolean {
  const last = nodes.at(-1);
  const isWhole = nodes.every(
    (node, i) =>
      dom.parentNode(node) === container && (node === last || dom.nextSibling(node) === nodes[i + 1]),
  );
  return isWhole && [...texts].every(([text, data]) => text.data === data && dom.contains(container, text));
}
