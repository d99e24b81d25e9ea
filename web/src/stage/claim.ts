/** What the stage says of a word, as far as the picture shows it: where it looked, what that had looked at, what it needed. */

import { lookedAt, rowOf } from '../reading/looks.js';
import type { Candidate, Needs, Reading } from '../reading/reading.js';
import { pronounOf, swappable } from '../reading/swaps.js';
import type { Look } from '../selection/look.js';
import { antecedentOf } from './antecedent.js';
import { isSure } from './marks.js';
import { piecesOf } from './spacing.js';
import { arcGlances } from './weave.js';

/** An English word, and a share of one. */
export interface Share {
  readonly at: string;
  readonly share: number;
}

/** The two steps to a word. */
export interface Steps {
  readonly word: string;
  /** "To write elle, it looked at it (54 %)."; `null`: no head of the look is on. */
  readonly wrote: Share | null;
  /** "To understand it, it had looked at street (30 %) and because (27 %)."; `null` for a word without an antecedent. */
  readonly understood: { readonly at: string; readonly others: readonly Share[] } | null;
  /** "La rue is feminine, so: elle." */
  readonly antecedent: { readonly noun: string; readonly gender: 'masculine' | 'feminine' } | null;
}

export interface Chosen {
  readonly look: Look;
  readonly needs: Needs | null;
  /** Index of the written token. */
  readonly word: number;
}

/** How many of the words that were looked at in the second step are named. */
const mostNamed = 2;

/** @returns `null` where nothing is looked at: a model without a decoder, or without an encoder */
export function stepsOf(reading: Reading, { look, needs, word }: Chosen): Steps | null {
  const token = reading.written[word];
  if (!token || !reading.maps.cross) return null;
  const named = namesOf(reading);
  const at = lookedAt(reading, look, word);
  const row = rowOf(reading, { kind: 'cross', look, query: word });
  if (at === null || !row) return { word: token.label, wrote: null, understood: null, antecedent: null };
  const arcs = arcGlances({ reading, look, chosen: word });
  const others = arcs?.glances
    .slice(0, mostNamed)
    .map(({ key, weight }) => ({ at: named(key), share: weight }));
  return {
    word: token.label,
    wrote: { at: named(at), share: row[at] ?? 0 },
    understood: others?.length ? { at: named(at), others } : null,
    antecedent: isSure(reading) ? antecedentOf(reading, { needs, look }, word) : null,
  };
}

/** A loss of log-probability that counts: the word keeps less than 95 % of its probability. */
const counts = 0.05;
/** How many needed words are underlined and named. */
const mostNeeded = 3;

/** An English word that the chosen one needed. */
export interface Needed extends Share {
  /** Index of the source token. */
  readonly source: number;
}

/** The English words without which a French one loses most, each with the probability that is left without it. */
export function neededBy(reading: Reading, needs: Needs | null, word: number): readonly Needed[] {
  const losses = needs?.[word];
  const probability = reading.written[word]?.probability ?? 0;
  if (!losses) return [];
  const named = namesOf(reading);
  return [...losses.keys()]
    .filter((source) => (losses[source] ?? 0) >= counts)
    .sort((a, b) => (losses[b] ?? 0) - (losses[a] ?? 0))
    .slice(0, mostNeeded)
    .map((source) => ({ source, at: named(source), share: probability * Math.exp(-(losses[source] ?? 0)) }));
}

/** The adjective that could be swapped, where the pronoun would be the same without it; `null`: it was needed, or there is none. */
export function idleAdjective(reading: Reading, needs: Needs | null, word: number): string | null {
  const source = swappable(reading.source);
  const loss = needs?.[word]?.[source];
  const isIdle = pronounOf(reading.written[word]?.label ?? '') && loss !== undefined && loss < counts;
  return isIdle ? namesOf(reading)(source) : null;
}

/** The source tokens as they stand in the text. */
function namesOf(reading: Reading): (source: number) => string {
  const pieces = piecesOf(
    reading.text,
    reading.source.map(({ label }) => label),
  );
  return (source) => pieces[source]?.text ?? '';
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
