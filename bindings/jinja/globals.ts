/** The functions and constants that every template sees, and its variables. */

import type { Budget } from './budget.js';
import { bind, entriesOf, type Machine } from './builtin.js';
import { Dict } from './dict.js';
import { rangeOf } from './members.js';
import { print } from './print.js';
import { strftime } from './strftime.js';
import {
  Attributes,
  Callable,
  Float,
  type Given,
  toInteger,
  toText,
  Undefined,
  type Value,
  Watched,
} from './values.js';

/** The longest range that Jinja's sandbox allows. */
const longestRange = 100_000;

/** Objects within objects, as deep as values given to a template may go. */
const deepest = 100;

/** How variables become values. */
export interface Conversion {
  readonly machine: Machine;
  readonly watch?:
    | { readonly lists: ReadonlySet<unknown>; readonly onRead: (list: unknown) => void }
    | undefined;
}

/** A value of JavaScript as one of Python. @throws Error for objects that are nested too deep, or contain themselves */
export function toValue(given: unknown, conversion: Conversion, depth = 0): Value {
  const { machine, watch } = conversion;
  machine.budget.step();
  if (depth > deepest) throw new Error(`the variables are nested more than ${deepest} deep`);
  if (given === undefined) return new Undefined('the value is undefined');
  if (given === null || typeof given === 'boolean' || typeof given === 'string') return given;
  if (typeof given === 'number') return Number.isSafeInteger(given) ? given : new Float(given);
  if (typeof given === 'function') return toCallable(given as (...args: unknown[]) => unknown, machine);
  if (typeof given !== 'object') return String(given);
  if (Array.isArray(given)) {
    machine.budget.list(given.length);
    const items = given.map((item) => toValue(item, conversion, depth + 1));
    if (!watch?.lists.has(given)) return items;
    const list = Watched.from(items) as Watched;
    list.onRead = () => watch.onRead(given);
    return list;
  }
  const entries = given instanceof Map ? [...given] : Object.entries(given);
  machine.budget.list(3 * entries.length);
  return Dict.of(entries.map(([key, item]) => [String(key), toValue(item, conversion, depth + 1)]));
}

function toCallable(run: (...args: unknown[]) => unknown, machine: Machine): Callable {
  return new Callable(run.name, ({ positional }) =>
    toValue(run(...positional.map((value) => toPlain(value, machine.budget))), { machine }),
  );
}

/** A value of Python as one of JavaScript. */
function toPlain(value: Value, budget: Budget): unknown {
  budget.step();
  if (value instanceof Float) return value.value;
  if (value instanceof Undefined) return undefined;
  return budget.within(() => {
    if (Array.isArray(value)) return Array.from(value, (item) => toPlain(item, budget));
    if (!(value instanceof Map)) return value;
    return Object.fromEntries([...value].map(([key, item]) => [print(key, budget), toPlain(item, budget)]));
  });
}

function range(given: Given, budget: Budget): Value {
  const [first, second, third] = bind('range', ['start!', 'stop', 'step', '/'], given);
  const start = second === undefined ? 0 : toInteger(first ?? null, 'start');
  const stop = toInteger((second === undefined ? first : second) ?? null, 'stop');
  const step = third === undefined ? 1 : toInteger(third, 'step');
  if (step === 0) throw new Error('range() arg 3 must not be zero');
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (count > longestRange) throw new Error(`a range of ${count} is too long`);
  budget.list(count);
  return rangeOf(
    [start, stop, step],
    Array.from({ length: count }, (_, i) => start + i * step),
  );
}

/** Python's `dict`: a mapping or a list of pairs, and arguments with names. */
function dict(given: Given, budget: Budget): Dict {
  const [from = new Dict()] = bind('dict', ['mapping', '/'], { ...given, named: new Map() });
  if (from instanceof Map) {
    budget.list(3 * from.size);
    return Dict.of([...from, ...given.named]);
  }
  const pairs = entriesOf(from, budget).map((entry): [Value, Value] => {
    const pair = entriesOf(entry, budget);
    const [key, value] = pair;
    if (key === undefined || value === undefined || pair.length !== 2)
      throw new Error(`dict() takes pairs, and one has ${pair.length} entries`);
    return [key, value];
  });
  return Dict.of([...pairs, ...given.named]);
}

class Namespace extends Attributes {
  constructor(values: Dict) {
    super('Namespace');
    for (const [name, value] of values) this.values.set(String(name), value);
  }

  override show(print: (value: Value) => string): string {
    return `<Namespace ${print(Dict.of(this.values))}>`;
  }
}

function cycler({ positional }: Given): Value {
  if (positional.length === 0) throw new Error('at least one item has to be provided');
  const made = new Attributes('Cycler');
  let place = 0;
  const show = () => made.values.set('current', positional[place] ?? null);
  const next = () => {
    const current = positional[place] ?? null;
    place = (place + 1) % Math.max(1, positional.length);
    show();
    return current;
  };
  made.values.set('next', new Callable('next', next));
  const reset = () => {
    place = 0;
    show();
    return null;
  };
  made.values.set('reset', new Callable('reset', reset));
  show();
  return made;
}

function joiner({ positional: [separator = ', '] }: Given): Value {
  let isUsed = false;
  return new Callable('joiner', () => {
    const given = isUsed ? separator : '';
    isUsed = true;
    return given;
  });
}

/** @param refuse called with the sentence of `raise_exception` */
export function globalsOf(machine: Machine, refuse: (sentence: string) => never): Map<string, Value> {
  const functions: Readonly<Record<string, (given: Given) => Value>> = {
    range: (given) => range(given, machine.budget),
    namespace: (given) => new Namespace(dict(given, machine.budget)),
    cycler,
    joiner,
    dict: (given) => dict(given, machine.budget),
    strftime_now: ({ positional: [format = null] }) => strftime(new Date(), toText(format, 'the format')),
    raise_exception: ({ positional: [sentence = ''] }) => refuse(print(sentence, machine.budget)),
  };
  return new Map(Object.entries(functions).map(([name, run]) => [name, new Callable(name, run)]));
}
