/** The stage of a model that writes beside what it reads, or only reads: one row of tokens, and arcs for what one looked at. */

import { headsOf, meanOf } from '../reading/looks.js';
import { type Reading, strongest } from '../reading/reading.js';
import { type Token, tokenOf } from '../reading/tokens.js';

export interface SingleRow {
  readonly tokens: readonly Token[];
  /** Where the tokens stand, to tell which of them touch. */
  readonly text: string;
}

/** @returns `null` for a model of two stacks, whose words stand in two rows */
export function singleRowOf(reading: Reading): SingleRow | null {
  if (reading.maps.cross) return null;
  if (reading.stacks === 'decoder') {
    const first = reading.read[0] ?? tokenOf('', 'en');
    return { tokens: [first, ...reading.written], text: reading.translation };
  }
  return { tokens: reading.source, text: reading.text };
}

/** The place in the row that is shown. @param word what is selected: in a decoder, the index of a written token */
export function chosenPlace(reading: Reading, word: number | null): number {
  const { tokens = [] } = singleRowOf(reading) ?? {};
  const place = word === null ? tokens.length - 1 : reading.stacks === 'decoder' ? word + 1 : word;
  const last = tokens.findLastIndex(({ isSpecial, label }) => !isSpecial && /[\p{L}\p{N}]/u.test(label));
  return Math.max(0, word === null ? last : Math.min(place, tokens.length - 1));
}

/** What is selected when a place of the row is clicked. */
export const wordAt = (reading: Reading, place: number): number =>
  reading.stacks === 'decoder' ? Math.max(0, place - 1) : place;

/**
 * Where a token of the row looked, in the mean of the last layer's heads that are on: as it was understood, or, in a decoder,
 * when it was written. The last layer's words are what the model speaks from.
 */
export function rowLooks(reading: Reading, place: number): Float32Array | null {
  const kind = reading.stacks === 'decoder' ? 'decoder' : 'encoder';
  const query = kind === 'decoder' ? place - 1 : place;
  const map = reading.maps[kind];
  if (!map || query < 0 || query >= map.queries.length) return null;
  const heads = headsOf(reading, kind, 'mean').filter(({ layer }) => layer === map.layers - 1);
  return heads.length > 0 ? meanOf(map, heads, query) : null;
}

/** The token that a place looked at most. */
export function mostLooked(
  reading: Reading,
  place: number,
): { readonly at: number; readonly share: number } | null {
  const row = rowLooks(reading, place);
  if (!row) return null;
  const at = strongest(row);
  return { at, share: row[at] ?? 0 };
}
