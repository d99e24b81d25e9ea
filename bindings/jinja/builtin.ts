/** Functions of the language: filters, tests and methods, with their parameters' names. */

import type { Budget } from './budget.js';
import { type Given, Stream, typeOf, Undefined, type Value, Watched } from './values.js';

/** The part of the interpreter that a function needs. */
export interface Machine {
  readonly budget: Budget;
  filter(name: string, value: Value, given: Given): Value;
  test(name: string, value: Value, given: Given): boolean;
  /** `value.name` and `value[key]`. */
  attribute(value: Value, name: string): Value;
  item(value: Value, key: Value): Value;
}

/** An argument that was not given is `undefined`. */
export type Arg = Value | undefined;

export interface Builtin<T extends Value = Value> {
  readonly parameters: readonly string[];
  readonly run: (value: Value, args: readonly Arg[], machine: Machine) => T;
}

export type Builtins = Readonly<Record<string, Builtin>>;

/**
 * @param parameters names, separated by spaces; `!` after one that must be given, and `/` after those that have no name
 *   for callers
 */
export function builtin<T extends Value>(parameters: string, run: Builtin<T>['run']): Builtin<T> {
  return { parameters: parameters.split(' ').filter((name) => name !== ''), run };
}

/** The arguments in the order of the parameters. @throws Error for those that there is no parameter for */
export function bind(name: string, written: readonly string[], { positional, named }: Given): Arg[] {
  const unnamed = written.indexOf('/');
  const parameters = written.filter((parameter) => parameter !== '/');
  if (positional.length > parameters.length)
    throw new Error(`${name}() takes at most ${parameters.length} arguments, got ${positional.length}`);
  const names = parameters.map((parameter) => parameter.replace('!', ''));
  for (const key of named.keys()) {
    const at = names.indexOf(key);
    if (at < unnamed) throw new Error(`${name}() has no argument named '${key}'`);
    if (at < positional.length) throw new Error(`${name}() got multiple values for argument '${key}'`);
  }
  return names.map((parameter, i) => {
    const given = i < positional.length ? positional[i] : named.get(parameter);
    if (given === undefined && parameters[i]?.endsWith('!'))
      throw new Error(`${name}() missing 1 required argument: '${parameter}'`);
    return given;
  });
}

/** The entries of what Python iterates over, as a list of its own. A stream is empty afterwards. */
export function entriesOf(value: Value, budget: Budget): Value[] {
  if (value instanceof Watched) value.onRead();
  if (Array.isArray(value)) {
    budget.list(value.length);
    return Array.from(value);
  }
  const entries: Value[] = [];
  for (const entry of entriesIn(value, budget)) {
    budget.list(1);
    entries.push(entry);
  }
  return entries;
}

/** The entries one after the other; a stream is read as far as they are taken. */
export function entriesIn(value: Value, budget: Budget): Iterable<Value> {
  if (value instanceof Watched) value.onRead();
  if (value instanceof Undefined) return [];
  if (typeof value === 'string') return charactersOf(value, budget);
  if (value instanceof Map) return value.keys();
  if (Array.isArray(value)) return value;
  if (value instanceof Stream) return rest(value, budget);
  throw new Error(`'${typeOf(value)}' object is not iterable`);
}

/** A stream may be of another one's entries, and that of a third one's: each is read within the one that asks. */
function* rest(stream: Stream, budget: Budget): Generator<Value> {
  const next = () => budget.within(() => stream.next());
  for (let entry = next(); entry !== undefined; entry = next()) {
    budget.step();
    yield entry;
  }
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
  if (Array.isArray(value)) return value.length;
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
