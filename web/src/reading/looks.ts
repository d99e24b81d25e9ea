/** Which heads a picture of attention is drawn from: the one that was shown where to look, those that were not, or all. */

import type { Head, Kind } from '../selection/heads.js';
import type { Look } from '../selection/look.js';
import type { AttentionMap } from './attention_map.js';
import { type Reading, strongest } from './reading.js';

const taughtFor: Partial<Record<Kind, keyof Reading['taught']>> = {
  cross: 'alignment',
  encoder: 'antecedent',
};

/** The head that was taught to look from the French to the English, or from an English pronoun to what it stands for. */
const taughtHead = ({ taught }: Pick<Reading, 'taught'>, kind: Kind): Head | undefined => {
  const purpose = taughtFor[kind];
  return purpose && taught[purpose];
};

/** Whether a head was taught where to look. */
export const isTaught = (reading: Pick<Reading, 'taught'>, { kind, layer, head }: Head): boolean => {
  const taught = taughtHead(reading, kind);
  return taught?.layer === layer && taught.head === head;
};

/** Whether a look differs from the others: only in a model with a head that was taught. */
export const hasLooks = (reading: Pick<Reading, 'taught'>) => taughtHead(reading, 'cross') !== undefined;

/**
 * The heads of a look that are on. From the French to the English: of all layers. Within the English: of the last layer,
 * whose words are what the French looks at.
 */
export function headsOf(reading: Pick<Reading, 'maps' | 'taught'>, kind: Kind, look: Look): Head[] {
  const map = reading.maps[kind];
  if (!map) return [];
  const taught = taughtHead(reading, kind);
  if (look === 'taught' && taught) return map.isOff(taught.layer, taught.head) ? [] : [taught];
  const first = kind === 'encoder' ? map.layers - 1 : 0;
  return Array.from({ length: (map.layers - first) * map.heads }, (_, i) => ({
    kind,
    layer: first + Math.floor(i / map.heads),
    head: i % map.heads,
  })).filter(
    ({ layer, head }) =>
      !map.isOff(layer, head) && !(look === 'found' && isTaught(reading, { kind, layer, head })),
  );
}

/** Where one query looks: the mean over the heads of a look, or `null` where all of them are off. */
export function rowOf(
  reading: Pick<Reading, 'maps' | 'taught'>,
  { kind, look, query }: { readonly kind: Kind; readonly look: Look; readonly query: number },
): Float32Array | null {
  const map = reading.maps[kind];
  const heads = headsOf(reading, kind, look);
  return map && heads.length > 0 && query < map.queries.length ? meanOf(map, heads, query) : null;
}

/** All rows of a look, [queries, keys]; zeros where no head of it is on. */
export function mapOf(reading: Reading, kind: Kind, look: Look): Float32Array {
  const { queries = [], keys = [] } = reading.maps[kind] ?? {};
  const all = new Float32Array(queries.length * keys.length);
  for (const query of queries.keys())
    all.set(rowOf(reading, { kind, look, query }) ?? [], query * keys.length);
  return all;
}

/** The source token that a written one looked at most; `null` where no head of the look is on. */
export function lookedAt(reading: Reading, look: Look, word: number): number | null {
  const row = rowOf(reading, { kind: 'cross', look, query: word });
  return row && strongest(row);
}

/** The mean over heads of where one query looks. */
export function meanOf(map: AttentionMap, heads: readonly Head[], query: number): Float32Array {
  const mean = new Float32Array(map.keys.length);
  for (const { layer, head } of heads) {
    for (const [i, weight] of map.row(layer, head, query).entries())
      mean[i] = (mean[i] ?? 0) + weight / heads.length;
  }
  return mean;
}
