/** Python's `%` on strings. */

import type { Budget } from './budget.js';
import { quoted } from './escapes.js';
import { print, printFloat } from './print.js';
import { numberOf, Tuple, toInteger, typeOf, type Value } from './values.js';

const conversion = /%(?:\(([^)]*)\))?([-+ 0#]*)(\d*)(?:\.(\d*))?([a-zA-Z%])/g;

/** @param given a tuple of values, a mapping for `%(name)s`, or a single value */
export function formatText(format: string, given: Value, budget: Budget): string {
  budget.look(format.length);
  const values: readonly Value[] = given instanceof Tuple ? given : [given];
  let used = 0;
  let length = format.length;
  const text = format.replace(conversion, (_whole, ...groups) => {
    const [key, flags, width, precision, letter] = groups;
    if (letter === '%') return '%';
    const value = key === undefined ? values[used++] : given instanceof Map ? given.get(key) : undefined;
    if (value === undefined) throw new Error('not enough arguments for format string');
    const digits = precision === undefined ? null : Number(precision);
    const size = Number(width);
    budget.string(size + (digits ?? 0));
    const shown = align(convert(value, { letter, digits, flags }, budget), size, flags);
    length += shown.length;
    budget.string(length);
    return shown;
  });
  if (used < values.length && !(given instanceof Map))
    throw new Error('not all arguments converted during string formatting');
  return text;
}

interface Conversion {
  readonly letter: string;
  readonly digits: number | null;
  readonly flags: string;
}

function convert(value: Value, { letter, digits, flags }: Conversion, budget: Budget): string {
  if (letter === 's' || letter === 'r') {
    const text = letter === 'r' && typeof value === 'string' ? quoted(value) : print(value, budget);
    return digits === null ? text : text.slice(0, digits);
  }
  const number = numberOf(value);
  if (number === null) throw new Error(`%${letter} format: a number is required, not ${typeOf(value)}`);
  const sign = number >= 0 && flags.includes('+') ? '+' : number >= 0 && flags.includes(' ') ? ' ' : '';
  if ('diu'.includes(letter)) return sign + String(Math.trunc(number)).padStart(digits ?? 0, '0');
  if (letter === 'x' || letter === 'X') {
    const hexadecimal = toInteger(value, '%x').toString(16);
    return sign + (letter === 'x' ? hexadecimal : hexadecimal.toUpperCase());
  }
  if (!Number.isFinite(number)) return sign + printFloat(number);
  if ((digits ?? 0) > 100) throw new Error('more than 100 digits are not supported');
  if (letter === 'f' || letter === 'F') return sign + number.toFixed(digits ?? 6);
  if (letter === 'e') return sign + number.toExponential(digits ?? 6).replace(/e([+-])(\d)$/, 'e$10$2');
  throw new Error(`unsupported format character '${letter}'`);
}

function align(text: string, width: number, flags: string): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || !/^[-+ ]?\d/.test(text)) return text.padStart(width);
  const sign = /^[-+ ]/.test(text) ? text.slice(0, 1) : '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}
