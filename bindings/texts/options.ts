/** Options of a translation: those of the generation, and how a text is taken apart. */

import { type GenerationOptions, optionNames, type ReadOptions, readOptions } from '../generation/options.js';
import { fail } from '../values/errors.js';
import { checkNames, type FieldsOf, readFields, toBe, toBoolean, toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';
import { type Glossary, type KeepOption, toGlossary, toKeep } from './keep_options.js';

/** How far a translation is. */
export interface TranslateProgress {
  /** Sentences of all texts that are translated. */
  done: number;
  /** Sentences of all texts. */
  total: number;
}

export interface TranslateOptions extends GenerationOptions {
  /**
   * Whether a text is translated sentence by sentence, and sentences longer than the model's maximum in parts; default
   * `true`. With `false`, the model reads each text as a whole, at most as long as its maximum.
   */
  split?: boolean;
  /**
   * The language of the texts as a BCP 47 tag, `de` or `pt-BR`: decides where sentences end. Default: that of
   * `srcLang`, or else the rules that most languages share.
   */
  sourceLanguage?: string;
  /** The language of the translation as a BCP 47 tag: decides how numbers are written. Default: that of `tgtLang`. */
  targetLanguage?: string;
  /**
   * What is not translated, besides addresses, code, placeholders and the like: texts (whole words), regular
   * expressions, or a function of a text and its place among the texts that gives ranges. With `false`, the model is
   * given everything, and what it writes is not compared with the numbers of the source.
   */
  keep?: KeepOption;
  /** Translations of terms: `{ 'attention head': "tête d'attention", Transformer: true }`; `true` keeps a term. */
  glossary?: Glossary;
  /**
   * Whether lines are wrapped: a single line break is then a space, and an empty line ends a paragraph. Default
   * `false`.
   */
  wrapped?: boolean;
  /** Whether to align the words of each sentence with those of its translation: `sentences[i].alignment`. */
  alignment?: boolean;
  /**
   * Whether the texts are HTML: pages, or parts of one. Tags follow their words, block elements end sentences, code and
   * what has `translate="no"` stays. What the model writes is text and never becomes markup. Default `false`.
   */
  html?: boolean;
  /**
   * With `html`: which attributes are translated, too; `true` for `alt`, `title`, `placeholder` and the texts of
   * `aria-*`.
   */
  attributes?: AttributesOption;
  /** Called whenever sentences are complete. */
  onProgress?: (progress: TranslateProgress) => void;
}

export const readableAttributes = [
  'alt',
  'title',
  'placeholder',
  'aria-label',
  'aria-description',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'aria-braillelabel',
  'aria-brailleroledescription',
  'aria-colindextext',
  'aria-rowindextext',
] as const;

/** An attribute of HTML whose value is read by people. */
export type ReadableAttribute = (typeof readableAttributes)[number];

/** Which attributes to translate: `true` stands for all. */
export type AttributesOption = boolean | readonly ReadableAttribute[];

export function toAttributes(value: unknown, name: string): readonly ReadableAttribute[] {
  if (value === true) return readableAttributes;
  if (value === false) return [];
  const isKnown = (one: unknown): one is ReadableAttribute =>
    readableAttributes.some((known) => known === one);
  if (Array.isArray(value) && value.every(isKnown)) return value;
  const known = readableAttributes.join(', ');
  return fail(
    'invalid_argument',
    `${name} must be true, false or a list of ${known}; got ${describe(value)}`,
  );
}

const readers = {
  split: toBoolean,
  sourceLanguage: toBe('a language tag such as de or pt-BR', isLanguageTag),
  targetLanguage: toBe('a language tag such as de or pt-BR', isLanguageTag),
  keep: toKeep,
  glossary: toGlossary,
  wrapped: toBoolean,
  alignment: toBoolean,
  html: toBoolean,
  attributes: toAttributes,
  onProgress: toBe(
    'a function',
    (value): value is (progress: TranslateProgress) => void => typeof value === 'function',
  ),
};

export function isLanguageTag(value: unknown): value is string {
  try {
    return typeof value === 'string' && Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** The checked options, and apart from them those of the generation. */
export interface ReadTranslateOptions extends FieldsOf<typeof readers> {
  readonly generation: ReadOptions;
}

/** @throws TransformerError `invalid_argument`, naming the option; for an unknown one, with the closest known name. */
export function readTranslateOptions(options: TranslateOptions): ReadTranslateOptions {
  const given = toObject(options, 'options');
  checkNames(given, [...Object.keys(readers), ...optionNames], 'options');
  const entries = Object.entries(given);
  const own = Object.fromEntries(entries.filter(([name]) => name in readers));
  const generation = Object.fromEntries(entries.filter(([name]) => !(name in readers)));
  const read = readFields(own, readers);
  if (read.attributes?.length && !read.html) fail('invalid_argument', 'attributes needs html: true');
  const generationOptions = readOptions(generation);
  return {
    ...read,
    ...(read.keep === undefined && looksInside(generationOptions) && { keep: false }),
    generation: generationOptions,
  };
}

/** What is asked of one pass over a text is of the text as the model reads it: nothing is kept from it. */
const looksInside = ({ outputAttentions, outputHiddenStates, trace }: ReadOptions) =>
  Boolean(outputAttentions || outputHiddenStates || trace?.length);
