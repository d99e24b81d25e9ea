/**
 * Pages that undo a translation: the same text comes back in its place at once, and again after it was translated anew.
 * Each time the next attempt waits twice as long. What changes to something else, a clock or a chat, is no fight
 * however often it does.
 */

import type { Work } from './reading.js';

/** A translation that stood for less than this was undone, in milliseconds. */
const stood = 500;
const first = 100;
const longest = 300_000;

interface Attempt {
  readonly block: Node;
  readonly at: number;
  readonly stands: () => boolean;
  delay: number;
  /** When the text may be translated again. */
  due: number;
}

export class Fights {
  /** What was written into a block of late. */
  readonly #attempts = new WeakMap<Node, Map<string, Attempt>>();
  readonly #changed = new WeakMap<Node, number>();
  readonly #lately = new Lately();

  /** The page has changed a block. */
  changed(block: Node): void {
    this.#changed.set(block, performance.now());
  }

  /** Some of a block were written together. */
  wrote(block: Node, all: readonly Work[], by: object): void {
    const now = performance.now();
    const known = this.#attempts.get(block);
    // What the page has replaced by something else since is no longer waited for.
    const recent = [...(known ?? [])].filter(
      ([, { at, due, stands }]) => (now - at < stood && stands()) || due > now,
    );
    const entries = all.map((work): [string, Attempt] => [
      work.text,
      {
        block,
        at: now,
        stands: () => block.isConnected && work.isWritten(by) && work.isCurrent(),
        delay: known?.get(work.text)?.delay ?? 0,
        due: 0,
      },
    ]);
    this.#attempts.set(block, new Map([...recent, ...entries]));
    for (const [text, attempt] of entries) this.#lately.put(text, attempt);
  }

  /** How long to wait before it is translated again, in milliseconds. */
  delayOf({ block, text }: Work): number {
    const attempt = this.#attempts.get(block)?.get(text) ?? this.#inherited(block, text);
    if (!attempt || attempt.stands()) return 0;
    const now = performance.now();
    if (attempt.due > 0) return Math.max(attempt.due - now, 0);
    const isOwn = attempt.block === block;
    const changed = isOwn ? (this.#changed.get(block) ?? Number.POSITIVE_INFINITY) : now;
    if (changed - attempt.at >= stood) return 0;
    attempt.delay = Math.min(Math.max(first, 2 * attempt.delay), longest);
    attempt.due = now + attempt.delay;
    return attempt.delay;
  }

  /** What became of the same text in a block that the page has thrown away, as it does where it sets `innerHTML`. */
  #inherited(block: Node, text: string): Attempt | undefined {
    const attempt = this.#lately.get(text);
    if (!attempt || attempt.block.isConnected) return undefined;
    const own = this.#attempts.get(block) ?? new Map<string, Attempt>();
    this.#attempts.set(block, own.set(text, attempt));
    return attempt;
  }
}

/** What was written within the last moments, or is waited for: no more of it, however long a page lives. */
class Lately {
  #newer = new Map<string, Attempt>();
  #older = new Map<string, Attempt>();
  #begun = 0;

  put(text: string, attempt: Attempt): void {
    const { at } = attempt;
    if (at - this.#begun >= stood) {
      // As long again as it waits: another text's attempt may end this one's block meanwhile.
      const waiting = [...this.#older].filter(([, { due, delay }]) => due + delay > at);
      this.#older = new Map([...waiting, ...this.#newer]);
      this.#newer = new Map();
      this.#begun = at;
    }
    this.#newer.set(text, attempt);
  }

  get(text: string): Attempt | undefined {
    return this.#newer.get(text) ?? this.#older.get(text);
  }
}
