/** Which arcs a sentence draws over itself. */

import { rowOf } from '../../reading/looks.js';
import { type Reading, strongest } from '../../reading/reading.js';
import type { Look } from '../../selection/look.js';

/** The look of one word at another. */
export interface Arc {
  readonly query: number;
  readonly key: number;
  readonly weight: number;
}

/** A weight below this has no arc; the same as on the first screen. */
const least = 0.09;

/** The attention that is a text's own: of the encoder, or of a decoder alone. */
export const ownKind = ({ maps }: Pick<Reading, 'maps'>) => (maps.encoder ? 'encoder' : 'decoder');

/** All arcs of a look, each word's strongest first; a word's look at itself is none. */
export function arcsOf(reading: Pick<Reading, 'maps' | 'taught'>, look: Look): Arc[] {
  const kind = ownKind(reading);
  const queries = reading.maps[kind]?.queries ?? [];
  return [...queries.keys()].flatMap((query) => {
    const row = rowOf(reading, { kind, look, query }) ?? [];
    return Array.from(row, (weight, key) => ({ query, key, weight }))
      .filter(({ key, weight }) => key !== query && weight >= least)
      .sort((a, b) => b.weight - a.weight);
  });
}

/** The word to begin with: a pronoun, else the word that looks away from itself most. */
export function firstQuery(reading: Pick<Reading, 'maps' | 'taught'>, look: Look): number {
  const tokens = reading.maps[ownKind(reading)]?.queries ?? [];
  const pronoun = tokens.findIndex(({ label }) => /^(it|he|she|they)$/i.test(label));
  if (pronoun >= 0) return pronoun;
  const arcs = arcsOf(reading, look);
  return arcs[strongest(arcs.map(({ weight }) => weight))]?.query ?? 0;
}
