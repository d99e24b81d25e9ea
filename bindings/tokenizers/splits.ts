/** Patterns of steps, and what a text is cut into where they match. */

import { isJsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import type { Span } from './aligned_text.js';
import { LinearPattern } from './linear_pattern.js';
import type { StepEntry } from './step_entry.js';

/** A part of a text that a pattern matches, or one between two of them. */
export type Part = readonly [begin: number, end: number, isMatch: boolean];

/** All of a text, part by part. */
export type Cutter = (text: string) => Part[];

export const behaviors = [
  'Removed',
  'Isolated',
  'MergedWithPrevious',
  'MergedWithNext',
  'Contiguous',
] as const;
export type Behavior = (typeof behaviors)[number];

/** The longest pattern of a published tokenizer has 400 characters. */
const maxLength = 4000;

/** The `pattern` of a step, which is `{ String }` or `{ Regex }`. @throws TransformerError `unsupported` */
export function cutterOf(step: StepEntry): Cutter {
  const pattern = step.get('pattern');
  const [[kind, value] = [], ...others] = isJsonObject(pattern) ? Object.entries(pattern) : [];
  const { file, type } = step;
  if (others.length > 0 || (kind !== 'String' && kind !== 'Regex') || typeof value !== 'string')
    return fail('unsupported', `${file}: the pattern of ${type} must be { String } or { Regex }`);
  if (value.length > maxLength)
    fail(
      'unsupported',
      `${file}: the pattern of ${type} has ${value.length} characters; at most ${maxLength} are allowed`,
    );
  if (kind === 'String' && value !== '') return matching((text) => placesOf(value, text));
  const regular = new LinearPattern(kind === 'String' ? '' : value);
  return matching((text) => regular.in(text));
}

function* placesOf(word: string, text: string): Generator<Span> {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
    yield [at, at + word.length];
}

/** @param matches the matches in a text from left to right */
export const matching =
  (matches: (text: string) => Iterable<readonly [begin: number, end: number]>): Cutter =>
  (text) => {
    const parts: Part[] = [];
    let last = 0;
    for (const [begin, end] of matches(text)) {
      if (begin > last) parts.push([last, begin, false]);
      parts.push([begin, end, true]);
      last = end;
    }
    if (last < text.length) parts.push([last, text.length, false]);
    return parts;
  };

/** Each character of a set is a match. */
export const eachOf = (letters: RegExp): Cutter =>
  matching((text) =>
    Array.from(text.matchAll(letters), ({ 0: { length }, index }): Span => [index, index + length]),
  );

/** What a text is cut into, without empty parts. */
export function splitAt(text: string, cutter: Cutter, behavior: Behavior, inverts = false): Span[] {
  const parts = cutter(text);
  const spans: [begin: number, end: number][] = [];
  const isBackward = behavior === 'MergedWithNext';
  const merges = isBackward || behavior === 'MergedWithPrevious';
  if (isBackward) parts.reverse();
  let wasMatch = false;
  for (const [begin, end, found] of parts) {
    const isMatch = found !== inverts;
    if (isMatch && behavior === 'Removed') continue;
    const last = spans.at(-1);
    const joins = behavior === 'Contiguous' ? isMatch === wasMatch : merges && isMatch && !wasMatch;
    if (!joins || !last) spans.push([begin, end]);
    else if (isBackward) last[0] = begin;
    else last[1] = end;
    wasMatch = isMatch;
  }
  if (isBackward) spans.reverse();
  return spans.filter(([begin, end]) => end > begin);
}
