/** Filters for pages, which few chat templates have: text without tags, sizes of files, lines of a width. */

import { type Arg, joinTexts, type Machine } from './builtin.js';
import { fixed, readFloat } from './numbers.js';
import { print } from './print.js';
import { linesOf } from './text_methods.js';
import { isTrue, numberOf, toInteger, toText, type Value } from './values.js';
import { wordsOf } from './white_space.js';

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\xa0',
};

/** Without tags, comments and escapes, and with one space between words. */
export function striptags(value: Value, _args: readonly Arg[], { budget }: Machine): string {
  let text = print(value, budget);
  budget.string(4 * text.length);
  text = without(without(text, '<!--', '-->'), '<', '>');
  const plain = wordsOf(text)
    .join(' ')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
      return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    });
  return plain;
}

/** Removes what stands between two marks; a mark that is not closed stays. */
function without(text: string, open: string, close: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let begin = text.indexOf(open); begin >= 0; begin = text.indexOf(open, at)) {
    const end = text.indexOf(close, begin + open.length);
    if (end < 0) break;
    parts.push(text.slice(at, begin));
    at = end + close.length;
  }
  return parts.join('') + text.slice(at);
}

/** `1234567` as `1.2 MB`. */
export function filesizeformat(value: Value, [binary]: readonly Arg[], { budget }: Machine): string {
  const bytes = typeof value === 'string' ? readFloat(value.trim()) : numberOf(value);
  if (bytes === null) throw new Error(`a size must be a number, not '${print(value, budget).slice(0, 60)}'`);
  const isBinary = isTrue(binary ?? false);
  const base = isBinary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const letters = [...'kMGTPEZY'];
  const exponent = letters.findIndex((_letter, i) => bytes < base ** (i + 2));
  const power = exponent < 0 ? letters.length : exponent + 1;
  const letter = letters[power - 1] ?? 'k';
  const unit = isBinary ? `${letter.toUpperCase()}iB` : `${letter}B`;
  return `${fixed((base * bytes) / base ** (power + 1), 1)} ${unit}`;
}

/** Lines of at most `width` letters. */
export function wordwrap(
  value: Value,
  [width, breaks, between, hyphens]: readonly Arg[],
  { budget }: Machine,
): string {
  const size = width === undefined ? 79 : toInteger(width, 'width');
  if (size <= 0) throw new Error(`invalid width ${size} (must be > 0)`);
  const separator = between === undefined || between === null ? '\n' : toText(between, 'wrapstring');
  const style = { size, breaksWords: isTrue(breaks ?? true), breaksHyphens: isTrue(hyphens ?? true) };
  const lines = linesOf(toText(value, 'the value'), false, budget).map((line) => {
    budget.list(2 * line.length);
    return joinTexts(wrap(line, style), separator, budget);
  });
  return joinTexts(lines, separator, budget);
}

interface WrapStyle {
  readonly size: number;
  readonly breaksWords: boolean;
  readonly breaksHyphens: boolean;
}

const letter = String.raw`[\p{L}_]`;
const word = String.raw`[\p{L}\p{N}_]`;
const punctuated = String.raw`[\p{L}\p{N}_!"'&.,?]`;
/** White space, dashes between words, and words, which may end at a hyphen. */
const chunk = new RegExp(
  [
    String.raw`\s+`,
    `(?<=${punctuated})-{2,}(?=${word})`,
    String.raw`\S+?(?:-(?:(?<=${letter}{2}-)|(?<=${letter}-${punctuated}-))(?=${letter}-?${letter})|(?=\s|$)|(?<=${punctuated})(?=-{2,}${word}))`,
  ].join('|'),
  'gu',
);

/** As Python's `textwrap` does: white space at the end of a line goes, and that between two lines. */
function wrap(text: string, { size, breaksWords, breaksHyphens }: WrapStyle): string[] {
  const pattern = breaksHyphens ? chunk : /\s+|\S+/gu;
  const chunks = (text.match(pattern) ?? []).map((found) => Array.from(found)).reverse();
  const isBlank = (letters: readonly string[] | undefined) => letters?.join('').trim() === '';
  const lines: string[] = [];
  while (chunks.length > 0) {
    if (lines.length > 0 && isBlank(chunks.at(-1))) chunks.pop();
    const line: string[][] = [];
    let room = size;
    for (let next = chunks.at(-1); next && next.length <= room; next = chunks.at(-1)) {
      line.push(next);
      room -= next.length;
      chunks.pop();
    }
    const long = chunks.at(-1);
    if (long && long.length > size) {
      if (breaksWords) {
        const cut = placeToBreak(long, room, breaksHyphens);
        line.push(long.slice(0, cut));
        chunks[chunks.length - 1] = long.slice(cut);
      } else if (line.length === 0) line.push(chunks.pop() ?? []);
    }
    if (isBlank(line.at(-1))) line.pop();
    if (line.length > 0) lines.push(line.flat().join(''));
  }
  return lines;
}

function placeToBreak(long: readonly string[], room: number, breaksHyphens: boolean): number {
  const hyphen = breaksHyphens ? long.slice(0, room).lastIndexOf('-') : -1;
  return hyphen > 0 && long.slice(0, hyphen).some((found) => found !== '-') ? hyphen + 1 : room;
}
