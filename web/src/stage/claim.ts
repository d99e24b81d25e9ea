/** What the stage says of a word, as far as the picture shows it. */

import { lookedAt } from '../reading/looks.js';
import type { Candidate, Needs, Reading } from '../reading/reading.js';
import { pronounOf } from '../reading/swaps.js';
import type { Look } from '../selection/look.js';
import { antecedentOf } from './antecedent.js';
import { isSure } from './marks.js';
import { piecesOf } from './spacing.js';

export type Claim =
  /** "La rue is feminine, so: elle." */
  | {
      readonly kind: 'antecedent';
      readonly noun: string;
      readonly gender: 'masculine' | 'feminine';
      readonly word: string;
    }
  /** "To write large, it looked at wide." */
  | { readonly kind: 'looked'; readonly word: string; readonly at: string }
  /** No head of the look is on. */
  | { readonly kind: 'off'; readonly word: string };

export interface Chosen {
  readonly look: Look;
  readonly needs: Needs | null;
  /** Index of the written token. */
  readonly word: number;
}

/** @returns `null` where nothing is looked at: a model without a decoder, or without an encoder */
export function claimOf(reading: Reading, { look, needs, word }: Chosen): Claim | null {
  const token = reading.written[word];
  if (!token || !reading.maps.cross) return null;
  const at = lookedAt(reading, look, word);
  if (at === null) return { kind: 'off', word: token.label };
  const found = isSure(reading) ? antecedentOf(reading, { needs, look }, word) : null;
  if (found) return { kind: 'antecedent', noun: found.noun, gender: found.gender, word: token.label };
  const pieces = piecesOf(
    reading.text,
    reading.source.map(({ label }) => label),
  );
  return { kind: 'looked', word: token.label, at: pieces[at]?.text ?? '' };
}

/** What is set against what: the two pronouns, or the word and the next likely one. */
export function sharesOf({ written }: Reading, word: number): readonly Candidate[] {
  const token = written[word];
  if (!token) return [];
  const others = token.candidates.filter(({ id }) => id !== token.id);
  const pronoun = pronounOf(token.label);
  const rival = pronoun && others.find(({ label }) => (pronounOf(label) ?? pronoun) !== pronoun);
  const next = rival ?? others[0];
  return next ? [token, next] : [token];
}
