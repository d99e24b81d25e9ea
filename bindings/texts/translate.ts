/** Translates texts. What takes a text apart loads when a text is first more than one plain sentence. */

import { hasDecoder, hasEncoder, requireTokenizer } from '../checkpoint/loaded.js';
import type { EncodedText } from '../generation/inputs.js';
import type { ReadOptions } from '../generation/options.js';
import { fail } from '../values/errors.js';
import { isEmpty, needsParts } from './each.js';
import { readable } from './lengths.js';
import type { ReadTranslateOptions } from './options.js';
import { type TranslatedSentence, type Translation, translationOf } from './results.js';
import type { SentenceTranslator } from './sentence_translator.js';

/** @throws TransformerError; the signal's reason. */
export async function translate(
  translator: SentenceTranslator,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Promise<Translation[]> {
  checkTexts(translator, texts);
  const inputs = await readAsTheyAre(translator, texts, options);
  if (!inputs) return (await import('./documents.js')).translateTexts(translator, texts, options);
  const sentences = await asTheyAre(translator, inputs, options);
  const isDone = (one: TranslatedSentence) => !isEmpty(one, options) && !needsParts(one, options);
  const open = [...sentences.keys()].filter((i) => !isDone(sentences[i] as TranslatedSentence));
  const done = sentences.map(translationOf);
  if (open.length === 0) return done;
  const { translateTexts } = await import('./documents.js');
  const given = open.map((i) => texts[i] ?? '');
  const allowed = options.generation.prefixAllowedTokens;
  const generation: ReadOptions = {
    ...options.generation,
    ...(allowed && { prefixAllowedTokens: (i: number, ids: number[]) => allowed(open[i] ?? i, ids) }),
  };
  const others = await translateTexts(translator, given, { ...options, generation, onProgress: undefined });
  for (const [i, other] of others.entries()) done[open[i] ?? 0] = other;
  return done;
}

/**
 * Yields the sentences of a text in order, each as soon as it and those before it are certain, and returns the whole.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function* streamTranslation(
  translator: SentenceTranslator,
  text: string,
  options: ReadTranslateOptions,
): AsyncGenerator<TranslatedSentence, Translation, void> {
  checkTexts(translator, [text]);
  return yield* (await import('./documents.js')).streamText(translator, text, options);
}

function checkTexts({ model }: SentenceTranslator, texts: readonly string[]): void {
  if (!hasEncoder(model) || !hasDecoder(model))
    fail('unsupported', 'only a model with an encoder and a decoder can translate');
  requireTokenizer(model, 'it cannot translate text');
  for (const text of texts)
    if (typeof text !== 'string')
      fail('invalid_argument', `the text to translate must be a string, got ${typeof text}`);
}

/** The texts, if the model is given each as it is; `null` if one has to be looked at. */
async function readAsTheyAre(
  { model }: SentenceTranslator,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Promise<EncodedText[] | null> {
  const { keep, glossary, generation } = options;
  if (keep || glossary || !texts.every(isPlain)) return null;
  const inputs: EncodedText[] = [];
  for (const text of texts) {
    const input = await readable(model, text, generation);
    if (!input) return null;
    inputs.push(input);
  }
  return inputs;
}

/** Longer texts are looked at closely. */
const mostPlain = 1000;

/**
 * Whether a text is one sentence for certain, with nothing but language in it: it begins with a word and not with the
 * mark of a list, is a single line, and no word follows what may end a sentence.
 */
function isPlain(text: string): boolean {
  return (
    text.length < mostPlain &&
    /^["'“”‘’«¿¡(]?\p{L}(?![.)])[\p{L}\p{M} ,.;:!?'"“”‘’«»()…¿¡。，、！？-]*\S$/u.test(text) &&
    !/[\p{STerm}…].*\p{L}|\p{sc=Grek}\P{L}*;.*\p{L}|--|[.:]\p{L}/u.test(text)
  );
}

async function asTheyAre(
  translator: SentenceTranslator,
  inputs: readonly EncodedText[],
  options: ReadTranslateOptions,
): Promise<TranslatedSentence[]> {
  const sentences: TranslatedSentence[] = [];
  let done = 0;
  for await (const { place, sentence } of translator.each(inputs, options)) {
    sentences[place] = sentence;
    options.onProgress?.({ done: ++done, total: inputs.length });
  }
  return sentences;
}
