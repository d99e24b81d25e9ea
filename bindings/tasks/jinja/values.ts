/** Python's values as JavaScript's, and what all of them have: a type's name, a truth value, equality and an order. */

import type { Budget } from './budget.js';

/** A whole number is a JavaScript number; a fraction, even `2.0`, is a Float. */
export class Float {
  constructor(readonly value: number) {}
}

/** The value of a name or key that does not exist; most uses of it fail. */
export class Undefined {
  constructor(readonly reason: string) {}

  fail(): never {
    throw new Error(this.reason);
  }
}

export class Tuple extends Array<Value> {}

/** The result of `map`, `select` and others: true even if empty, of unknown length, and read once. */
export class Stream extends Array<Value> {}

/** A namespace, or the variable `loop`. */
export class Attributes {
  readonly values = new Map<string, Value>();

  constructor(readonly type: string) {}
}

export interface Given {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export class Callable {
  /** A function with attributes: `loop` in a recursive loop. */
  constructor(
    readonly name: string,
    readonly call: (given: Given) => Value,
    readonly attributes: Attributes | null = null,
  ) {}
}

export type Value =
  | null
  | boolean
  | number
  | string
  | Float
  | Undefined
  | Value[]
  | Map<Value, Value>
  | Attributes
  | Callable;

export function typeOf(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'int';
  if (typeof value === 'string') return 'str';
  if (value instanceof Float) return 'float';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Stream) return 'generator';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  return value instanceof Callable ? 'function' : value.type;
}

export function isTrue(value: Value): boolean {
  if (value instanceof Stream) return true;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof Float) return value.value !== 0;
  return !(value instanceof Undefined) && Boolean(value);
}

/** A number's value; `null` for anything else. Python's booleans are numbers. */
export function numberOf(value: Value): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Float) return value.value;
  return typeof value === 'number' ? value : null;
}

/** @throws Error unless the value is a whole number */
export function toInteger(value: Value, what: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  throw new Error(`${what} must be an integer, not '${typeOf(value)}'`);
}

/** @throws Error unless the value is a string */
export function toText(value: Value, what: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`${what} must be a string, not '${typeOf(value)}'`);
}

/** A whole number, as far as JavaScript's are exact. */
export function wholeNumber(value: number): number {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  throw new Error(`an integer of this size is not supported: ${value}`);
}

export function areEqual(left: Value, right: Value, budget: Budget): boolean {
  budget.step();
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null && b !== null) return a === b;
  if (typeof left === 'string' && typeof right === 'string') {
    budget.look(left.length === right.length ? left.length : 0);
    return left === right;
  }
  if (left instanceof Undefined) return right instanceof Undefined;
  if (left === right || left === null || right === null) return left === right;
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length || typeOf(left) !== typeOf(right)) return false;
    return budget.within(() => left.every((item, i) => areEqual(item, right[i] ?? null, budget)));
  }
  if (!(left instanceof Map && right instanceof Map) || left.size !== right.size) return false;
  return budget.within(() =>
    [...left].every(([key, value]) => right.has(key) && areEqual(value, right.get(key) ?? null, budget)),
  );
}

/** Negative if `left` is smaller, 0 if they are equal. @throws Error if Python has no order for them */
export function compare(left: Value, right: Value, sign: string, budget: Budget): number {
  budget.step();
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null && b !== null) return a - b;
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right, budget);
  for (const value of [left, right]) if (value instanceof Undefined) value.fail();
  const areSequences = Array.isArray(left) && Array.isArray(right) && typeOf(left) === typeOf(right);
  if (!areSequences || left instanceof Stream)
    throw new Error(`'${sign}' not supported between instances of '${typeOf(left)}' and '${typeOf(right)}'`);
  return budget.within(() => {
    for (const [i, item] of left.entries()) {
      const other = right[i];
      if (other === undefined) return 1;
      if (!areEqual(item, other, budget)) return compare(item, other, sign, budget);
    }
    return left.length - right.length;
  });
}

/** By code points, where JavaScript compares UTF-16 units. */
function compareTexts(left: string, right: string, budget: Budget): number {
  budget.look(Math.min(left.length, right.length));
  let i = 0;
  while (i < left.length && left[i] === right[i]) i++;
  return (left.codePointAt(i) ?? -1) - (right.codePointAt(i) ?? -1);
}
