/** Refusals of regular expressions. */

import { fail } from '../values/errors.js';

/** @throws TransformerError `unsupported` */
export const refusePattern = (why: string): never =>
  fail('unsupported', `tokenizer.json: a regular expression ${why}`);
