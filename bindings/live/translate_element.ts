/** `translateElement`: a live page in another language, and back. */

import * as dom from '../markup/dom.js';
import { checkTranslator, type TextTranslator } from '../markup/text_translator.js';
import type { TranslateTexts } from '../markup/translate_runs.js';
import {
  type AttributesOption,
  isLanguageTag,
  type TranslateOptions,
  toAttributes,
} from '../texts/options.js';
import { onAbort } from '../values/aborts.js';
import { fail } from '../values/errors.js';
import { toObject } from '../values/options.js';
import { ElementTranslation } from './element_translation.js';

export interface TranslateElementOptions extends Omit<TranslateOptions, 'html' | 'split' | 'alignment'> {
  /** Which attributes are translated, too; `true` for all of `alt`, `title`, `placeholder` and `aria-label`. */
  attributes?: AttributesOption;
  /** Whether to translate what the page changes or adds later. Default `false`. */
  observe?: boolean;
  /** The language of the translation as a BCP 47 tag: becomes the `lang` of the element. */
  targetLanguage?: string;
  /** Ends the translation; what is translated by then stays. */
  signal?: AbortSignal;
  /** Called after each group of texts: how many blocks are done, of how many. */
  onProgress?: (progress: { done: number; total: number }) => void;
}

/** An element that is, or is being, translated. */
export interface TranslatedElement {
  /** Settles when all that was there is translated. Rejects with a TransformerError, or the signal's reason. */
  readonly done: Promise<void>;
  /** Ends the translation, and the watching for changes. */
  stop(): void;
  /** Ends it, and gives the page back what it had. What the page itself has changed since stays. */
  restore(): void;
}

/**
 * Translates an element of a page in place: what is in sight first. Nodes stay the same ones, with their listeners; tags move
 * with their words. Code, what has `translate="no"`, and what a reader edits stay as they are.
 *
 * @throws TransformerError `invalid_argument`
 * @example
 * const page = translateElement(model, document.body, { observe: true, targetLanguage: 'fr' });
 * await page.done;
 * page.restore();
 */
export function translateElement(
  model: TextTranslator,
  element: Element,
  options: TranslateElementOptions = {},
): TranslatedElement {
  if (typeof Element !== 'function' || !(element instanceof Element))
    fail('invalid_argument', 'translateElement takes an element of a page');
  checkTranslator(model, 'translateElement');
  const given = toObject(options, 'options') as TranslateElementOptions;
  const { attributes = false, observe = false, targetLanguage, signal, onProgress, ...rest } = given;
  if (targetLanguage !== undefined && !isLanguageTag(targetLanguage))
    fail('invalid_argument', 'targetLanguage must be a language tag such as de or pt-BR');
  const stop = new AbortController();
  const ignore = onAbort(signal, () => stop.abort(signal?.reason));
  const translate: TranslateTexts = (texts, alignment) =>
    model.translate(texts, { ...rest, alignment, signal: stop.signal });
  const settings = {
    attributes: toAttributes(attributes, 'attributes'),
    observe,
    signal: stop.signal,
    onProgress,
  };
  const translation = new ElementTranslation(element, translate, settings);
  const language = dom.getAttribute(element, 'lang');
  if (targetLanguage !== undefined) dom.setAttribute(element, 'lang', targetLanguage);
  const end = () => {
    ignore();
    stop.abort();
    translation.stop();
  };
  onAbort(stop.signal, () => translation.stop());
  const done = translation.run();
  done.catch(() => translation.stop());
  return {
    done,
    stop: end,
    restore() {
      end();
      translation.restore();
      if (targetLanguage === undefined) return;
      if (language === null) dom.removeAttribute(element, 'lang');
      else dom.setAttribute(element, 'lang', language);
    },
  };
}
