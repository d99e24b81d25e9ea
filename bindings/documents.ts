/**
 * `transformer-wasm/documents`: files as wholes, and elements of a page in place.
 * @module transformer-wasm/documents
 */

import type { DocumentKind, TranslatedDocument } from './documents/document.js';
import { documentKinds } from './documents/document.js';
import { checkTranslator, type TextTranslator } from './markup/text_translator.js';
import {
  type AttributesOption,
  isLanguageTag,
  type TranslateOptions,
  toAttributes,
} from './texts/options.js';
import { fail } from './values/errors.js';
import { toObject } from './values/options.js';

export {
  type DocumentKind,
  type DocumentPart,
  kindOf,
  type TranslatedDocument,
} from './documents/document.js';
export {
  type TranslatedElement,
  type TranslateElementOptions,
  translateElement,
} from './live/translate_element.js';
export type { AlignedSentence, AlignedText } from './markup/placed_words.js';

export type { TextTranslator } from './markup/text_translator.js';

export interface TranslateDocumentOptions extends Omit<TranslateOptions, 'html' | 'split' | 'alignment'> {
  /** The format of the text; `kindOf` derives it from a file's name. */
  kind: DocumentKind;
  /** Of HTML: which attributes are translated, too. */
  attributes?: AttributesOption;
  /** Of HTML: the language that the document is set to be in, as its `lang` attribute says it. */
  lang?: string;
}

/**
 * Translates the text of a file: what people read, and nothing else. Code, targets of links, front matter and times
 * stay byte for byte. What a translation would break stays untranslated, and is listed.
 *
 * @throws TransformerError `invalid_argument`, and what the model's `translate` throws; the signal's reason.
 * @example
 * const { text } = await translateDocument(model, await file.text(), { kind: kindOf(file.name) ?? 'text' });
 */
export async function translateDocument(
  model: TextTranslator,
  source: string,
  options: TranslateDocumentOptions,
): Promise<TranslatedDocument> {
  checkTranslator(model, 'translateDocument');
  const {
    kind,
    attributes = false,
    lang,
    ...rest
  } = toObject(options, 'options') as Partial<TranslateDocumentOptions>;
  if (typeof source !== 'string') fail('invalid_argument', 'the document must be a string');
  if (kind === undefined || !documentKinds.includes(kind))
    return fail('invalid_argument', `kind must be one of ${documentKinds.join(', ')}, got '${kind}'`);
  const { translateDocument: translate } = await import('./documents/translate_document.js');
  if (lang !== undefined && !isLanguageTag(lang))
    fail('invalid_argument', `lang must be a language tag such as de or pt-BR, got '${lang}'`);
  const { wrapped, sourceLanguage, signal } = rest;
  const settings = {
    wrapped,
    sourceLanguage,
    signal,
    lang,
    attributes: toAttributes(attributes, 'attributes'),
  };
  const run = (texts: readonly string[], alignment: boolean) =>
    model.translate(texts, { ...rest, alignment });
  return translate(source, kind, run, settings);
}
