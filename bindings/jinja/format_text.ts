/** Python's `%` on strings. */

import type { Budget } from './budget.js';
import { exponential, fixed, general } from './numbers.js';
import { ascii, print, printFloat, represent } from './print.js';
import { DictView, Float, numberOf, Tuple, toInteger, typeOf, Undefined, type Value } from './values.js';

const conversion = /%(?:\(([^)]*)\))?([-+ 0#]*)(\d+|\*)?(?:\.(\d+|\*)?)?([hlL]?[a-zA-Z%])|%/g;

/** Whether Python lets a value be unused: it might be one of which only some entries are asked for. */
const isMappingLike = (value: Value) =>
  value instanceof Map ||
  value instanceof Undefined ||
  (Array.isArray(value) && !(value instanceof Tuple) && !(value instanceof DictView));

/** @param given a tuple of values, a mapping for `%(name)s`, or a single value */
export function formatText(format: string, given: Value, budget: Budget): string {
  budget.look(format.length);
  const values: readonly Value[] = given instanceof Tuple ? given : [given];
  let used = 0;
  let length = format.length;
  const next = (): Value => {
    const value = values[used++];
    if (value === undefined) throw new Error('not enough arguments for format string');
    return value;
  };
  const size = (written: string | undefined, otherwise: number) =>
    written === '*' ? toInteger(next(), '*') : written === undefined ? otherwise : Number(written);
  const text = format.replace(conversion, (whole: string, ...groups) => {
    const [key, flags = '', width, precision, written] = groups as (string | undefined)[];
    if (whole === '%%') return '%';
    const letter = written?.at(-1);
    if (letter === undefined || letter === '%') throw new Error(`unsupported format '${whole.slice(0, 20)}'`);
    const room = size(width, 0);
    const digits = whole.includes('.') ? size(precision, 0) : null;
    budget.string(Math.abs(room) + (digits ?? 0));
    const value = key === undefined ? next() : entryOf(given, key);
    const shown = align(convert(value, { letter, digits, flags }, budget), room, flags);
    length += shown.length;
    budget.string(length);
    return shown;
  });
  if (used < values.length && !isMappingLike(given))
    throw new Error('not all arguments converted during string formatting');
  return text;
}

function entryOf(given: Value, key: string): Value {
  if (!(given instanceof Map)) throw new Error('format requires a mapping');
  const value = given.get(key);
  if (value === undefined) throw new Error(`there is no '${key.slice(0, 60)}' for the format string`);
  return value;
}

interface Conversion {
  readonly letter: string;
  readonly digits: number | null;
  readonly flags: string;
}

/** What a conversion writes: a number's digits apart from its sign, so that zeros go between them. */
interface Written {
  readonly before: string;
  readonly text: string;
  readonly isNumber: boolean;
}

function convert(value: Value, { letter, digits, flags }: Conversion, budget: Budget): Written {
  const asText = (text: string): Written => ({ before: '', text, isNumber: false });
  if ('sra'.includes(letter)) {
    const text = { s: print, r: represent, a: ascii }[letter as 's' | 'r' | 'a'](value, budget);
    return asText(digits === null ? text : Array.from(text).slice(0, digits).join(''));
  }
  if (letter === 'c') {
    if (typeof value === 'string' && Array.from(value).length === 1) return asText(value);
    return asText(String.fromCodePoint(toInteger(value, '%c')));
  }
  if (value instanceof Undefined) value.fail();
  const number = numberOf(value);
  if (number === null) throw new Error(`%${letter} format: a number is required, not ${typeOf(value)}`);
  const isNegative = number < 0 || (Object.is(number, -0) && value instanceof Float);
  const sign = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const size = Math.abs(number);
  if ('diuoxX'.includes(letter)) {
    const [base, prefix] = { o: [8, '0o'], x: [16, '0x'], X: [16, '0X'] }[letter] ?? [10, ''];
    if (base !== 10) toInteger(value, `%${letter}`);
    if (!Number.isFinite(size)) throw new Error(`%${letter} format: ${printFloat(number)} is no integer`);
    const written = Math.trunc(size)
      .toString(base as number)
      .padStart(digits ?? 0, '0');
    const text = letter === 'X' ? written.toUpperCase() : written;
    return { before: sign + (flags.includes('#') ? prefix : ''), text, isNumber: true };
  }
  const text = writeFloat(size, letter.toLowerCase(), digits ?? 6, flags.includes('#'));
  return { before: sign, text: letter === letter.toUpperCase() ? text.toUpperCase() : text, isNumber: true };
}

function writeFloat(size: number, letter: string, digits: number, keepsZeros: boolean): string {
  if (!Number.isFinite(size)) return printFloat(size);
  if (letter === 'f') return fixed(size, digits);
  if (letter === 'e') return exponential(size, digits);
  if (letter === 'g') return general(size, { precision: digits, keepsZeros, isFraction: false });
  throw new Error(`unsupported format character '${letter}'`);
}

function align({ before, text, isNumber }: Written, width: number, flags: string): string {
  const whole = before + text;
  if (flags.includes('-') || width < 0) return whole.padEnd(Math.abs(width));
  if (!flags.includes('0') || !isNumber) return whole.padStart(width);
  return before + text.padStart(width - before.length, '0');
}
