/** What the language options come to for a model. */

import type { Tokenizer } from '../checkpoint/tokenizers/tokenizer.js';
import { fail } from '../engine/errors.js';
import type { GenerationOptions } from './options.js';

/**
 * The token that the decoder must write first so that it answers in the wanted language; `null` where no language was
 * given, or where the source names the target language.
 *
 * @throws TransformerError `invalid_argument` for an unknown language, `unsupported` where the model has no languages.
 */
export function forcedBosOf(
  tokenizer: Tokenizer | null,
  { srcLang, tgtLang }: Pick<GenerationOptions, 'srcLang' | 'tgtLang'>,
): number | null {
  if (srcLang === undefined && tgtLang === undefined) return null;
  if (tokenizer?.languages) return tokenizer.languages.forcedBosTokenId(tgtLang);
  const option = srcLang === undefined ? 'tgtLang' : 'srcLang';
  return fail('unsupported', `the tokenizer has no tokens for languages; leave ${option} out`);
}
