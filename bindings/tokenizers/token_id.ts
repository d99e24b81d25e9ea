/** Checks the ids of tokens. */

import { fail } from '../values/errors.js';

/** Larger than any real vocabulary: higher ids would allocate huge tables. */
const idLimit = 1 << 24;

/**
 * Checks the id that a file gives to a token.
 *
 * @throws TransformerError `bad_checkpoint`
 */
export function checkTokenId(id: unknown, token: string, file: string): number {
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < idLimit) return id;
  const shown = JSON.stringify(token.slice(0, 40));
  return fail('bad_checkpoint', `${file}: the id of ${shown} must be an integer below ${idLimit}, got ${id}`);
}
