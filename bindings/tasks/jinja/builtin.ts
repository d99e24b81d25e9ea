/** Functions of the language: filters, tests and methods, with their parameters' names. */

import type { Budget } from './budget.js';
import { type Given, Stream, typeOf, Undefined, type Value } from './values.js';

/** The part of the interpreter that a function needs. */
export interface Machine {
  readonly budget: Budget;
  filter(name: string, value: Value, given: Given): Value;
  test(name: string, value: Value, given: Given): boolean;
}

/** An argument that was not given is `undefined`. */
export type Arg = Value | undefined;

export interface Builtin<T extends Value = Value> {
  readonly parameters: readonly string[];
  readonly run: (value: Value, args: readonly Arg[], machine: Machine) => T;
}

export type Builtins = Readonly<Record<string, Builtin>>;

/** @param parameters names, separated by spaces */
export function builtin<T extends Value>(parameters: string, run: Builtin<T>['run']): Builtin<T> {
  return { parameters: parameters.split(' ').filter((name) => name !== ''), run };
}

/** The arguments in the order of the parameters. @throws Error for those that there is no parameter for */
export function bind(name: string, parameters: readonly string[], { positional, named }: Given): Arg[] {
  if (positional.length > parameters.length)
    throw new Error(`${name}() takes at most ${parameters.length} arguments, got ${positional.length}`);
  for (const key of named.keys())
    if (!parameters.includes(key)) throw new Error(`${name}() has no argument named '${key}'`);
  return parameters.map((parameter, i) => positional[i] ?? named.get(parameter) ?? presentNull(i, parameter));

  function presentNull(i: number, parameter: string): Arg {
    return positional[i] === null || named.get(parameter) === null ? null : undefined;
  }
}

/** The entries of what Python iterates over. A stream is empty afterwards. */
export function entriesOf(value: Value, budget: Budget): Value[] {
  if (value instanceof Undefined) return [];
  if (typeof value === 'string') return charactersOf(value, budget);
  if (value instanceof Map) {
    budget.list(value.size);
    return [...value.keys()];
  }
  if (!Array.isArray(value)) throw new Error(`'${typeOf(value)}' object is not iterable`);
  budget.list(value.length);
  const entries = Array.from(value);
  if (value instanceof Stream) value.length = 0;
  return entries;
}

/** Code points, which Python counts. */
export function charactersOf(text: string, budget: Budget): string[] {
  budget.list(text.length);
  return Array.from(text);
}

const surrogate = /[\ud800-\udfff]/;

export function lengthOf(value: Value, budget: Budget): number {
  if (value instanceof Undefined) return 0;
  if (typeof value === 'string') {
    budget.look(value.length);
    return surrogate.test(value) ? charactersOf(value, budget).length : value.length;
  }
  if (value instanceof Map) return value.size;
  if (Array.isArray(value) && !(value instanceof Stream)) return value.length;
  throw new Error(`object of type '${typeOf(value)}' has no len()`);
}

/** Before a text is searched for another: JavaScript's search may compare it at each place. */
export function payForSearch(text: string, wanted: string, budget: Budget): void {
  budget.string(wanted.length);
  const places = Math.max(0, text.length - wanted.length) + 1;
  budget.look(text.length + (places * wanted.length) / 128);
}

/** Replaces up to `most` occurrences, or all if it is negative. */
export function replaceText(
  text: string,
  [from, to]: readonly [string, string],
  most: number,
  budget: Budget,
): string {
  payForSearch(text, from, budget);
  if (most === 0) return text;
  const pieces = from === '' ? ['', ...charactersOf(text, budget), ''] : splitText(text, from, most, budget);
  const joins = most < 0 ? pieces.length - 1 : Math.min(most, pieces.length - 1);
  budget.string(text.length + joins * Math.max(0, to.length - from.length));
  return joins === pieces.length - 1
    ? pieces.join(to)
    : pieces.slice(0, joins + 1).join(to) + pieces.slice(joins + 1).join(from);
}

/** Splits at up to `most` places, or at all if it is negative. */
export function splitText(text: string, separator: string, most: number, budget: Budget): string[] {
  if (separator === '') throw new Error('empty separator');
  payForSearch(text, separator, budget);
  const pieces: string[] = [];
  let begin = 0;
  for (let at = text.indexOf(separator); at >= 0 && pieces.length !== most; ) {
    budget.list(1);
    pieces.push(text.slice(begin, at));
    begin = at + separator.length;
    at = text.indexOf(separator, begin);
  }
  return [...pieces, text.slice(begin)];
}

/** Joins texts with a separator. */
export function joinTexts(texts: readonly string[], separator: string, budget: Budget): string {
  let length = separator.length * Math.max(0, texts.length - 1);
  for (const text of texts) length += text.length;
  budget.string(length);
  return texts.join(separator);
}

/** A text several times. */
export function repeatText(text: string, times: number, budget: Budget): string {
  const count = Math.max(0, times);
  budget.string(text.length * count);
  return text.repeat(text === '' ? 0 : count);
}
