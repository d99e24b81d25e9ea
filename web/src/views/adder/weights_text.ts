/** Changed weights as the address has them: `gate.0.3:-1.5`, separated by commas. */

import { names } from './pass.js';
import type { Change, Place } from './variant.js';

const keys = Object.keys(names) as (keyof typeof names)[];

/** `gate.0.3` */
export const formatPlace = ({ name, row, column }: Place): string =>
  `${keys.find((key) => names[key] === name)}.${row}.${column}`;

export function parsePlace(text: string): Place | null {
  const [, key = '', row, column] = /^([a-zA-Z]+)\.(\d{1,2})\.(\d{1,2})$/.exec(text) ?? [];
  const known = keys.find((one) => one === key);
  return known ? { name: names[known], row: Number(row), column: Number(column) } : null;
}

export const formatChanges = (changes: readonly Change[]): string =>
  changes.map((change) => `${formatPlace(change)}:${change.value}`).join(',');

/** What cannot be read is ignored. */
export const parseChanges = (text: string): Change[] =>
  text.split(',').flatMap((one) => {
    const [at = '', number = ''] = one.split(':');
    const place = parsePlace(at);
    const value = Number(number);
    return place && number !== '' && Number.isFinite(value) ? [{ ...place, value }] : [];
  });
