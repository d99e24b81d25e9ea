/** Options objects, checked by name and type before anything is computed. */

import { describe } from './describe.js';
import { fail } from './errors.js';

/** The value as an object; `undefined` counts as an empty one. */
export function toObject(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail('invalid_argument', `${name} must be an object, got ${describe(value)}`);
  return Object.fromEntries(Object.entries(value));
}

/** Rejects unknown names: a misspelt option that is silently ignored costs hours. */
export function checkNames(given: object, known: readonly string[], name: string): void {
  for (const [key, value] of Object.entries(given)) {
    if (known.includes(key) || value === undefined) continue;
    const near = nearest(key, known);
    fail(
      'invalid_argument',
      `${name} has no '${key}'${near ? `; did you mean '${near}'?` : '.'} It takes ${known.join(', ') || 'nothing'}`,
    );
  }
}

export function toNumber(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    fail('invalid_argument', `${name} must be a finite number, got ${describe(value)}`);
  return value;
}

export function toInteger(value: unknown, name: string, range: { min: number; max?: number }): number {
  const max = range.max ?? 2 ** 31 - 1;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < range.min || value > max) {
    const upTo = range.max === undefined ? `from ${range.min} on` : `from ${range.min} to ${range.max}`;
    fail('invalid_argument', `${name} must be an integer ${upTo}, got ${describe(value)}`);
  }
  return value;
}

export function toBoolean(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean')
    fail('invalid_argument', `${name} must be true or false, got ${describe(value)}`);
  return value;
}

export function toChoice<T extends string>(value: unknown, name: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  const list = choices.map((one) => `'${one}'`).join(', ');
  return fail('invalid_argument', `${name} must be one of ${list}, got ${describe(value)}`);
}

/** The known name with the smallest edit distance, if that is small enough. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll('_', '');
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(plain(name), plain(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/** Insertions, deletions and replacements from `a` to `b` (Levenshtein 1966). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Checks a field of an options object and converts it for the engine. */
export type Reader<T = unknown> = (value: unknown, name: string) => T;

/** The result of reading options; every field is optional. */
export type FieldsOf<Readers> = {
  [Name in keyof Readers]?: Readers[Name] extends Reader<infer T> ? T : never;
};

/** Reads the given fields; a name that `readers` lacks is an error. */
export function readFields<Readers extends Readonly<Record<string, Reader>>>(
  options: unknown,
  readers: Readers,
  name = 'options',
): FieldsOf<Readers> {
  const given = toObject(options, name);
  checkNames(given, Object.keys(readers), name);
  const fields: FieldsOf<Readers> = {};
  for (const key of Object.keys(readers) as (keyof Readers & string)[])
    if (given[key] !== undefined)
      fields[key] = readers[key]?.(given[key], key) as FieldsOf<Readers>[typeof key];
  return fields;
}

export const integerFrom =
  (min: number): Reader<number> =>
  (value, name) =>
    toInteger(value, name, { min });

export const choiceOf =
  <const T extends string>(choices: readonly T[]): Reader<T> =>
  (value, name) =>
    toChoice(value, name, choices);

/** Accepts values that a type guard accepts; `wanted` describes them. */
export function toBe<T>(wanted: string, holds: (value: unknown) => value is T): Reader<T> {
  return (value, name) =>
    holds(value) ? value : fail('invalid_argument', `${name} must be ${wanted}, got ${describe(value)}`);
}

/** The readers of all fields of an options object: an undocumented or unread field is a type error. */
export type ReadersOf<Options> = { readonly [Name in keyof Options]-?: Reader };

export const toText = toBe('a string', (value): value is string => typeof value === 'string');

export const toSignal = toBe('an AbortSignal', (value): value is AbortSignal => value instanceof AbortSignal);

/** What a zero-shot classifier puts its labels into. */
export const toTemplate = toBe(
  'a text that contains {}',
  (value): value is string => typeof value === 'string' && value.includes('{}'),
);

export const toFunction = <T>(value: unknown, name: string): T =>
  toBe('a function', (given): given is T & object => typeof given === 'function')(value, name);

/** A number above zero. */
export const toPositive: Reader<number> = (value, name) => {
  const number = toNumber(value, name);
  if (number <= 0) fail('invalid_argument', `${name} must be positive, got ${number}`);
  return number;
};

/** The epsilon of a norm. */
export const toEpsilon: Reader<number> = (value, name) => {
  const number = toNumber(value, name);
  if (number < 0) fail('invalid_argument', `${name} must not be negative, got ${number}`);
  return number;
};
