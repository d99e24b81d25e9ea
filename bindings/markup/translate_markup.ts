/** Markup translated by a model. */

import type { ReadTranslateOptions } from '../texts/options.js';
import { summed, type Translation } from '../texts/results.js';
import type { SentenceTranslator } from '../texts/sentence_translator.js';
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
  translator: SentenceTranslator,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Promise<Translation[]> {
  const { attributes, split, sourceLanguage, generation } = options;
  if (split === false) fail('invalid_argument', 'with html, texts are always split at block elements');
  const results: Translation[] = [];
  for (const html of texts) {
    if (typeof html !== 'string')
      fail('invalid_argument', `the text to translate must be a string, got ${typeof html}`);
    const parts: Translation[] = [];
    const translateTexts: TranslateTexts = async (own, alignment) => {
      const translated = await translate(translator, own, withoutMarkup(options, alignment));
      parts.push(...translated);
      return translated;
    };
    const settings = { attributes: attributes ?? [], sourceLanguage, signal: generation.signal };
    const { text } = await translateHtml(html, translateTexts, settings);
    results.push(joined(text, parts));
  }
  return results;
}

function withoutMarkup({ html: _, attributes: __, ...options }: ReadTranslateOptions, alignment: boolean) {
  return { ...options, alignment: alignment || options.alignment === true };
}

const joined = (text: string, parts: readonly Translation[]): Translation => ({
  ...summed(parts),
  text,
  sentences: parts.flatMap(({ sentences }) => sentences),
});
