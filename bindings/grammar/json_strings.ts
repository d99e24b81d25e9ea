/** The strings of JSON: their characters as they are written, of given lengths, patterns and formats. */

import {
  type CodePoints,
  complement,
  everyCharacter,
  intersection,
  single,
  union,
  without,
} from './code_points.js';
import { choice, type Form, literal, ofSet, type Rules, repeat, rule, sequence, withSets } from './form.js';
import { type CharacterMachine, machineOf, product, written } from './machine.js';

const quote = literal('"');
const mustEscape: CodePoints = union([[0, 0x1f]], single(0x22), single(0x5c));
/** What stands in a string as it is. */
const plain: CodePoints = complement(mustEscape);
const shortEscapes = new Map(
  [...'"\\\b\t\n\f\r'].map((letter, i) => [letter.codePointAt(0) ?? 0, '"\\btnfr'[i]]),
);

const among = (letters: string): Form =>
  ofSet(union(...Array.from(letters, (x) => single(x.codePointAt(0) ?? 0))));
const hex = among('0123456789abcdefABCDEF');

/** Four hexadecimal digits that are no half of a pair, or two halves: one character each. */
const unicodeEscape = choice(
  sequence(among('0123456789abcefABCEF'), repeat(hex, 3, 3)),
  sequence(among('dD'), among('01234567'), repeat(hex, 2, 2)),
  sequence(
    ...[among('dD'), among('89abAB'), repeat(hex, 2, 2)],
    ...[literal('\\u'), among('dD'), among('cdefCDEF'), repeat(hex, 2, 2)],
  ),
);

/** Rules that strings refer to. */
export const stringRules: Rules = new Map([
  [
    'letter',
    choice(
      ofSet(plain),
      sequence(literal('\\'), choice(among('"\\/bfnrt'), sequence(literal('u'), unicodeEscape))),
    ),
  ],
  ['string', sequence(quote, repeat(rule('letter'), 0, Number.POSITIVE_INFINITY), quote)],
]);

/** A string's characters, each written in one way. */
function escaped(set: CodePoints): Form {
  const parts: Form[] = [];
  const asIs = intersection(set, plain);
  if (asIs.length > 0) parts.push(ofSet(asIs));
  for (const [first, last] of intersection(set, mustEscape))
    for (let code = first; code <= last; code++) parts.push(literal(escapeOf(code)));
  return choice(...parts);
}

const escapeOf = (code: number): string => {
  const short = shortEscapes.get(code);
  return short === undefined ? `\\u${code.toString(16).padStart(4, '0')}` : `\\${short}`;
};

/** A string as it is. */
export const stringLiteral = (text: string): Form => literal(JSON.stringify(text));

export interface StringLimits {
  readonly min: number;
  readonly max: number;
  /** What the text has to be, all at once. */
  readonly patterns: readonly Form[];
}

/** @throws TransformerError `unsupported` for patterns that have too many states together */
export function stringForm({ min, max, patterns }: StringLimits): Form {
  const hasLimits = min > 0 || max !== Number.POSITIVE_INFINITY;
  const [only] = patterns;
  if (!only) return hasLimits ? sequence(quote, repeat(rule('letter'), min, max), quote) : rule('string');
  if (patterns.length === 1 && !hasLimits) return sequence(quote, withSets(only, escaped), quote);
  const [first, ...others] = patterns.map(machineOf);
  if (!first) return rule('string');
  if (hasLimits) others.push(lengths(min, max));
  return sequence(quote, written(others.reduce(product, first), escaped), quote);
}

/** Texts of as many characters. */
export function lengths(min: number, max: number): CharacterMachine {
  const isOpen = max === Number.POSITIVE_INFINITY;
  const last = isOpen ? min : max;
  const states = Array.from({ length: last + 1 }, (_, i) => i);
  return {
    edges: states.map((i) =>
      i < last || isOpen ? [{ set: everyCharacter, target: Math.min(i + 1, last) }] : [],
    ),
    ends: states.map((i) => i >= min),
  };
}

/** A key that is none of these. */
export function otherKey(keys: readonly string[]): Form {
  if (keys.length === 0) return rule('string');
  const words = keys.map((key) => Array.from(key));
  const free = sequence(repeat(rule('letter'), 0, Number.POSITIVE_INFINITY), quote);
  const after = (given: readonly string[][], depth: number): Form => {
    const next = new Map<string, string[][]>();
    for (const word of given) {
      const letter = word[depth];
      if (letter !== undefined) next.set(letter, [...(next.get(letter) ?? []), word]);
    }
    const taken = union(...Array.from(next.keys(), (letter) => single(letter.codePointAt(0) ?? 0)));
    const others = sequence(escaped(without(everyCharacter, taken)), free);
    const branches = Array.from(next, ([letter, rest]) =>
      sequence(escaped(single(letter.codePointAt(0) ?? 0)), after(rest, depth + 1)),
    );
    const mayEnd = given.every((word) => word.length !== depth);
    return choice(...branches, others, ...(mayEnd ? [quote] : []));
  };
  return sequence(quote, after(words, 0));
}
