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
import { ledger } from './ledger.js';
import { parentOf } from './reach.js';

export interface TranslateElementOptions extends Omit<TranslateOptions, 'html' | 'split' | 'alignment'> {
  /** Which attributes are translated, too; `true` for `alt`, `title`, `placeholder` and the texts of `aria-*`. */
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
 * Translates an element of a page in place: what is in sight first. Nodes keep their parents and listeners; elements in
 * a line may change their order. Code, what has `translate="no"`, what is in another language, and what a reader edits
 * stay as they are. Translations of one element, or of one in another, are one: `restore` of the outer ends both.
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
  if (!isElementOfPage(element)) fail('invalid_argument', 'translateElement takes an element of a page');
  checkTranslator(model, 'translateElement');
  const given = toObject(options, 'options') as TranslateElementOptions;
  const { attributes = false, observe = false, targetLanguage, signal, onProgress, ...rest } = given;
  if (targetLanguage !== undefined && !isLanguageTag(targetLanguage))
    fail('invalid_argument', 'targetLanguage must be a language tag such as de or pt-BR');
  const stop = new AbortController();
  const ignore = onAbort(signal, () => stop.abort(signal?.reason));
  const translate: TranslateTexts = (texts, alignment) =>
    model.translate(texts, { ...rest, alignment, signal: stop.signal });
  const translation = new ElementTranslation(element, translate, {
    attributes: toAttributes(attributes, 'attributes'),
    observe,
    stop,
    language: languageOf(element, rest.sourceLanguage),
    by: model,
    onProgress,
  });
  if (targetLanguage !== undefined) translation.setAttribute('lang', targetLanguage);
  onAbort(stop.signal, () => translation.stop());
  const done = translation.run();
  done.catch(() => translation.stop());
  return {
    done,
    stop() {
      ignore();
      translation.stop();
    },
    restore() {
      ignore();
      translation.restore();
    },
  };
}

/** Elements of a frame are of another window's class. */
function isElementOfPage(element: unknown): element is Element {
  if (typeof Node !== 'function' || typeof element !== 'object' || element === null) return false;
  try {
    return dom.nodeType(element as Node) === 1;
  } catch {
    return false;
  }
}

/** The language of an element: as the caller, it or what is around it says, or else that of most of its text. */
function languageOf(element: Element, given: string | undefined): string {
  if (given !== undefined) return given;
  for (let one: Node | null = element; one; one = parentOf(one)) {
    const language = dom.nodeType(one) === 1 ? ledger.source(one, 'lang') : null;
    if (language) return language;
  }
  const lengths = new Map<string, number>();
  for (const part of dom.querySelectorAll(element, '[lang]')) {
    const around = dom.parentNode(part);
    if (around && dom.nodeType(around) === 1 && dom.closest(around as Element, '[lang]')) continue;
    const language = dom.getAttribute(part, 'lang') ?? '';
    lengths.set(language, (lengths.get(language) ?? 0) + (dom.textContent(part) ?? '').length);
  }
  const marked = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const [most] = [...lengths].sort((a, b) => b[1] - a[1]);
  return most && 2 * marked > (dom.textContent(element) ?? '').length ? most[0] : '';
}
