/** How long a source may be. */

import type { Loaded } from '../checkpoint/loaded.js';
import { type EncodedText, encodeText } from '../generation/inputs.js';
import type { ReadOptions } from '../generation/options.js';

/** The maximum of a model whose positions have no end, and whose config.json names none, in tokens. */
const usualMaximum = 512;

/** The most tokens of a source, special tokens included. */
function longestSource({ plan, config }: Loaded): number {
  const named = [config.n_positions, config.max_length].find((value) => Number.isInteger(value));
  return plan.maxPositions ?? (named as number | undefined) ?? usualMaximum;
}

/**
 * A text as the model reads it; `null` if it is too long to be read at once.
 *
 * @throws the signal's reason.
 */
export async function readable(
  model: Loaded,
  text: string,
  options: ReadOptions,
): Promise<EncodedText | null> {
  const longest = longestSource(model);
  // Saves tokenizing a book: hardly any token has that many letters.
  if (text.length > 32 * longest) return null;
  const encoded = await encodeText(model, text, options);
  return encoded.encoding.ids.length <= longest ? encoded : null;
}
