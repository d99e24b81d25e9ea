/** Sums as the model reads and writes them: `a + b =`, eleven places each, the lowest first. The digits are their own ids. */

import { integersFrom } from '../../reading/random.js';

/** Digits of the numbers that are typed. */
export const places = 10;
/** Places of each number: a sum may have one more. */
export const width = places + 1;
export const plus = 10;
export const equals = 11;
/** Tokens before the sum. */
export const promptLength = 2 * width + 2;

export const tokenName = (id: number): string => (id === plus ? '+' : id === equals ? '=' : `${id}`);

/** The digits of a number, the lowest first; what is no digit is left out. */
export const digitsOf = (number: string): number[] => {
  const digits = [...number.replace(/\D/g, '')].slice(-places).reverse().map(Number);
  return Array.from({ length: width }, (_, place) => digits[place] ?? 0);
};

/** The opposite, without zeros in front. */
export const numberOf = (digits: readonly number[]): string =>
  [...digits]
    .reverse()
    .join('')
    .replace(/^0+(?=.)/, '');

export interface Sum {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

export const promptOf = ({ a, b }: Sum): number[] => [...a, plus, ...b, equals];

/** What is right: the digits of the sum, and the carry into each of its places. */
export function added({ a, b }: Sum): { readonly digits: number[]; readonly carries: number[] } {
  const carries: number[] = [];
  let carry = 0;
  const digits = a.map((digit, place) => {
    carries.push(carry);
    const sum = digit + (b[place] ?? 0) + carry;
    carry = sum > 9 ? 1 : 0;
    return sum % 10;
  });
  return { digits, carries };
}

/** The same sum at this place but for the carry into it, which the place before does or does not hand on; `null` at the lowest. */
export function withOtherCarry({ a, b }: Sum, place: number): Sum | null {
  if (place === 0) return null;
  const digit = added({ a, b }).carries[place] ? 0 : 5;
  const changed = (digits: readonly number[]) => digits.map((one, i) => (i === place - 1 ? digit : one));
  return { a: changed(a), b: changed(b) };
}

/** The same pairs for everybody. */
export function randomSums(count: number): Sum[] {
  const next = integersFrom(1);
  const digits = () =>
    Array.from({ length: width }, (_, place) => (place < places ? Math.floor((next() / 2 ** 32) * 10) : 0));
  return Array.from({ length: count }, () => ({ a: digits(), b: digits() }));
}
