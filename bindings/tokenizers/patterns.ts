/**
 * Regular expressions of a tokenizer.json. They run in the caller's thread and cannot be interrupted. JavaScript's own
 * search may take exponential time, or for all matches together the square of the text's length; it runs only those
 * that are known to take time in proportion to the text. The others run as a `LinearPattern`, which few need.
 */

import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';

/** The longest pattern of a published tokenizer has 400 characters. */
const maxLength = 4000;

/**
 * Checks the `pattern` of a step, which is `{ String }` or `{ Regex }`. The library ignores any other.
 *
 * @throws TransformerError `unsupported`
 */
export function checkPattern({ type, pattern }: JsonObject, file: string): void {
  if (pattern === undefined || pattern === null) return;
  const kinds = isJsonObject(pattern) ? Object.keys(pattern) : [];
  const [kind] = kinds;
  const value = isJsonObject(pattern) && kind !== undefined ? pattern[kind] : undefined;
  if (kinds.length !== 1 || (kind !== 'String' && kind !== 'Regex') || typeof value !== 'string')
    fail('unsupported', `${file}: the pattern of ${type} must be { String } or { Regex }`);
  if (value.length > maxLength)
    fail(
      'unsupported',
      `${file}: the pattern of ${type} has ${value.length} characters; at most ${maxLength} are allowed`,
    );
}

/** A letter, or a class of letters. */
const one = String.raw`(?:\.|\\(?:[dDsSwWnrt]|[pP]\{\w+\}|[^\w\s])|\[(?:\\.|[^\[\]\\])+\]|[^\\()[\]{}*+?|^$.])`;
/** Some words. */
const words = String.raw`\((?:\?:|\?i:)[^\\()[\]{}*+?^$.]+\)`;
const fixed = `(?:(?:${one}|${words})(?![*+?{]))*`;

/**
 * An alternative that fails within a constant number of letters, or succeeds without going back: at most one part of
 * it varies before its only repetition, and nothing can fail after that.
 */
const simple = new RegExp(
  String.raw`${fixed}(?:${one}(?:\?|\{\d{1,2}(?:,\d{1,2})?\})${fixed})?(?:${one}(?:[*+]|\{\d{1,2},\}))?(?:(?:${one}[*?]|${words}\?)(?![+?]))*(?=\||$)`,
  'y',
);

const upper = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const lower = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const begin = String.raw`[^\r\n\p{L}\p{N}]?`;
const ending = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
const space = String.raw`\s+`;

/** Other alternatives of published patterns, each with a later one that matches what the former has read in vain. */
const known = [
  [String.raw`\s+(?!\S)`, space],
  [String.raw`\s*[\r\n]+`, space],
  [String.raw`\s*[\r\n]`, space],
  [`${begin}${upper}*${lower}+${ending}`, `${begin}${upper}+${lower}*${ending}`],
  [String.raw`[\p{L}\p{N}]+(?=n't(?![\p{L}\p{N}]))`, String.raw`'?[\p{L}\p{N}]+`],
  [String.raw`n't(?![\p{L}\p{N}])`, String.raw`'?[\p{L}\p{N}]+`],
] as const;

/** Whether JavaScript's search is known to take time in proportion to the text, for all matches together. */
export function isKnownLinear(pattern: string): boolean {
  if (pattern.includes('&&')) return false; // classes of classes
  for (let at = 0; ; at++) {
    const found = known.find(
      ([text, later]) =>
        pattern.startsWith(`${text}|`, at) && `${pattern}|`.includes(`|${later}|`, at + text.length),
    );
    simple.lastIndex = at;
    const [text] = found ?? simple.exec(pattern) ?? [];
    if (text === undefined) return false;
    at += text.length;
    if (at === pattern.length) return true;
  }
}

let linear: typeof import('./linear_pattern.js') | undefined;

/** Loads what {@link boundPattern} needs for these steps of a tokenizer.json. */
export async function loadPatterns(steps: JsonObject): Promise<void> {
  if (!linear && hasUnknown(steps)) linear = await import('./linear_pattern.js');
}

/** Whether a pattern anywhere in a JSON value is not known to be linear. */
function hasUnknown(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUnknown);
  if (!isJsonObject(value)) return false;
  const { Regex } = value;
  return (typeof Regex === 'string' && !isKnownLinear(Regex)) || Object.values(value).some(hasUnknown);
}

/** Gives a step of the library a pattern that takes time in proportion to the text. */
export function boundPattern(step: { pattern?: unknown }, { pattern }: JsonObject): void {
  const source = isJsonObject(pattern) ? pattern.Regex : undefined;
  if (typeof source !== 'string' || isKnownLinear(source) || !(step.pattern instanceof RegExp)) return;
  if (!linear) fail('internal', 'a pattern is used before loadPatterns');
  step.pattern = new linear.LinearPattern(step.pattern.source);
}
