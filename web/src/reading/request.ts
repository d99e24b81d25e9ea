/** What a translation must agree with: the heads that are off, the words that were forced, the width of the search. */

import { headsOff } from '../selection/heads.js';

export interface Request {
  /** Names of heads to switch off. */
  readonly off?: readonly string[];
  /** Token ids that the translation begins with. */
  readonly prefix?: readonly number[];
  /** Width of the beam search. */
  readonly beams?: number;
  readonly signal?: AbortSignal;
}

/** The request in the engine's options. */
export const generationOf = ({ off = [], prefix = [], beams = 1, signal }: Request) => ({
  heads: headsOff(off),
  numBeams: beams,
  ...(prefix.length > 0 && { prefix: [...prefix] }),
  ...(signal && { signal }),
});

/** Whether it asks for nothing but the model's own words. */
export const isPlain = ({ off = [], prefix = [], beams = 1 }: Request) =>
  off.length === 0 && prefix.length === 0 && beams === 1;
