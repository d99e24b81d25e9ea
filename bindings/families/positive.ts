/** Numbers by which the computation divides, or whose root it takes. */

import type { Fields } from '../files/fields.js';
import { fail } from '../values/errors.js';

/** @throws TransformerError `bad_checkpoint` unless the field is a number above 0 */
export function positive(fields: Fields, name: string, fallback?: number): number {
  const value = fields.number(name, fallback);
  return value > 0 ? value : fail('bad_checkpoint', `config.json: ${name} must be positive, got ${value}`);
}
