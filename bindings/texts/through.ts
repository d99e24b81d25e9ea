/** Translates texts of any length through other languages, sentence by sentence. */

import type { Loaded } from '../checkpoint/loaded.js';
import { type ChainedTranslation, translateThrough } from '../generation/chain.js';
import { type GenerationOptions, optionNames } from '../generation/options.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { checkNames, toObject } from '../values/options.js';
import { spaced } from './joining.js';
import { readTranslateOptions, type TranslateOptions } from './options.js';
import { SourceText } from './source_text.js';

/** A generation's options, for each model, and how a text is taken apart: see {@link TranslateOptions}. */
export type ChainOptions = GenerationOptions & Pick<TranslateOptions, 'split' | 'sourceLanguage' | 'wrapped'>;

/** A sentence of a text, with the alignment of its tokens through all languages. */
export interface ChainedSentence extends ChainedTranslation {
  /** Its range in the text that was given. */
  readonly source: Span;
  /** The range of its translation in the translated text. */
  readonly target: Span;
}

/** A text that several models have translated, one after the other. */
export interface ChainedText {
  readonly text: string;
  /** The whole text as each model wrote it; the last is `text`. */
  readonly steps: readonly string[];
  /** The sum of the scores of all models and sentences. */
  readonly score: number;
  /** In the order of the text. What lies between their ranges stands in `text` as it was. */
  readonly sentences: readonly ChainedSentence[];
}

/** @throws TransformerError; the signal's reason. */
export async function translateTextsThrough(
  models: readonly Loaded[],
  texts: readonly string[],
  given: ChainOptions,
): Promise<ChainedText[]> {
  checkNames(toObject(given, 'options'), ['split', 'sourceLanguage', 'wrapped', ...optionNames], 'options');
  const options = readTranslateOptions(given);
  const [first] = models;
  for (const text of texts)
    if (typeof text !== 'string')
      fail('invalid_argument', `the text to translate must be a string, got ${typeof text}`);
  const sources = await SourceText.ofAll(first as Loaded, texts, options);
  const units = sources.flatMap((source) => source.spans.map((span) => ({ source, span })));
  const inputs = units.map(({ source, span }) => source.inputOf(span));
  const translated = await translateThrough(models, inputs, options.generation);
  return sources.map((source) => {
    const own = units.flatMap((unit, i) => (unit.source === source ? [{ ...unit, at: i }] : []));
    const parts = own.map(({ span, at }) => ({
      span,
      sentence: ofText(translated[at] ?? fail('internal', 'a translation is missing'), source, span),
    }));
    return joined(source, parts, models.length);
  });
}

interface Part {
  readonly span: Span;
  readonly sentence: ChainedTranslation;
}

/** Ranges of the source in the whole text, of which the model may have read a prefix besides. */
function ofText(sentence: ChainedTranslation, source: SourceText, span: Span): ChainedTranslation {
  const [begin] = span;
  const added = source.addedTo(span);
  const moved = (place: number) => begin + Math.max(0, place - added);
  const sourceSpans = sentence.sourceSpans.map(([from, to]): Span => [moved(from), moved(to)]);
  return { ...sentence, sourceSpans };
}

/** The text as each model wrote it, and its sentences with their places in the last of these. */
function joined({ text: source }: SourceText, parts: readonly Part[], models: number): ChainedText {
  const steps = Array.from({ length: models }, (_, step) =>
    join(
      source,
      parts.map(({ span, sentence }) => ({ span, text: sentence.steps[step] ?? '' })),
    ),
  );
  const { text, places } = steps.at(-1) ?? { text: source, places: [] };
  return {
    text,
    steps: steps.map((step) => step.text),
    score: parts.reduce((sum, { sentence }) => sum + sentence.score, 0),
    sentences: parts.map(({ span, sentence }, i) => {
      const target = places[i] ?? [0, 0];
      const moved = ([from, to]: Span): Span => [target[0] + from, target[0] + to];
      return { ...sentence, source: span, target, targetSpans: sentence.targetSpans.map(moved) };
    }),
  };
}

/** The text between the sources is kept between the translations. */
function join(source: string, parts: readonly { readonly span: Span; readonly text: string }[]) {
  let text = '';
  let end = 0;
  const places: Span[] = [];
  for (const { span, text: part } of parts) {
    const between = source.slice(end, span[0]);
    text += places.length === 0 ? between : spaced(text, between, part);
    places.push([text.length, text.length + part.length]);
    text += part;
    end = span[1];
  }
  return { text: text + source.slice(end), places };
}
