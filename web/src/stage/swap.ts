/** What a swap changes: the English word that was exchanged, and the French words that follow it. */

import type { Reading } from '../reading/reading.js';

export interface Changes {
  /** Indices of the tokens that differ. */
  readonly english: readonly number[];
  readonly french: readonly number[];
}

/** @returns `null` where two readings differ in more than some words: there is nothing to follow with the eye */
export function changesOf(before: Reading, after: Reading): Changes | null {
  if (before.source.length !== after.source.length || before.written.length !== after.written.length)
    return null;
  const differing = (a: readonly { label: string }[], b: readonly { label: string }[]) =>
    [...a.keys()].filter((i) => a[i]?.label !== b[i]?.label);
  const changes = {
    english: differing(before.source, after.source),
    french: differing(before.written, after.written),
  };
  if (changes.english.length > 1 || changes.french.length > after.written.length / 2) return null;
  return changes.english.length + changes.french.length > 0 ? changes : null;
}
