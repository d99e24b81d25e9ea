/** Applies the language options to a model. */

import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import type { GenerationOptions } from './options.js';

/**
 * The first token with which the decoder answers in the wanted language; `null` if no language was given, or if the
 * source carries the target language.
 *
 * @throws TransformerError `invalid_argument` for an unknown language, `unsupported` for a model without languages.
 */
export function forcedBosOf(
  tokenizer: Tokenizer | null,
  { srcLang, tgtLang }: Pick<GenerationOptions, 'srcLang' | 'tgtLang'>,
): number | null {
  if (srcLang === undefined && tgtLang === undefined) return null;
  if (tokenizer?.languages) return tokenizer.languages.forcedBosTokenId(tgtLang);
  const option = srcLang === undefined ? 'tgtLang' : 'srcLang';
  return fail('unsupported', `this model has no language tokens; leave ${option} out`);
}
