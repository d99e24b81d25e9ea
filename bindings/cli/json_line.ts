/** A line of JSON Lines. What a record could not give back as it came is refused, not changed. */

import { isNestedDeeper } from '../files/json_depth.js';
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
  const lost = lostNumber(text);
  if (lost !== null)
    fail('invalid_argument', `the line has the number ${lost}, which cannot be kept: write it as a string`);
  return value;
}

/** A number that would be written as another one than was read, such as an id of 64 bits; `null` if there is none. */
function lostNumber(json: string): string | null {
  if (!/\d{16}|[eE]\+?\d{3}/.test(json)) return null;
  const bare = json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '""');
  for (const [number] of bare.matchAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    const value = Number(number);
    const isKept =
      Number.isFinite(value) && (!/^-?\d+$/.test(number) || BigInt(number) === integerOf(`${value}`));
    if (!isKept) return number.slice(0, 40);
  }
  return null;
}

/** An integer as JavaScript writes it, perhaps as `1.5e+21`. */
function integerOf(written: string): bigint {
  const [digits = '', exponent = '0'] = written.split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
}
