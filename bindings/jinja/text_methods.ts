/** The methods of strings. */

import type { Budget } from './budget.js';
import {
  type Arg,
  type Builtin,
  type Builtins,
  builtin,
  charactersOf,
  entriesOf,
  joinTexts,
  type Machine,
  payForSearch,
  repeatText,
  replaceText,
  splitText,
} from './builtin.js';
import { capitalize, digits, isLower, isUpper, numerals, swapCase, title } from './letters.js';
import { isTrue, Tuple, toInteger, toText, type Value } from './values.js';
import { strip, stripEnd, wordsOf } from './white_space.js';

const method = (
  parameters: string,
  run: (text: string, args: readonly Arg[], machine: Machine) => Value,
): Builtin =>
  builtin(parameters, (value, args, machine) => {
    const text = toText(value, 'the value');
    machine.budget.string(text.length);
    return run(text, args, machine);
  });

const integer = (value: Arg, otherwise: number): number =>
  value === undefined || value === null ? otherwise : toInteger(value, 'the argument');

/** A method that removes white space, or the letters given. */
const stripper = (begin: boolean, end: boolean): Builtin =>
  method('chars /', (text, [given], { budget }) => {
    if (given === undefined || given === null) return strip(text, { begin, end });
    const letters = new Set(toText(given, 'chars'));
    budget.list(letters.size);
    const removes = (character: string) => letters.has(character);
    if (!hasSurrogate(text)) return strip(text, { begin, end, removes });
    const characters = charactersOf(text, budget);
    let [from, to] = [0, characters.length];
    if (begin) while (from < to && removes(characters[from] ?? '')) from++;
    if (end) while (to > from && removes(characters[to - 1] ?? '')) to--;
    return characters.slice(from, to).join('');
  });

/** A method that asks something of all letters, and needs at least one. */
const every = (pattern: RegExp): Builtin => method('', (text) => pattern.test(text));

/** The part of a text between two places, which count code points; null if it begins after the end. */
function part(
  text: string,
  [start, end]: readonly Arg[],
  budget: Budget,
): [begin: number, text: string] | null {
  if (start === undefined && end === undefined) return [0, text];
  const characters = charactersOf(text, budget);
  const { length } = characters;
  const from = integer(start, 0);
  const [begin, stop] = [from < 0 ? Math.max(0, from + length) : from, place(end, length, length)];
  return begin > length || begin > stop ? null : [begin, characters.slice(begin, stop).join('')];
}

/** `find` and its relatives, in code points. */
const finder = (isLast: boolean, mustExist: boolean): Builtin =>
  method('sub! start end /', (whole, [sub, ...bounds], { budget }) => {
    const wanted = toText(sub ?? null, 'sub');
    const [from, text] = part(whole, bounds, budget) ?? [0, null];
    if (text !== null) payForSearch(text, wanted, budget);
    const at = text === null ? -1 : isLast ? text.lastIndexOf(wanted) : text.indexOf(wanted);
    if (at < 0 && mustExist) throw new Error('substring not found');
    return at < 0 || text === null ? -1 : from + charactersOf(text.slice(0, at), budget).length;
  });

export function place(value: Arg, otherwise: number, length: number): number {
  const given = integer(value, otherwise);
  return given < 0 ? Math.max(0, length + given) : Math.min(given, length);
}

const splitter = (fromEnd: boolean): Builtin =>
  method('sep maxsplit', (text, [separator, most], { budget }) => {
    const limit = integer(most, -1);
    if (separator === undefined || separator === null) return splitWords(text, limit, fromEnd, budget);
    const between = toText(separator, 'sep');
    const pieces = splitText(text, between, fromEnd ? -1 : limit, budget);
    const extra = fromEnd && limit >= 0 ? pieces.length - 1 - limit : 0;
    return extra > 0 ? [pieces.slice(0, extra + 1).join(between), ...pieces.slice(extra + 1)] : pieces;
  });

function splitWords(text: string, most: number, fromEnd: boolean, budget: Budget): string[] {
  const words = wordsOf(text);
  budget.list(words.length);
  if (most < 0 || words.length <= most) return words;
  const kept = fromEnd ? words.slice(words.length - most) : words.slice(0, most);
  let rest = text;
  for (const word of fromEnd ? [...kept].reverse() : kept) {
    budget.look(word.length);
    const at = fromEnd ? rest.lastIndexOf(word) : rest.indexOf(word) + word.length;
    rest = fromEnd ? rest.slice(0, at) : rest.slice(at);
  }
  const last = fromEnd ? stripEnd(rest) : strip(rest, { end: false });
  if (last === '') return kept;
  return fromEnd ? [last, ...kept] : [...kept, last];
}

const partitioner = (isLast: boolean): Builtin =>
  method('sep! /', (text, [separator], { budget }) => {
    const between = toText(separator ?? null, 'sep');
    if (between === '') throw new Error('empty separator');
    payForSearch(text, between, budget);
    const at = isLast ? text.lastIndexOf(between) : text.indexOf(between);
    if (at < 0) return isLast ? Tuple.of<Value>('', '', text) : Tuple.of<Value>(text, '', '');
    return Tuple.of<Value>(text.slice(0, at), between, text.slice(at + between.length));
  });

const affix = (test: (text: string, affix: string) => boolean): Builtin =>
  method('affix! start end /', (whole, [given, ...bounds], { budget }) => {
    const options: readonly Arg[] = given instanceof Tuple ? given : [given];
    const text = part(whole, bounds, budget)?.[1];
    return options.some((option) => {
      const wanted = toText(option ?? null, 'the argument');
      return text !== undefined && test(text, wanted);
    });
  });

const justify = (share: (room: number, width: number) => number): Builtin =>
  method('width! fillchar /', (text, [width, filler], { budget }) => {
    const size = integer(width, 0);
    const fill = toText(filler === undefined ? ' ' : filler, 'fillchar');
    if (charactersOf(fill, budget).length !== 1)
      throw new Error('The fill character must be exactly one character long');
    const room = size - charactersOf(text, budget).length;
    if (room <= 0) return text;
    const before = share(room, size);
    return repeatText(fill, before, budget) + text + repeatText(fill, room - before, budget);
  });

const hasSurrogate = (text: string) => /[\ud800-\udfff]/.test(text);

const breaks = String.raw`\n\v\f\r\x1c-\x1e\x85\u2028\u2029`;
const line = new RegExp(`[^${breaks}]*(?:\\r\\n|[${breaks}])|[^${breaks}]+$`, 'gu');
const lineEnd = new RegExp(`(?:\\r\\n|[${breaks}])$`, 'u');

/** Python's `splitlines`. */
export function linesOf(text: string, keepsEnds: boolean, budget: Budget): string[] {
  const lines = text.match(line) ?? [];
  budget.list(lines.length);
  return keepsEnds ? lines : lines.map((whole) => whole.replace(lineEnd, ''));
}

function expandTabs(text: string, size: number, budget: Budget): string {
  const parts: string[] = [];
  let column = 0;
  for (const letter of charactersOf(text, budget)) {
    const room = size > 0 ? size - (column % size) : 0;
    const shown = letter === '\t' ? repeatText(' ', room, budget) : letter;
    column = letter === '\n' || letter === '\r' ? 0 : column + shown.length;
    parts.push(shown);
  }
  return joinTexts(parts, '', budget);
}

export const textMethods: Builtins = {
  upper: method('', (text) => text.toUpperCase()),
  lower: method('', (text) => text.toLowerCase()),
  casefold: method('', (text) => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss')),
  capitalize: method('', capitalize),
  title: method('', title),
  swapcase: method('', swapCase),
  strip: stripper(true, true),
  lstrip: stripper(true, false),
  rstrip: stripper(false, true),
  split: splitter(false),
  rsplit: splitter(true),
  splitlines: method('keepends', (text, [keeps], { budget }) =>
    linesOf(text, isTrue(keeps ?? false), budget),
  ),
  expandtabs: method('tabsize', (text, [size], { budget }) => expandTabs(text, integer(size, 8), budget)),
  partition: partitioner(false),
  rpartition: partitioner(true),
  startswith: affix((text, prefix) => text.startsWith(prefix)),
  endswith: affix((text, suffix) => text.endsWith(suffix)),
  removeprefix: method('prefix! /', (text, [prefix]) => {
    const removed = toText(prefix ?? null, 'prefix');
    return text.startsWith(removed) ? text.slice(removed.length) : text;
  }),
  removesuffix: method('suffix! /', (text, [suffix]) => {
    const removed = toText(suffix ?? null, 'suffix');
    return text.endsWith(removed) ? text.slice(0, text.length - removed.length) : text;
  }),
  replace: method('old! new! count /', (text, [from, to, count], { budget }) =>
    replaceText(text, [toText(from ?? null, 'old'), toText(to ?? null, 'new')], integer(count, -1), budget),
  ),
  join: method('iterable! /', (text, [list], { budget }) => {
    const items = entriesOf(list ?? null, budget).map((item) => toText(item, 'each item to join'));
    return joinTexts(items, text, budget);
  }),
  find: finder(false, false),
  rfind: finder(true, false),
  index: finder(false, true),
  rindex: finder(true, true),
  count: method('sub! start end /', (whole, [sub, ...bounds], { budget }) => {
    const wanted = toText(sub ?? null, 'sub');
    const text = part(whole, bounds, budget)?.[1];
    if (text === undefined) return 0;
    if (wanted === '') return charactersOf(text, budget).length + 1;
    return splitText(text, wanted, -1, budget).length - 1;
  }),
  center: justify((room, width) => Math.floor(room / 2) + (room & width & 1)),
  ljust: justify(() => 0),
  rjust: justify((room) => room),
  zfill: method('width! /', (text, [width], { budget }) => {
    const sign = /^[+-]/.test(text) ? text.slice(0, 1) : '';
    const room = integer(width, 0) - charactersOf(text, budget).length;
    return sign + repeatText('0', room, budget) + text.slice(sign.length);
  }),
  isdigit: every(new RegExp(`^[\\p{Nd}${digits}]+$`, 'u')),
  isdecimal: every(/^\p{Nd}+$/u),
  isnumeric: every(new RegExp(`^[\\p{N}${numerals}]+$`, 'u')),
  isalpha: every(/^\p{L}+$/u),
  isalnum: every(/^[\p{L}\p{N}]+$/u),
  isidentifier: every(/^[\p{XID_Start}_]\p{XID_Continue}*$/u),
  isprintable: every(/^(?: |[^\p{C}\p{Z}])*$/u),
  istitle: every(
    /^(?:\P{Cased}*[\p{Uppercase}\p{Lt}](?:(?![\p{Uppercase}\p{Lt}])\p{Cased})*(?=\P{Cased}|$))+\P{Cased}*$/u,
  ),
  isascii: method('', (text) => !/[\u0080-\uffff]/.test(text)),
  isspace: method('', (text) => text !== '' && strip(text) === ''),
  isupper: method('', isUpper),
  islower: method('', isLower),
};
