/** Loops, and the variable `loop` in them. */

import { entriesOf } from './builtin.js';
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

export interface Iteration {
  readonly over: Value;
  readonly node: Loop;
  readonly evaluator: Evaluator;
  /** Runs the loop over something else (`recursive`). */
  readonly again: (given: Given) => Value;
}

/**
 * @param run renders the body; returns whether to leave the loop
 * @returns whether there was anything to iterate over
 */
export function iterate(
  { over, node, evaluator, again }: Iteration,
  newScope: () => Scope,
  assign: (target: Target, value: Value, scope: Scope) => void,
  run: (scope: Scope) => boolean,
): boolean {
  const { condition, target } = node;
  const all = entriesOf(over, evaluator.budget);
  const items = condition
    ? all.filter((item) => {
        const scope = newScope();
        assign(target, item, scope);
        return isTrue(evaluator.evaluate(condition, scope));
      })
    : all;
  const loop = new Attributes('LoopContext');
  addFunctions(loop, evaluator, () => position);
  let position = 0;
  for (const [i, item] of items.entries()) {
    evaluator.budget.step(10);
    position = i;
    place(loop, i, items);
    const scope = newScope();
    scope.set('loop', node.isRecursive ? new Callable('loop', again, loop) : loop);
    assign(target, item, scope);
    if (run(scope)) break;
  }
  return items.length > 0;
}

function place(loop: Attributes, i: number, items: readonly Value[]): void {
  const { values } = loop;
  const { length } = items;
  values.set('index0', i);
  values.set('index', i + 1);
  values.set('revindex0', length - i - 1);
  values.set('revindex', length - i);
  values.set('first', i === 0);
  values.set('last', i === length - 1);
  values.set('length', length);
  values.set('previtem', items[i - 1] ?? new Undefined('there is no previous item'));
  values.set('nextitem', items[i + 1] ?? new Undefined('there is no next item'));
}

function addFunctions({ values }: Attributes, { budget }: Evaluator, position: () => number): void {
  let before: Value | undefined;
  values.set('depth', 1);
  values.set('depth0', 0);
  values.set(
    'cycle',
    new Callable('cycle', ({ positional }) => {
      if (positional.length === 0) throw new Error('no items for cycling given');
      return positional[position() % positional.length] ?? null;
    }),
  );
  values.set(
    'changed',
    new Callable('changed', ({ positional }) => {
      const now = Tuple.from(positional);
      const isSame = before !== undefined && areEqual(before, now, budget);
      before = now;
      return !isSame;
    }),
  );
}
