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

/** An entry of `groupby`, which is a tuple with names. */
export class Group extends Tuple {}

/** A list of the variables whose owner wants to hear whether a template goes through it. */
export class Watched extends Array<Value> {
  onRead: () => void = () => {};

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** What is read like a list, and prints and combines otherwise. */
export abstract class View extends Array<Value> {
  abstract readonly type: string;

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A mapping's keys, values or items. */
export class DictView extends View {
  type = 'dict_items';
}

export class Range extends View {
  readonly type = 'range';
  bounds: readonly [start: number, stop: number, step: number] = [0, 0, 1];
}

/**
 * The result of `map`, `select` and others: true even if empty, of unknown length, and read once, as far as it is read.
 */
export class Stream {
  readonly #entries: Iterator<Value>;

  constructor(entries: Iterable<Value>) {
    this.#entries = entries[Symbol.iterator]();
  }

  /** @returns undefined at the end */
  next(): Value | undefined {
    const { done, value } = this.#entries.next();
    return done ? undefined : value;
  }
}

/** An object of the language: a namespace, the variable `loop`, what a macro tells about itself. */
export class Attributes {
  readonly values = new Map<string, Value>();

  constructor(readonly type: string) {}

  get(name: string): Value | undefined {
    return this.values.get(name);
  }

  /** As it is printed. */
  show(_print: (value: Value) => string): string {
    return `<${this.type}>`;
  }
}

export interface Given {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export class Callable {
  /** A function with attributes: a macro, or `loop` in a recursive loop. */
  constructor(
    readonly name: string,
    readonly call: (given: Given) => Value,
    readonly attributes: Attributes | null = null,
  ) {}

  get type(): string {
    return this.attributes?.type ?? 'function';
  }
}

export type Value =
  | null
  | boolean
  | number
  | string
  | Float
  | Undefined
  | Value[]
  | Stream
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
  if (value instanceof View) return value.type;
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  return value.type;
}

export function isTrue(value: Value): boolean {
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
    if (left instanceof DictView) return left.type !== 'dict_values' && haveSameEntries(left, right, budget);
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
  const areSequences = isSequence(left) && isSequence(right) && typeOf(left) === typeOf(right);
  if (!areSequences)
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

/** Keys and items are equal in any order, as sets are. */
function haveSameEntries(left: readonly Value[], right: readonly Value[], budget: Budget): boolean {
  return left.every((item) => right.some((other) => areEqual(item, other, budget)));
}

/** Whether a value is a list or a tuple. */
export const isSequence = (value: Value): value is Value[] =>
  Array.isArray(value) && !(value instanceof View);

/** By code points, where JavaScript compares UTF-16 units. */
function compareTexts(left: string, right: string, budget: Budget): number {
  budget.look(Math.min(left.length, right.length));
  let i = 0;
  while (i < left.length && left[i] === right[i]) i++;
  return (left.codePointAt(i) ?? -1) - (right.codePointAt(i) ?? -1);
}
