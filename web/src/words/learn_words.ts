/** The words of “Watch it learn”, which few visitors open: files of their own, loaded with it. */

import type { LearnWords } from './learn_en.js';
import { type Language, language } from './words.js';

const load: Readonly<Record<Language, () => Promise<LearnWords>>> = {
  en: async () => (await import('./learn_en.js')).en,
  fr: async () => (await import('./learn_fr.js')).fr,
  de: async () => (await import('./learn_de.js')).de,
  es: async () => (await import('./learn_es.js')).es,
  zh: async () => (await import('./learn_zh.js')).zh,
};

export const learnWords: LearnWords = await load[language]();
