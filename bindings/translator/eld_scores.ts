/** Scores of languages by eld's n-grams. The build bundles eld into this file, with its database of small size. */

import { eld } from 'eld/small';

/** Languages by their codes, each with a score from 0 to 1; those that are out of the question are left out. */
export const languageScores = (text: string): Record<string, number> => eld.detect(text).getScores();

export const knownLanguages = (): string[] => Object.values(eld.info().Languages);
