/** How long a source may be. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { GenerationOptions } from '../generation/options.js';
import { taskSettings } from '../generation/task_settings.js';

/** The maximum of a model whose positions have no end, and whose config.json names none, in tokens. */
const usualMaximum = 512;

/** The most tokens of a source, special tokens included. */
function longestSource({ plan, config }: Loaded): number {
  const named = [config.n_positions, config.max_length].find((value) => Number.isInteger(value));
  return plan.maxPositions ?? (named as number | undefined) ?? usualMaximum;
}

/**
 * Whether the model can read a text at once.
 *
 * @throws the signal's reason.
 */
export async function fits(
  model: Loaded,
  text: string,
  { srcLang, tgtLang, task, signal }: GenerationOptions,
): Promise<boolean> {
  const longest = longestSource(model);
  // Saves tokenizing a book: hardly any token has that many letters.
  if (text.length > 32 * longest) return false;
  const whole = taskSettings(model, task).prefix + text;
  const encoding = await model.tokenizer?.encodeLong(whole, { srcLang, tgtLang }, signal);
  return (encoding?.ids.length ?? 0) <= longest;
}
