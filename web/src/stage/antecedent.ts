/** What a pronoun stands for: the noun that it needed, with the article that shows its gender. */

import { rowOf } from '../reading/looks.js';
import { type Needs, type Reading, strongest } from '../reading/reading.js';
import { pronounOf } from '../reading/swaps.js';
import type { Look } from '../selection/look.js';

/** A loss of log-probability below this is noise. */
const least = 0.01;

export interface Antecedent {
  /** Index of the source token. */
  readonly source: number;
  /** `La rue`, capitalised. */
  readonly noun: string;
  readonly gender: 'masculine' | 'feminine';
}

/** Nouns whose article does not show their gender. */
const elided = {
  feminine:
    'abeille araignée actrice infirmière orange eau université école île étagère échelle écharpe horloge assiette histoire idée erreur étoile',
  masculine:
    'écureuil animal ours oiseau âne éléphant hibou invité ami homme oncle acteur ingénieur avocat écrivain étudiant oignon œuf argent aéroport appartement hôpital hôtel oreiller ordinateur arbre exercice examen avion',
} as const;

const genders: Readonly<Record<string, Antecedent['gender']>> = {
  le: 'masculine',
  un: 'masculine',
  ce: 'masculine',
  mon: 'masculine',
  la: 'feminine',
  une: 'feminine',
  cette: 'feminine',
  ma: 'feminine',
};

function genderOf(article: string, noun: string): Antecedent['gender'] | null {
  if (!/^l'$/i.test(article)) return genders[article.toLowerCase()] ?? null;
  const isOf = (gender: Antecedent['gender']) => elided[gender].split(' ').includes(noun.toLowerCase());
  return (['feminine', 'masculine'] as const).find(isOf) ?? null;
}

/**
 * The noun without which the pronoun loses most, if the French names it with an article that agrees with the pronoun.
 * Anything else is not claimed.
 *
 * @param word index of the written token
 */
export function antecedentOf(
  reading: Reading,
  { needs, look }: { readonly needs: Needs | null; readonly look: Look },
  word: number,
): Antecedent | null {
  const pronoun = pronounOf(reading.written[word]?.label ?? '');
  const losses = needs?.[word];
  if (!pronoun || !losses) return null;
  const gender = pronoun === 'il' ? 'masculine' : 'feminine';
  const order = [...losses.keys()].sort((a, b) => (losses[b] ?? 0) - (losses[a] ?? 0));
  for (const source of order) {
    if ((losses[source] ?? 0) < least) return null;
    const place = writtenFor(reading, look, source);
    const [article, noun] = [reading.written[place - 1]?.label ?? '', reading.written[place]?.label ?? ''];
    if (place >= word || genderOf(article, noun) !== gender) continue;
    const phrase = /'$/.test(article) ? `${article}${noun}` : `${article} ${noun}`;
    return { source, noun: phrase.charAt(0).toUpperCase() + phrase.slice(1), gender };
  }
  return null;
}

/** The written token that looked at a source token more than at any other; -1 where there is none. */
function writtenFor(reading: Reading, look: Look, source: number): number {
  return reading.written.findIndex((_, query) => {
    const row = rowOf(reading, { kind: 'cross', look, query });
    return row !== null && strongest(row) === source;
  });
}
