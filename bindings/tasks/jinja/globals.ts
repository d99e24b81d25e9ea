/** The functions and constants that every template sees, and its variables. */

import type { Budget } from './budget.js';
import { bind, type Machine } from './builtin.js';
import { Dict } from './dict.js';
import { print } from './print.js';
import {
  Attributes,
  Callable,
  Float,
  type Given,
  toInteger,
  toText,
  Undefined,
  type Value,
} from './values.js';

/** The longest range that Jinja's sandbox allows. */
const longestRange = 100_000;

/** Objects within objects, as deep as values given to a template may go. */
const deepest = 100;

/** A value of JavaScript as one of Python. @throws Error for objects that are nested too deep, or contain themselves */
export function toValue(given: unknown, machine: Machine, depth = 0): Value {
  machine.budget.step();
  if (depth > deepest) throw new Error(`the variables are nested more than ${deepest} deep`);
  if (given === undefined) return new Undefined('the value is undefined');
  if (given === null || typeof given === 'boolean' || typeof given === 'string') return given;
  if (typeof given === 'number') return Number.isSafeInteger(given) ? given : new Float(given);
  if (typeof given === 'function') return toCallable(given as (...args: unknown[]) => unknown, machine);
  if (typeof given !== 'object') return String(given);
  if (Array.isArray(given)) {
    machine.budget.list(given.length);
    return given.map((item) => toValue(item, machine, depth + 1));
  }
  const entries = given instanceof Map ? [...given] : Object.entries(given);
  machine.budget.list(3 * entries.length);
  return Dict.of(entries.map(([key, item]) => [String(key), toValue(item, machine, depth + 1)]));
}

function toCallable(run: (...args: unknown[]) => unknown, machine: Machine): Callable {
  return new Callable(run.name, ({ positional }) =>
    toValue(run(...positional.map((value) => toPlain(value, machine.budget))), machine),
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
  const [first, second, third] = bind('range', ['start', 'stop', 'step'], given);
  const start = second === undefined ? 0 : toInteger(first ?? null, 'start');
  const stop = toInteger((second === undefined ? first : second) ?? null, 'stop');
  const step = third === undefined ? 1 : toInteger(third, 'step');
  if (step === 0) throw new Error('range() arg 3 must not be zero');
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (count > longestRange) throw new Error(`a range of ${count} is too long`);
  budget.list(count);
  return Array.from({ length: count }, (_, i) => start + i * step);
}

function namespace({ positional, named }: Given): Value {
  const made = new Attributes('Namespace');
  for (const given of positional)
    if (given instanceof Map) for (const [name, value] of given) made.values.set(String(name), value);
  for (const [name, value] of named) made.values.set(name, value);
  return made;
}

function cycler({ positional }: Given): Value {
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
    namespace,
    cycler,
    joiner,
    dict: ({ positional: [from], named }) => Dict.of([...(from instanceof Map ? from : []), ...named]),
    strftime_now: ({ positional: [format = null] }) => strftime(new Date(), toText(format, 'the format')),
    raise_exception: ({ positional: [sentence = ''] }) => refuse(print(sentence, machine.budget)),
  };
  return new Map(Object.entries(functions).map(([name, run]) => [name, new Callable(name, run)]));
}

/** The most common of Python's formats of a date; in English, as templates expect. */
function strftime(date: Date, format: string): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const part = (options: Intl.DateTimeFormatOptions) => date.toLocaleDateString('en-US', options);
  const parts: Readonly<Record<string, string>> = {
    Y: `${date.getFullYear()}`,
    y: two(date.getFullYear() % 100),
    m: two(date.getMonth() + 1),
    d: two(date.getDate()),
    H: two(date.getHours()),
    I: two(date.getHours() % 12 || 12),
    M: two(date.getMinutes()),
    S: two(date.getSeconds()),
    p: date.getHours() < 12 ? 'AM' : 'PM',
    B: part({ month: 'long' }),
    b: part({ month: 'short' }),
    A: part({ weekday: 'long' }),
    a: part({ weekday: 'short' }),
    '%': '%',
  };
  return format.replace(/%(.)/gs, (whole, letter: string) => parts[letter] ?? whole);
}
