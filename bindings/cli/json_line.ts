/** A line of JSON Lines. What a record could not give back as it came is refused, not changed. */

import { isNestedDeeper } from '../files/json_depth.js';
import { repeatedName } from '../files/json_names.js';
import { fail, messageOf } from '../values/errors.js';

/** Deeper nesting would use up the stack when the record is written. */
const maxDepth = 200;

/** @throws TransformerError `invalid_argument` */
export function parseLine(text: string): unknown {
  if (isNestedDeeper(text, maxDepth))
    fail('invalid_argument', `the line is nested more than ${maxDepth} levels deep`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fail('invalid_argument', `the line is not JSON: ${messageOf(error)}`);
  }
  const twice = repeatedName(text);
  if (twice !== null)
    fail(
      'invalid_argument',
      `the line has the key ${JSON.stringify(twice)} twice, of which one would be lost`,
    );
  const lost = lostNumber(text);
  if (lost !== null)
    fail('invalid_argument', `the line has the number ${lost}, which cannot be kept: write it as a string`);
  return value;
}

/** A number that would be written as another one than was read, such as an id of 64 bits; `null` if there is none. */
function lostNumber(json: string): string | null {
  // Up to 15 digits come back as they were, unless an exponent leads too far.
  if (!/[\d.]{16}|\d[eE]|-0/.test(json)) return null;
  const bare = json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '""');
  for (const [number] of bare.matchAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    const value = Number(number);
    const isKept = Number.isFinite(value) && plain(JSON.stringify(value)) === plain(number);
    if (!isKept) return number.slice(0, 40);
  }
  return null;
}

/**
 * A decimal number in the one form that equal ones share: its digits without zeros around them, and the power of ten
 * behind.
 */
function plain(written: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const power = end === 0 ? 0 : Number(exponent) - fraction.length + digits.length - end;
  return `${sign}${digits.slice(0, end)}e${power}`;
}
