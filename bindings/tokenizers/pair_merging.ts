/**
 * Byte pair encoding (Sennrich et al. 2016): repeatedly merges the neighbours of the least rank, the leftmost of equal
 * ones, until no pair has a rule.
 */

import { lettersAtOnce, type Steps } from '../engine/steps.js';

/** A linked part of a text. */
export interface Part {
  id: number;
  begin: number;
  end: number;
  /** How many of the first parts it is made of; 0 once it was merged into the one before. */
  size: number;
  before: number;
  after: number;
}

/** What a pair becomes. */
export interface Rule {
  readonly id: number;
  readonly rank: number;
}

interface Pair extends Rule {
  readonly left: number;
  readonly size: number;
}

/** Appends a part to a list. */
export function appendPart(parts: Part[], id: number, begin: number, end: number): void {
  const i = parts.length;
  const last = parts[i - 1];
  if (last) last.after = i;
  parts.push({ id, begin, end, size: 1, before: i - 1, after: -1 });
}

/**
 * Merges parts, and returns those that are left.
 *
 * @param ruleOf the rule for two neighbours; null without one
 */
export function* merged(parts: Part[], ruleOf: (left: Part, right: Part) => Rule | null): Steps<Part[]> {
  const queue = new PairQueue();
  const offer = (left: number) => {
    const a = parts[left];
    const b = a && parts[a.after];
    const rule = a && b ? ruleOf(a, b) : null;
    if (a && b && rule) queue.push({ ...rule, left, size: a.size + b.size });
  };
  for (let i = 0; i + 1 < parts.length; i++) {
    if (i % lettersAtOnce === lettersAtOnce - 1) yield;
    offer(i);
  }
  let done = 0;
  for (let pair = queue.pop(); pair; pair = queue.pop()) {
    if (++done % lettersAtOnce === 0) yield;
    const a = parts[pair.left];
    const b = a && parts[a.after];
    // One of them has been merged with another one since.
    if (!a || !b || a.size === 0 || a.size + b.size !== pair.size) continue;
    a.id = pair.id;
    a.end = b.end;
    a.size = pair.size;
    a.after = b.after;
    b.size = 0;
    const next = parts[b.after];
    if (next) next.before = pair.left;
    offer(a.before);
    offer(pair.left);
  }
  return parts.filter(({ size }) => size > 0);
}

/** A binary heap. */
class PairQueue {
  readonly #heap: Pair[] = [];

  push(pair: Pair): void {
    const heap = this.#heap;
    let place = heap.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(pair, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = pair;
  }

  pop(): Pair | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || !last) return top;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left && right && isBefore(right, left)) child++;
      const best = heap[child];
      if (!best || !isBefore(best, last)) break;
      heap[place] = best;
      place = child;
    }
    heap[place] = last;
    return top;
  }
}

const isBefore = (a: Pair, b: Pair) => a.rank < b.rank || (a.rank === b.rank && a.left < b.left);
