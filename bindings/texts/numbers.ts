/** The numbers of a text and of its translation, compared by their digits and by how the two languages write them. */

import type { Span } from '../tokenizers/aligned_text.js';

/** How a language writes numbers. */
export interface Writing {
  readonly decimal: string;
  readonly group: string;
}

const known = new Map<string | undefined, Writing | undefined>();

/** `undefined` for a language that is not known. Asked for with every sentence, found out once. */
export function writingOf(language: string | undefined): Writing | undefined {
  if (!known.has(language)) known.set(language, readWriting(language));
  return known.get(language);
}

function readWriting(language: string | undefined): Writing | undefined {
  try {
    const tag = new Intl.Locale((language ?? '').split('_')[0] ?? '').toString();
    const parts = new Intl.NumberFormat(tag, { useGrouping: true }).formatToParts(1234567.5);
    const of = (type: string) => parts.find((part) => part.type === type)?.value;
    return { decimal: of('decimal') ?? '.', group: of('group') ?? '\u00a0' };
  } catch {
    return undefined;
  }
}

/** A number as it stands in a text. */
export interface PlacedNumber {
  readonly span: Span;
  readonly text: string;
  /** Its digits, those after the decimal mark behind a full stop where the language tells which they are. */
  readonly value: string;
}

/** Digits, with single marks between them. A space is one only before three digits. */
const pattern = /\p{Nd}+(?:(?:[.,'’\u066b\u066c]|[ \u00a0\u202f](?=\p{Nd}{3}(?!\p{Nd})))\p{Nd}+)*/gu;

const isSpace = (mark: string) => /[ \u00a0\u202f]/.test(mark);
const isApostrophe = (mark: string) => /['’]/.test(mark);
const isSame = (mark: string, other: string) =>
  mark === other || (isSpace(mark) && isSpace(other)) || (isApostrophe(mark) && isApostrophe(other));

/** The numbers outside of some ranges, in order. */
export function numbersIn(
  text: string,
  writing: Writing | undefined,
  without: readonly Span[] = [],
): PlacedNumber[] {
  const numbers: PlacedNumber[] = [];
  for (const { 0: match, index } of text.matchAll(pattern)) {
    const span: Span = [index, index + match.length];
    if (without.some(([begin, end]) => begin < span[1] && end > span[0])) continue;
    const value = readAs(match, writing);
    if (value !== null) numbers.push({ span, text: match, value });
    // A date, or a list: each group of digits is a number.
    else
      for (const { 0: part, index: at } of match.matchAll(/\p{Nd}+/gu))
        numbers.push({ span: [index + at, index + at + part.length], text: part, value: digitsOf(part) });
  }
  return numbers;
}

/** `null` for what is no number in this language, or in any. */
function readAs(text: string, writing: Writing | undefined): string | null {
  const marks = text.match(/\P{Nd}/gu) ?? [];
  const [first = '', last = ''] = [marks[0], marks.at(-1)];
  const groups = text.split(/\P{Nd}/u).map(digitsOf);
  const whole = groups.join('');
  if (marks.length === 0) return whole;
  const isGrouped = (some: readonly string[]) => {
    const [head = '', ...rest] = some;
    return head.length <= 3 && rest.every(({ length }) => length === 3);
  };
  const withDecimals = `${groups.slice(0, -1).join('')}.${groups.at(-1)}`;
  if (writing) {
    const areGroups = (some: readonly string[]) => some.every((mark) => isSame(mark, writing.group));
    if (areGroups(marks) && isGrouped(groups)) return whole;
    const isDecimal = isSame(last, writing.decimal) && areGroups(marks.slice(0, -1));
    return isDecimal && (marks.length === 1 || isGrouped(groups.slice(0, -1))) ? withDecimals : null;
  }
  const isOneKind = marks.every((mark) => isSame(mark, first));
  if (isOneKind) return marks.length === 1 || isGrouped(groups) ? whole : null;
  const areTwo = marks.slice(0, -1).every((mark) => isSame(mark, first)) && !isSame(first, last);
  return areTwo && isGrouped(groups.slice(0, -1)) ? whole : null;
}

/** ASCII digits: those of all scripts come in tens. */
const digitsOf = (text: string): string => text.replace(/\P{ASCII}/gu, digitOf);

function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero--;
  return `${code - zero}`;
}

/** A number as the other language writes it; as it was, if one of the two is not known. */
export function written(
  { text }: Pick<PlacedNumber, 'text'>,
  from: Writing | undefined,
  to: Writing | undefined,
): string {
  const value = from && to && readAs(text, from);
  if (!value) return text;
  const decimal = value.includes('.') ? text.search(/\P{Nd}\p{Nd}*$/u) : -1;
  return text.replace(/\P{Nd}/gu, (_, at: number) => (at === decimal ? to.decimal : to.group));
}

/** Whether two numbers are the same; where one language is not known, by their digits alone. */
function areSame(a: PlacedNumber, b: PlacedNumber, isExact: boolean): boolean {
  return isExact ? a.value === b.value : a.value.replace('.', '') === b.value.replace('.', '');
}

/** What a translation lacks and what it has besides. */
export interface Difference {
  readonly missing: PlacedNumber[];
  readonly extra: PlacedNumber[];
}

const roman = [
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
] as const;

const romanNumbers = /(?<![\p{L}\p{N}])[IVX]+(?!\p{Lu})/gu;

/** A number up to 39 as the centuries are numbered. */
function romanOf(number: number): string {
  let [left, text] = [number, ''];
  for (const [value, letters] of roman) for (; left >= value; left -= value) text += letters;
  return text;
}

/**
 * The numbers by which the two differ. An hour of the afternoon may be written by the other clock (3 p.m., 15 h), and a
 * century in Roman numbers (20th, XXe).
 */
export function differenceOf(
  [source, numbers]: readonly [string, readonly PlacedNumber[]],
  [target, theirs]: readonly [string, readonly PlacedNumber[]],
  isExact: boolean,
): Difference {
  const extra = [...theirs];
  const take = (isIt: (one: PlacedNumber) => boolean): boolean => {
    const place = extra.findIndex(isIt);
    if (place >= 0) extra.splice(place, 1);
    return place >= 0;
  };
  const left = numbers.filter((number) => !take((one) => areSame(number, one, isExact)));
  const missing = left.filter(({ span, value }) => {
    const clock = /^(?:[.:h]\d\d)?\s?([ap])\.?m\b/i
      .exec(source.slice(span[1], span[1] + 8))?.[1]
      ?.toLowerCase();
    const hour = clock === 'p' ? `${(Number(value) % 12) + 12}` : `${Number(value) % 12}`;
    if (clock && Number(value) <= 12 && take((one) => Number(one.value) === Number(hour))) return false;
    const number = Number(value);
    const isCentury = Number.isInteger(number) && number > 1 && number < 40;
    return !(isCentury && target.match(romanNumbers)?.includes(romanOf(number)));
  });
  return { missing, extra };
}
