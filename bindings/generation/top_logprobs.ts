/** The most likely tokens at each place of a result: loaded when they are asked for. */

import { type Loaded, tokensOf } from '../checkpoint/loaded.js';
import type { Hypothesis } from '../modules/embind.js';
import type { TokenLogprob } from './results.js';

/** Those of a place among the generated tokens. */
export function topLogprobsAt(
  model: Loaded,
  { tokenScores, topIds, topScores }: Hypothesis,
  place: number,
): TokenLogprob[] {
  const count = topIds.length / tokenScores.length;
  const begin = place * count;
  // Where fewer tokens can be chosen, the engine fills up with -1.
  const ids = Array.from(topIds.subarray(begin, begin + count)).filter((id) => id >= 0);
  const tokens = model.tokenizer ? tokensOf(model, ids) : [];
  return ids.map((id, i) => ({ id, token: tokens[i] ?? `${id}`, logprob: topScores[begin + i] ?? 0 }));
}
