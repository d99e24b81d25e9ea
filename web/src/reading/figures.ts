/** Numbers as the page writes them: three significant digits, never 0.00, with a minus sign. */

import { decimals, separator } from '../words/numbers.js';

/** `0.00451`, `−0.137`, `1.20e−7`, `0` */
export const figures = (value: number): string => decimals(plainFigures(value).replaceAll('-', '−'));

/** The same with hyphens, as code has it. */
export function plainFigures(value: number): string {
  if (value === Number.NEGATIVE_INFINITY) return '-∞';
  if (Object.is(value, -0) || value === 0) return '0';
  if (Math.abs(value) < 1e-4) return value.toExponential(2);
  return Math.abs(value) >= 999.5 ? value.toFixed(0) : value.toPrecision(3);
}

/** In a cell of a map: two significant digits, `−34`, `0.14`. */
export function cellFigures(value: number): string {
  const size = Math.abs(value);
  if (size < 0.005) return '0';
  const digits = size >= 9.95 ? 0 : size >= 0.995 ? 1 : 2;
  return decimals(value.toFixed(digits).replace('-', '−'));
}

/** A weight in a cell of a map, in whole percent; nothing under a half, for 0 is what is hidden. */
export const cellPercent = (weight: number): string => (weight < 0.005 ? '' : `${Math.round(weight * 100)}`);

/** `[0.0263, −0.0372]` */
export const vectorText = (values: ArrayLike<number>): string =>
  `[${Array.from(values, figures).join(separator)}]`;
