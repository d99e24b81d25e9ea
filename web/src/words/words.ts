/** The page's own words in the reader's language. There is one file for each, of which the chosen one alone is loaded. */

import type { Words } from './en.js';

/** By their codes, each in its own name. */
export const languages = {
  en: 'English',
  fr: 'Français',
  de: 'Deutsch',
  es: 'Español',
  zh: '简体中文',
} as const;

export type Language = keyof typeof languages;

const load: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import('./en.js')).en,
  fr: async () => (await import('./fr.js')).fr,
  de: async () => (await import('./de.js')).de,
  es: async () => (await import('./es.js')).es,
  zh: async () => (await import('./zh.js')).zh,
};

const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code);

/** The language that early.js has chosen before anything was drawn; without a document, English. */
function chosen(): Language {
  const [code = ''] = (globalThis.document?.documentElement.lang ?? '').split('-');
  return isLanguage(code) ? code : 'en';
}

export const language = chosen();

/** Waited for here, so that the rest of the page finds its words as it finds any constant. */
export const words: Words = await load[language]();
