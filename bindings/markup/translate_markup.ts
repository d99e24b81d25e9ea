/** Markup translated by a model. */

import type { Loaded } from '../checkpoint/loaded.js';
import { readTranslateOptions, type TranslateOptions } from '../texts/options.js';
import type { Translation } from '../texts/results.js';
import { translate } from '../texts/translate.js';
import { fail } from '../values/errors.js';
import { translateHtml } from './translate_html.js';
import type { TranslateTexts } from './translate_runs.js';

/**
 * Translates HTML texts. The ranges of their sentences are those in the text of their blocks.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function translateMarkup(
  model: Loaded,
  texts: readonly string[],
  options: TranslateOptions,
): Promise<Translation[]> {
  const { attributes, split } = readTranslateOptions(options);
  if (split === false) fail('invalid_argument', 'with html, texts are always split at block elements');
  const results: Translation[] = [];
  for (const html of texts) {
    if (typeof html !== 'string')
      fail('invalid_argument', `the text to translate must be a string, got ${typeof html}`);
    const parts: Translation[] = [];
    const translateTexts: TranslateTexts = async (own, alignment) => {
      const translated = await translate(model, own, withoutMarkup(options, alignment));
      parts.push(...translated);
      return translated;
    };
    const text = await translateHtml(html, translateTexts, attributes);
    results.push(joined(text, parts));
  }
  return results;
}

function withoutMarkup({ html: _, attributes: __, ...options }: TranslateOptions, alignment: boolean) {
  return { ...options, alignment: alignment || options.alignment === true };
}

const joined = (text: string, parts: readonly Translation[]): Translation => ({
  text,
  tokens: parts.flatMap(({ tokens }) => tokens),
  score: parts.reduce((sum, { score }) => sum + score, 0),
  sourceTokens: parts.flatMap(({ sourceTokens }) => sourceTokens),
  sourceOffsets: parts.flatMap(({ sourceOffsets }) => sourceOffsets),
  unknownWords: [...new Set(parts.flatMap(({ unknownWords }) => unknownWords))],
  sentences: parts.flatMap(({ sentences }) => sentences),
});
