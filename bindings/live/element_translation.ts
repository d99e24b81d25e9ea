/** Translates an element of a page in place: what is in sight first, and what the page changes later. */

import * as dom from '../markup/dom.js';
import { pauses } from '../markup/pauses.js';
import type { TranslateTexts } from '../markup/translate_runs.js';
import { Changes } from './changes.js';
import { Claims, released } from './claims.js';
import { Fights } from './fights.js';
import { ledger } from './ledger.js';
import { Queue } from './queue.js';
import { type Block, isWithin, Reach } from './reach.js';
import { isWorthWriting, joined, readBlock, type Work } from './reading.js';
import type { ElementSettings } from './settings.js';
import { SourceTree } from './source_tree.js';
import { Translations } from './translations.js';

/** A group of texts should take about so long, in milliseconds: that is how soon one sees what comes into sight. */
const [soon, late] = [100, 400];
const largest = 512;
/** How long a loop runs at a time, in milliseconds: after each turn the browser lays out the page. */
const turn = 40;

/** Translations that have not ended. */
const active = new Set<ElementTranslation>();

export class ElementTranslation {
  readonly root: Element;
  readonly #translations: Translations;
  readonly #settings: ElementSettings;
  readonly #tree: SourceTree;
  readonly #reach: Reach;
  readonly #changes: Changes;
  readonly #queue = new Queue();
  readonly #fights = new Fights();
  readonly #claims = new Claims();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #running: Promise<void> | undefined;
  /** Settles when a block may be free that another translation had. */
  #free: Promise<void> | undefined;
  #done = 0;
  #size = 1;

  constructor(root: Element, translate: TranslateTexts, settings: ElementSettings) {
    this.root = root;
    this.#settings = settings;
    this.#translations = new Translations(translate);
    this.#tree = new SourceTree(settings.language);
    this.#changes = new Changes(root, () => {
      // Errors of the model were reported to those who wait for the first run.
      this.#follow().catch(() => undefined);
    });
    this.#reach = new Reach(this.#tree, settings.attributes, (inner) => this.#changes.watch(inner));
    this.#changes.watch(root);
    active.add(this);
  }

  /** @throws what the translation throws. */
  async run(): Promise<void> {
    await this.#find([this.root]);
    await this.#empty();
    if (!this.#settings.observe) this.stop();
  }

  setAttribute(name: string, value: string): void {
    quietly(() => ledger.write(this.root, value, this.#settings.by, name));
  }

  stop(): void {
    active.delete(this);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#changes.stop();
    this.#queue.clear();
    this.#settings.stop.abort();
    this.#claims.release();
  }

  /** Ends those of the same element and of elements in it, too: they are one. */
  restore(): void {
    const ended = [...active].filter(({ root }) => isWithin(root, this.root));
    for (const one of new Set([this, ...ended])) one.stop();
    const own = this.#settings.by;
    quietly(() =>
      ledger.restore((node, by) => isWithin(node, this.root) || (by === own && !dom.isConnected(node))),
    );
  }

  /** Puts all blocks below some nodes into the queue. */
  async #find(roots: Iterable<Node>): Promise<void> {
    const pause = pauses(this.#settings.stop.signal, turn);
    this.#settings.stop.signal.throwIfAborted();
    this.#tree.forget();
    for (const root of roots)
      for (const block of this.#reach.blocksIn(root)) {
        if (block) this.#queue.add(block);
        const waiting = pause();
        if (!waiting) continue;
        await waiting;
        this.#tree.forget();
      }
  }

  /** Translates what is in the queue, and what comes into it meanwhile. */
  #empty(): Promise<void> {
    this.#running ??= this.#translateAll().finally(() => {
      this.#running = undefined;
      this.#claims.release();
    });
    return this.#running;
  }

  async #translateAll(): Promise<void> {
    const { stop, onProgress } = this.#settings;
    await this.#queue.known();
    let open: Work[] = [];
    while (open.length > 0 || this.#queue.size > 0) {
      stop.signal.throwIfAborted();
      open = [...open, ...(await this.#read(this.#size - open.length))];
      const begin = performance.now();
      if (open.length > 0) open = await this.#translate(open);
      // What is left is in the hands of others.
      else await this.#free;
      const took = performance.now() - begin;
      if (took < soon) this.#size = Math.min(2 * this.#size, largest);
      else if (took > late) this.#size = Math.max(this.#size >> 1, 1);
      onProgress?.({
        done: this.#done,
        total: this.#done + this.#queue.size + new Set(open.map(({ block }) => block)).size,
      });
    }
  }

  /** So many texts of the next blocks. */
  async #read(count: number): Promise<Work[]> {
    const all: Work[] = [];
    const source = { tree: this.#tree, reach: this.#reach, language: this.#settings.language };
    const pause = pauses(this.#settings.stop.signal, turn);
    this.#tree.forget();
    this.#free = undefined;
    for (let others = 0; all.length < count && others <= this.#queue.size; ) {
      const block = this.#queue.take();
      if (!block) break;
      if (!isWithin(block, this.root)) continue;
      if (!this.#claims.take(block)) {
        this.#free ??= released();
        this.#queue.add(block);
        others++;
        continue;
      }
      const open = readBlock(source, block, this.#settings.by).filter((work) => this.#mayTry(work));
      if (open.length === 0) this.#end([block]);
      all.push(...open);
      const waiting = pause();
      if (!waiting) continue;
      await waiting;
      this.#tree.forget();
    }
    return all;
  }

  #end(blocks: readonly Block[]): void {
    this.#done += blocks.length;
    this.#claims.release(blocks);
  }

  /** Whether a text is translated now; else it is later. */
  #mayTry(work: Work): boolean {
    const delay = this.#fights.delayOf(work);
    if (delay === 0) return true;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#changes.again(work.block);
    }, delay);
    this.#timers.add(timer);
    return false;
  }

  /** Translates as many parts as make a group. @returns what is not complete. */
  async #translate(works: readonly Work[]): Promise<Work[]> {
    const some: { work: Work; text: string; isAligned: boolean }[] = [];
    const rest: Work[] = [];
    for (const work of works) {
      if (some.length < this.#size && !work.isCurrent()) continue;
      const { parts, done, isAligned } = work;
      const own = parts.slice(done.length, done.length + Math.max(this.#size - some.length, 0));
      if (own.length === 0) rest.push(work);
      some.push(...own.map((text) => ({ work, text, isAligned })));
    }
    const results = await this.#translations.of(some);
    this.#settings.stop.signal.throwIfAborted();
    for (const [i, { work }] of some.entries()) work.done.push(results[i] as Work['done'][number]);
    const touched = [...new Set(some.map(({ work }) => work))];
    await this.#write(touched.filter(isWorthWriting));
    const open = touched.filter(({ parts, done }) => done.length < parts.length);
    const left = [...open, ...rest];
    const still = new Set(left.map(({ block }) => block));
    this.#end([...new Set(works.map(({ block }) => block))].filter((block) => !still.has(block)));
    return left;
  }

  async #write(works: readonly Work[]): Promise<void> {
    const { by, stop } = this.#settings;
    const pause = pauses(stop.signal, turn);
    const byBlock = new Map<Block, Work[]>();
    for (const work of works) byBlock.set(work.block, [...(byBlock.get(work.block) ?? []), work]);
    for (const [block, own] of byBlock) {
      quietly(() => {
        const current = own.filter((work) => work.isCurrent());
        for (const work of current) work.write(joined(work), by);
        const whole = current.filter(({ parts, done }) => done.length === parts.length);
        this.#fights.wrote(block, whole, by);
      });
      await pause();
    }
  }

  /** Takes note of what the page has changed. */
  noteChanges(): void {
    this.#changes.note();
  }

  forgetChanges(): void {
    this.#changes.forget();
  }

  /** Translates what has changed. */
  async #follow(): Promise<void> {
    if (!this.#settings.observe) return;
    this.#tree.forget();
    const { nodes, targets } = this.#changes.take();
    for (const target of targets) {
      const block = isWithin(target, this.root) ? this.#reach.blockOf(target) : null;
      if (!block) continue;
      this.#fights.changed(block);
      this.#queue.add(block);
    }
    await this.#find([...nodes].filter((node) => isWithin(node, this.root)));
    await this.#empty();
  }
}

/** Changes the page without any translation taking it for the page's. */
function quietly(change: () => void): void {
  for (const one of active) one.noteChanges();
  change();
  for (const one of active) one.forgetChanges();
}
