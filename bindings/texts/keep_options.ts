/** The options that say what is kept; what finds it loads with the first text that may have something. */

import { describe } from '../values/describe.js';
import { fail } from '../values/errors.js';

/** Gives the ranges to keep of the text at a place among those that are translated, in UTF-16 units. */
export type KeepFunction = (text: string, place: number) => Iterable<readonly [begin: number, end: number]>;

/** A text or an expression, wherever it occurs, or what a function finds. */
export type Keep = string | RegExp | KeepFunction;

/** `false`: everything is given to the model. */
export type KeepOption = Keep | readonly Keep[] | false;

/** Translations of terms; `true` keeps a term as it is. */
export type Glossary = Readonly<Record<string, string | true>>;

/** What the caller keeps, and something besides. */
export const keepAlso = (keep: KeepOption | undefined, more: Keep): KeepOption =>
  keep === false ? more : [...[keep ?? []].flat(), more];

export function toKeep(value: unknown, name: string): KeepOption {
  const isKeep = (one: unknown): one is Keep =>
    (typeof one === 'string' && one !== '') || one instanceof RegExp || typeof one === 'function';
  if (value === false) return value;
  if ([value].flat().every(isKeep)) return value as KeepOption;
  return fail(
    'invalid_argument',
    `${name} must be texts, regular expressions or a function, or false; got ${describe(value)}`,
  );
}

export function toGlossary(value: unknown, name: string): Glossary {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  for (const [term, own] of isObject ? Object.entries(value) : [['', undefined]])
    if (term?.trim() === '' || !(own === true || typeof own === 'string'))
      fail(
        'invalid_argument',
        `${name} must be an object of terms with their translations, or true to keep one`,
      );
  return value as Glossary;
}
