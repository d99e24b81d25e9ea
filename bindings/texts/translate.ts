/** Translates texts. What takes a text apart loads when a text is first more than one plain sentence. */

import { hasDecoder, hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import { isEmpty, needsParts, translateEach } from './each.js';
import { fits } from './lengths.js';
import { type ReadTranslateOptions, readTranslateOptions, type TranslateOptions } from './options.js';
import { type TranslatedSentence, type Translation, translationOf } from './results.js';

/** @throws TransformerError; the signal's reason. */
export async function translate(
  model: Loaded,
  texts: readonly string[],
  given: TranslateOptions,
): Promise<Translation[]> {
  const options = readTranslateOptions(given);
  checkTexts(model, texts);
  if (await areReadAsTheyAre(model, texts, options)) {
    const sentences = await asTheyAre(model, texts, options);
    const isDone = (one: TranslatedSentence) => !isEmpty(one, options) && !needsParts(one, options);
    if (sentences.every(isDone)) return sentences.map(translationOf);
  }
  return (await import('./documents.js')).translateTexts(model, texts, options);
}

/**
 * Yields the sentences of a text in order, each as soon as it and those before it are certain, and returns the whole.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function* streamTranslation(
  model: Loaded,
  text: string,
  given: TranslateOptions,
): AsyncGenerator<TranslatedSentence, Translation, void> {
  const options = readTranslateOptions(given);
  checkTexts(model, [text]);
  return yield* (await import('./documents.js')).streamText(model, text, options);
}

function checkTexts(model: Loaded, texts: readonly string[]): void {
  if (!hasEncoder(model) || !hasDecoder(model))
    fail('unsupported', 'only a model with an encoder and a decoder can translate');
  requireTokenizer(model, 'it cannot translate text');
  for (const text of texts)
    if (typeof text !== 'string')
      fail('invalid_argument', `the text to translate must be a string, got ${typeof text}`);
}

/** Whether the model is given the texts as they are; of white space alone it is given nothing. */
async function areReadAsTheyAre(
  model: Loaded,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Promise<boolean> {
  for (const text of texts)
    if (!(options.split === false ? text.trim() !== '' : await isPlain(model, text, options))) return false;
  return true;
}

/**
 * Whether a text is one sentence for certain, that the model can take: it begins with a word and not with the mark of a
 * list, is a single line, and no word follows what may end a sentence.
 */
async function isPlain(model: Loaded, text: string, { generation }: ReadTranslateOptions): Promise<boolean> {
  const begins = /^["'“”‘’«¿¡(]?\p{L}(?![.)]).*\S$/u;
  if (!begins.test(text) || /[\r\u0085\u2028\u2029\v\f]|\p{STerm}.*(?:\p{L}|\s\p{N})/u.test(text))
    return false;
  return fits(model, text, generation);
}

async function asTheyAre(
  model: Loaded,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Promise<TranslatedSentence[]> {
  const sentences: TranslatedSentence[] = [];
  let done = 0;
  for await (const { place, sentence } of translateEach(model, texts, options)) {
    sentences[place] = sentence;
    options.onProgress?.({ done: ++done, total: texts.length });
  }
  return sentences;
}
