/** Flags of what a translation keeps, and of the two languages. */

import { readFileSync } from 'node:fs';
import type { TranslateOptions } from '../texts/options.js';
import { isLanguageTag } from '../texts/options.js';
import { type Flag, UsageError } from './flags.js';

export const languageTag = (help: string): Flag<string> => ({
  value: 'TAG',
  help,
  read(given, name) {
    if (isLanguageTag(given)) return given;
    throw new UsageError(`--${name} must be a language tag such as de or pt-BR, got '${given}'`);
  },
});

/** Texts apart by commas; one between slashes is a regular expression. */
function readKeep(given: string, name: string): (string | RegExp)[] {
  const parts = given.match(/\/(?:[^/\\]|\\.)+\/[a-z]*(?=,|$)|[^,]+/g) ?? [];
  if (parts.length === 0) throw new UsageError(`--${name} needs texts, apart by commas`);
  return parts.map((part) => {
    const [, pattern, flags] = /^\/(.+)\/([a-z]*)$/.exec(part) ?? [];
    if (pattern === undefined) return part.trim();
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      throw new UsageError(`--${name}: ${(error as Error).message}`);
    }
  });
}

/** @throws UsageError for anything but an object of texts, or of `true` */
function readGlossary(given: string, name: string): Record<string, string | true> {
  try {
    const terms: unknown = JSON.parse(
      given.trimStart().startsWith('{') ? given : readFileSync(given, 'utf8'),
    );
    const isGlossary =
      typeof terms === 'object' &&
      terms !== null &&
      Object.entries(terms).every(
        ([term, own]) => term.trim() !== '' && (own === true || typeof own === 'string'),
      );
    if (isGlossary && !Array.isArray(terms)) return terms as Record<string, string | true>;
  } catch (error) {
    throw new UsageError(`--${name}: ${(error as Error).message}`);
  }
  throw new UsageError(`--${name} needs an object of terms with their translations, or true to keep one`);
}

export const wordingFlags = {
  keep: {
    value: 'TEXTS',
    help: 'texts that are not translated, apart by commas; between slashes a regular expression: Acme,/v\\d+/',
    read: readKeep,
  },
  glossary: {
    value: 'FILE',
    help: 'translations of terms, as JSON: {"head": "tête", "Transformer": true}; true keeps a term',
    read: readGlossary,
  },
  'source-language': languageTag(
    'language of the texts: decides where sentences end, and how numbers are read',
  ),
  'target-language': languageTag('language of the translation: decides how numbers are written'),
};

/** The options that these flags set. */
export function wordingOptionsOf(values: {
  readonly keep?: (string | RegExp)[];
  readonly glossary?: Record<string, string | true>;
  readonly 'source-language'?: string;
  readonly 'target-language'?: string;
}): TranslateOptions {
  const { keep, glossary, 'source-language': sourceLanguage, 'target-language': targetLanguage } = values;
  return {
    ...(keep && { keep }),
    ...(glossary && { glossary }),
    ...(sourceLanguage && { sourceLanguage }),
    ...(targetLanguage && { targetLanguage }),
  };
}
