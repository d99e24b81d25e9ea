/** Of all heads, the one in which a pronoun tells its two meanings apart best. */

import type { AttentionMap } from './attention_map.js';
import type { Choice } from './components/head_picker.js';

/** One sentence: the row of the pronoun, and the columns of the noun that it means and of the other one. */
export interface Case {
  readonly map: AttentionMap;
  readonly query: number;
  readonly right: number;
  readonly wrong: number;
}

export interface Contrast extends Choice {
  readonly head: number;
  /** By how much the right noun is ahead of the wrong one in the worst case: from -1 to 1. */
  readonly lead: number;
}

export function clearestHead(cases: readonly Case[]): Contrast {
  const map = cases[0]?.map;
  const contrasts: Contrast[] = [];
  for (let layer = 0; layer < (map?.layers ?? 0); layer++) {
    for (let head = 0; head < (map?.heads ?? 0); head++) {
      const leads = cases.map((one) => {
        const row = one.map.row(layer, head, one.query);
        return (row[one.right] ?? 0) - (row[one.wrong] ?? 0);
      });
      contrasts.push({ layer, head, lead: Math.min(...leads) });
    }
  }
  contrasts.sort((a, b) => b.lead - a.lead);
  return contrasts[0] ?? { layer: 0, head: 0, lead: 0 };
}
