/**
 * Regular expressions of a tokenizer.json. They run in the caller's thread and cannot be interrupted, so those that may
 * take exponential time are refused: a repetition of something that itself repeats or has alternatives, as in `(a+)+`
 * or `(a|aa)*`. No published tokenizer has one.
 */

import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';

/** The longest pattern of a published tokenizer has 300 characters. */
const maxLength = 4000;

/** Repetitions in a row, each of which may multiply the time by the length of the text. */
const maxRepetitions = 4;

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
  if (kind === 'Regex' && (value.length > maxLength || mayExplode(value)))
    fail(
      'unsupported',
      `${file}: the regular expression of ${type} may take exponential time: ${shown(value)}`,
    );
}

const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}...` : text);

/** What has been read of a group. */
interface Group {
  /** Whether it repeats something, or has alternatives. */
  varies: boolean;
  /** Unbounded repetitions in the current alternative. */
  repetitions: number;
  most: number;
}

const newGroup = (): Group => ({ varies: false, repetitions: 0, most: 0 });

/** Errs on the side of refusal: what a group means is not looked at. */
export function mayExplode(pattern: string): boolean {
  const open: Group[] = [newGroup()];
  let last: Group | null = null; // the group that has just been closed
  for (let i = 0; i < pattern.length; ) {
    const group = open.at(-1) ?? newGroup();
    const rest = pattern.slice(i, i + 24);
    const [quantifier, most] = quantifierOf(rest);
    if (quantifier !== undefined) {
      if (most !== undefined && most > 1) {
        if (last?.varies) return true;
        group.varies = true;
        group.repetitions += most === Infinity ? 1 : 0;
      }
      i += quantifier.length;
      last = null;
      continue;
    }
    last = null;
    const character = pattern[i];
    if (character === '\\') i += 2;
    else if (character === '[') i = endOfClass(pattern, i);
    else {
      i++;
      if (character === '(') open.push(newGroup());
      else if (character === '|') {
        group.varies = true;
        group.most = Math.max(group.most, group.repetitions);
        group.repetitions = 0;
      } else if (character === ')' && open.length > 1) {
        last = open.pop() ?? null;
        const outer = open.at(-1);
        if (last && outer) {
          outer.varies ||= last.varies;
          outer.repetitions += Math.max(last.most, last.repetitions);
        }
      }
    }
    const now = open.at(-1);
    if (now && Math.max(now.most, now.repetitions) > maxRepetitions) return true;
  }
  return false;
}

/** A quantifier's text, and how often it repeats at the most. */
function quantifierOf(text: string): [string, number] | [] {
  const [found, one, min = '', comma, max = ''] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})[?+]?/.exec(text) ?? [];
  if (found === undefined) return [];
  if (one !== undefined) return [found, one === '?' ? 1 : Infinity];
  return [found, comma === '' ? Number(min) : max === '' ? Infinity : Number(max)];
}

/** The offset after a class `[...]`, which may contain others. */
function endOfClass(pattern: string, begin: number): number {
  let depth = 0;
  for (let i = begin; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++;
    else if (pattern[i] === '[') depth++;
    else if (pattern[i] === ']' && --depth === 0) return i + 1;
  }
  return pattern.length;
}
