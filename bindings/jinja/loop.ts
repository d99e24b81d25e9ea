/** Loops, and the variable `loop` in them. */

import type { Budget } from './budget.js';
import { entriesIn } from './builtin.js';
import type { Evaluator } from './evaluator.js';
import type { Scope } from './scope.js';
import type { Loop, Target } from './syntax.js';
import {
  Attributes,
  areEqual,
  Callable,
  type Given,
  isTrue,
  Tuple,
  Undefined,
  type Value,
} from './values.js';

interface Iteration {
  readonly over: Value;
  readonly node: Loop;
  readonly evaluator: Evaluator;
  /** How many loops of `recursive` this one is in. */
  readonly depth: number;
  /** Runs the loop over something else (`recursive`). */
  readonly again: (given: Given) => Value;
}

/**
 * @param run renders the body; returns what ended it
 * @returns whether a body came to its end: where `break` or `continue` ended each of them, Jinja runs `else`
 */
export function iterate(
  { over, node, evaluator, depth, again }: Iteration,
  newScope: () => Scope,
  assign: (target: Target, value: Value, scope: Scope) => void,
  run: (scope: Scope) => 'break' | 'continue' | undefined,
): boolean {
  const { condition, target } = node;
  const { budget } = evaluator;
  const loop = new LoopContext(entriesOfLoop(), budget, depth);
  const shown = node.isRecursive ? new Callable('loop', again, loop) : loop;
  let ran = false;
  while (loop.advance()) {
    budget.step(10);
    const scope = newScope();
    scope.set('loop', shown);
    assign(target, loop.current, scope);
    const ending = run(scope);
    if (ending === 'break') break;
    ran ||= ending === undefined;
  }
  return ran;

  function entriesOfLoop(): Iterable<Value> {
    const entries = entriesIn(over, budget);
    return condition ? kept(entries, (scope) => isTrue(evaluator.evaluate(condition, scope))) : entries;
  }

  function* kept(entries: Iterable<Value>, isKept: (scope: Scope) => boolean): Generator<Value> {
    for (const item of entries) {
      const scope = newScope();
      scope.set('loop', new Undefined("'loop' is undefined in the condition of a loop"));
      assign(target, item, scope);
      if (isKept(scope)) yield item;
    }
  }
}

/** The entries are read when they are asked for: what a loop leaves in a stream, others find there. */
class LoopContext extends Attributes {
  readonly #entries: Iterator<Value>;
  readonly #budget: Budget;
  readonly #depth: number;
  /** Entries that were read ahead, from `#head` on. */
  #ahead: Value[] = [];
  #head = 0;
  #before: Value | undefined;
  #current: Value | undefined;
  #index = -1;

  constructor(entries: Iterable<Value>, budget: Budget, depth: number) {
    super('LoopContext');
    this.#entries = entries[Symbol.iterator]();
    this.#budget = budget;
    this.#depth = depth;
    this.values.set('cycle', new Callable('cycle', (given) => this.#cycle(given)));
    this.values.set('changed', new Callable('changed', changes(budget)));
  }

  get current(): Value {
    return this.#current ?? null;
  }

  /** Goes to the next entry. @returns whether there is one */
  advance(): boolean {
    const next = this.#peek();
    if (next === undefined) return false;
    if (++this.#head === this.#ahead.length) {
      this.#ahead = [];
      this.#head = 0;
    }
    this.#before = this.#current;
    this.#current = next;
    this.#index++;
    return true;
  }

  #peek(): Value | undefined {
    if (this.#head === this.#ahead.length) this.#read();
    return this.#ahead[this.#head];
  }

  #read(): boolean {
    const { done, value } = this.#entries.next();
    if (!done) this.#ahead.push(value);
    return !done;
  }

  /** How many entries there are, for which all of them are read. */
  #length(): number {
    while (this.#read()) this.#budget.list(1);
    return this.#index + 1 + this.#ahead.length - this.#head;
  }

  override get(name: string): Value | undefined {
    const index = this.#index;
    switch (name) {
      case 'index0':
        return index;
      case 'index':
        return index + 1;
      case 'revindex0':
        return this.#length() - index - 1;
      case 'revindex':
        return this.#length() - index;
      case 'first':
        return index === 0;
      case 'last':
        return this.#peek() === undefined;
      case 'length':
        return this.#length();
      case 'previtem':
        return this.#before === undefined ? new Undefined('there is no previous item') : this.#before;
      case 'nextitem': {
        const next = this.#peek();
        return next === undefined ? new Undefined('there is no next item') : next;
      }
      case 'depth':
        return this.#depth;
      case 'depth0':
        return this.#depth - 1;
      default:
        return this.values.get(name);
    }
  }

  #cycle({ positional }: Given): Value {
    if (positional.length === 0) throw new Error('no items for cycling given');
    return positional[this.#index % positional.length] ?? null;
  }

  override show(): string {
    return `<LoopContext ${this.#index + 1}/${this.#length()}>`;
  }
}

/** Whether the arguments are others than those of the last call. */
function changes(budget: Budget): (given: Given) => boolean {
  let before: Value | undefined;
  return ({ positional }) => {
    const now = Tuple.from(positional);
    const isSame = before !== undefined && areEqual(before, now, budget);
    before = now;
    return !isSame;
  };
}
