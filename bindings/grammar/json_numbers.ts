/** The numbers of JSON within limits, exactly, by their decimal digits. */

import { single } from './code_points.js';
import {
  choice,
  empty,
  type Form,
  literal,
  nothing,
  ofSet,
  optional,
  refuse,
  repeat,
  sequence,
} from './form.js';

export interface NumberLimits {
  readonly isInteger: boolean;
  readonly min: number;
  readonly max: number;
  /** Whether the limits themselves are left out. */
  readonly isAboveMin: boolean;
  readonly isBelowMax: boolean;
}

/** Digits that a double holds exactly: a number has no more. */
const mostDigits = 15;

const digits = (first: number, last: number): Form => ofSet([[0x30 + first, 0x30 + last]]);
const anyDigit = digits(0, 9);
const whole = choice(literal('0'), sequence(digits(1, 9), repeat(anyDigit, 0, mostDigits - 1)));
const minus = ofSet(single(0x2d));

/** Any number; an exponent has two digits at most, so that it is finite. */
const anyNumber = sequence(
  ...[optional(minus), whole, optional(sequence(literal('.'), repeat(anyDigit, 1, mostDigits)))],
  optional(
    sequence(
      ...[choice(literal('e'), literal('E')), optional(choice(literal('+'), literal('-')))],
      repeat(anyDigit, 1, 2),
    ),
  ),
);

/** @throws TransformerError `unsupported` for limits with more digits than can be kept to */
export function numberForm(limits: NumberLimits): Form {
  const { isInteger, min, max } = limits;
  const isOpen = min === Number.NEGATIVE_INFINITY && max === Number.POSITIVE_INFINITY;
  if (isOpen) return isInteger ? sequence(optional(minus), whole) : anyNumber;
  const parts: Form[] = [];
  if (max > 0 || (max === 0 && !limits.isBelowMax))
    parts.push(
      magnitudes(
        isInteger,
        limitOf(Math.max(min, 0), min >= 0 && limits.isAboveMin),
        limitOf(max, limits.isBelowMax),
      ),
    );
  if (min < 0)
    parts.push(
      sequence(
        minus,
        magnitudes(
          isInteger,
          limitOf(Math.max(-max, 0), max <= 0 && limits.isBelowMax),
          limitOf(-min, limits.isAboveMin),
        ),
      ),
    );
  return choice(...parts);
}

/** A limit of magnitudes, by its digits before and after the point; `null`: none. */
interface Limit {
  readonly before: string;
  readonly after: string;
  readonly isLeftOut: boolean;
}

function limitOf(value: number, isLeftOut: boolean): Limit | null {
  if (value >= 10 ** mostDigits) return null;
  const [before = '', after = ''] = decimal(value).split('.');
  if (before.length + after.length > mostDigits + 2)
    refuse(`the limit ${value} of a number has more digits than can be kept to`);
  return { before, after, isLeftOut };
}

/** Without an exponent. */
function decimal(value: number): string {
  const [digitsOf = '', exponent] = `${value}`.split('e');
  if (exponent === undefined) return digitsOf;
  const [before = '', after = ''] = digitsOf.split('.');
  const shift = Number(exponent);
  return shift < 0 ? `0.${'0'.repeat(-shift - 1)}${before}${after}` : (before + after).padEnd(shift + 1, '0');
}

/** Numbers from `low` on, up to `high`. */
function magnitudes(isInteger: boolean, low: Limit | null, high: Limit | null): Form {
  if (!low) return nothing;
  const parts: Form[] = [];
  for (let length = low.before.length; length <= (high?.before.length ?? mostDigits); length++) {
    const bounds = {
      low: length === low.before.length ? low : null,
      high: high && length === high.before.length ? high : null,
    };
    parts.push(from({ ...bounds, length, isInteger }, 0));
  }
  return choice(...parts);
}

interface Bounds {
  /** The limits that the digits so far are those of. */
  readonly low: Limit | null;
  readonly high: Limit | null;
  /** Of the digits before the point. */
  readonly length: number;
  readonly isInteger: boolean;
}

/** What follows so many digits before the point. */
function from(bounds: Bounds, place: number): Form {
  const { low, high, length } = bounds;
  if (place === length) return afterWhole(bounds);
  if (!low && !high && place > 0)
    return sequence(repeat(anyDigit, length - place, length - place), afterWhole(bounds));
  const first = place === 0 && length > 1 ? 1 : 0;
  return steps(bounds, { low: low?.before[place], high: high?.before[place], first }, (next) =>
    from(next, place + 1),
  );
}

/** A digit between those of the limits, and what follows it. */
function steps(
  bounds: Bounds,
  given: { low: string | undefined; high: string | undefined; first: number },
  next: (bounds: Bounds) => Form,
): Form {
  const least = bounds.low ? Number(given.low ?? 0) : given.first;
  const most = bounds.high ? Number(given.high ?? 0) : 9;
  if (bounds.low && bounds.high && least === most) return sequence(digits(least, most), next(bounds));
  const parts: Form[] = [];
  const low = Math.max(least, given.first);
  if (bounds.low && low === least && least <= most)
    parts.push(sequence(digits(least, least), next({ ...bounds, high: null })));
  const [begin, end] = [bounds.low ? Math.max(least + 1, given.first) : low, bounds.high ? most - 1 : most];
  if (begin <= end) parts.push(sequence(digits(begin, end), next({ ...bounds, low: null, high: null })));
  if (bounds.high && most >= begin) parts.push(sequence(digits(most, most), next({ ...bounds, low: null })));
  return choice(...parts);
}

function afterWhole(bounds: Bounds): Form {
  const fraction = bounds.isInteger ? nothing : sequence(literal('.'), fractionFrom(bounds, 0));
  return choice(...(mayEnd(bounds, 0) ? [empty] : []), fraction);
}

/** Whether the number may end before a digit of the fraction. */
function mayEnd({ low, high }: Bounds, place: number): boolean {
  const isAtLow = low !== null && /^0*$/.test(low.after.slice(place));
  if (low && (!isAtLow || low.isLeftOut)) return false;
  return !(high?.isLeftOut && /^0*$/.test(high.after.slice(place)));
}

function fractionFrom(bounds: Bounds, place: number): Form {
  const { low, high, length } = bounds;
  const left = Math.max(mostDigits - length - place, 0);
  const isDone = place > 0 && mayEnd(bounds, place);
  if (left === 0) return isDone ? empty : nothing;
  if (!low && !high) return repeat(anyDigit, place === 0 ? 1 : 0, left);
  const more = steps(
    bounds,
    { low: low?.after[place] ?? '0', high: high?.after[place] ?? '0', first: 0 },
    (next) => fractionFrom(next, place + 1),
  );
  return choice(...(isDone ? [empty] : []), more);
}
