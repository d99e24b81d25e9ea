/** Python's `format(value, spec)`: what stands behind the colon in `'{:>8.2f}'`. */

import type { Budget } from './budget.js';
import { charactersOf, repeatText } from './builtin.js';
import { exponential, fixed, general } from './numbers.js';
import { print, printFloat } from './print.js';
import { Float, numberOf, typeOf, type Value } from './values.js';

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly isAlternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | null;
  readonly type: string;
}

const form = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/su;

function readSpec(written: string): Spec {
  const found = form.exec(written);
  if (!found) throw new Error(`Invalid format specifier '${written.slice(0, 60)}'`);
  const [, fill, align, sign, alternate, zero, width, grouping, precision, type] = found;
  return {
    fill: fill ?? (zero && !fill ? '0' : ' '),
    align: align ?? (zero ? '=' : ''),
    sign: sign ?? '',
    isAlternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping: grouping ?? '',
    precision: precision === undefined ? null : Number(precision),
    type: type ?? '',
  };
}

export function formatValue(value: Value, written: string, budget: Budget): string {
  if (written === '') return print(value, budget);
  const spec = readSpec(written);
  budget.string(spec.width + (spec.precision ?? 0));
  if (typeof value === 'string') return formatString(value, spec, budget);
  const number = numberOf(value);
  if (number === null) throw new Error(`unsupported format string passed to ${typeOf(value)}.__format__`);
  const isWhole = !(value instanceof Float);
  const asFloat = !isWhole || 'eEfFgG%'.includes(spec.type || 'd');
  if (spec.type === 'c' && isWhole)
    return pad(String.fromCodePoint(number), '', { ...spec, align: spec.align || '<' }, budget);
  const [prefix, digits] = asFloat
    ? formatFloat(Math.abs(number), spec)
    : formatInteger(Math.abs(number), spec);
  const isNegative = number < 0 || Object.is(number, -0);
  const sign = isNegative ? '-' : spec.sign === '-' ? '' : spec.sign;
  return pad(grouped(digits, sign + prefix, spec), sign + prefix, spec, budget);
}

function formatString(value: string, spec: Spec, budget: Budget): string {
  if (spec.type !== '' && spec.type !== 's')
    throw new Error(`Unknown format code '${spec.type}' for object of type 'str'`);
  if (spec.sign !== '' || spec.grouping !== '' || spec.isAlternate)
    throw new Error('Sign, grouping and alternate form are not allowed in string format specifier');
  const isDefault = spec.align === '' || (spec.align === '=' && spec.fill === '0');
  if (spec.align === '=' && !isDefault)
    throw new Error("'=' alignment not allowed in string format specifier");
  const letters = charactersOf(value, budget);
  const text = spec.precision === null ? value : letters.slice(0, spec.precision).join('');
  return pad(text, '', { ...spec, align: isDefault ? '<' : spec.align }, budget);
}

const bases: Readonly<Record<string, readonly [base: number, prefix: string]>> = {
  b: [2, '0b'],
  o: [8, '0o'],
  x: [16, '0x'],
  X: [16, '0X'],
};

function formatInteger(
  size: number,
  { type, precision, isAlternate }: Spec,
): [prefix: string, digits: string] {
  if (precision !== null) throw new Error('Precision not allowed in integer format specifier');
  if (type === 's') throw new Error("Unknown format code 's' for object of type 'int'");
  const [base, prefix] = bases[type] ?? [10, ''];
  const digits = size.toString(base);
  return [isAlternate ? prefix : '', type === 'X' ? digits.toUpperCase() : digits];
}

function formatFloat(size: number, { type, precision, isAlternate }: Spec): [prefix: string, digits: string] {
  if ('bcdosxX'.includes(type || 'e'))
    throw new Error(`Unknown format code '${type}' for object of type 'float'`);
  const upper = (text: string) => (type === 'E' || type === 'F' || type === 'G' ? text.toUpperCase() : text);
  if (!Number.isFinite(size)) return ['', upper(printFloat(size)) + (type === '%' ? '%' : '')];
  const digits = precision ?? 6;
  switch (type) {
    case 'f':
    case 'F':
      return ['', fixed(size, digits)];
    case 'e':
    case 'E':
      return ['', upper(exponential(size, digits))];
    case '%':
      return ['', `${fixed(size * 100, digits)}%`];
    case '':
      if (precision === null) return ['', printFloat(size)];
      return ['', general(size, { precision: digits, keepsZeros: isAlternate, isFraction: true })];
    default:
      return ['', upper(general(size, { precision: digits, keepsZeros: isAlternate, isFraction: false }))];
  }
}

/** Separators between thousands, or between four digits of other bases; zeros that fill are grouped, too. */
function grouped(digits: string, before: string, { grouping, type, fill, align, width }: Spec): string {
  if (grouping === '') return digits;
  const size = type in bases ? 4 : 3;
  if (size === 4 && grouping === ',') throw new Error(`Cannot specify ',' with '${type}'`);
  const [whole = ''] = (size === 4 ? /^[\da-f]+/i : /^\d+/).exec(digits) ?? [];
  const tail = digits.slice(whole.length);
  const room = fill === '0' && align === '=' ? width - before.length - tail.length : 0;
  // As few digits as fill the room together with their separators.
  let count = Math.max(1, Math.floor((room * size) / (size + 1)));
  while (count + Math.floor((count - 1) / size) < room) count++;
  return separate(whole.padStart(count, '0'), size, grouping) + tail;
}

function separate(digits: string, size: number, separator: string): string {
  const first = digits.length % size || size;
  const parts = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += size) parts.push(digits.slice(at, at + size));
  return parts.join(separator);
}

function pad(text: string, before: string, { fill, align, width }: Spec, budget: Budget): string {
  const room = width - charactersOf(before + text, budget).length;
  if (room <= 0) return before + text;
  const filling = (count: number) => repeatText(fill, count, budget);
  if (align === '=') return before + filling(room) + text;
  if (align === '<') return before + text + filling(room);
  const left = align === '^' ? Math.floor(room / 2) : room;
  return filling(left) + before + text + filling(room - left);
}
