/** Finds the head in which a token pays the most attention to certain others. */

import type { AttentionMap } from './attention_map.js';

/** One sentence: the row of the query, and the columns of the keys, any of which counts. */
export interface Case {
  readonly map: AttentionMap;
  readonly query: number;
  readonly keys: readonly number[];
}

export interface HardestHead {
  readonly layer: number;
  readonly head: number;
  /** The token's attention to them, in the sentence where it is smallest. */
  readonly share: number;
}

/** @param cases the sentences that the head must explain, all of them */
export function hardestHead(cases: readonly Case[]): HardestHead {
  const { layers = 0, heads = 0 } = cases[0]?.map ?? {};
  let best: HardestHead = { layer: 0, head: 0, share: 0 };
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) {
      const share = Math.min(...cases.map((one) => shareOf(one, one.map.row(layer, head, one.query))));
      if (share > best.share) best = { layer, head, share };
    }
  }
  return best;
}

const shareOf = ({ keys }: Case, row: Float32Array) => Math.max(0, ...keys.map((key) => row[key] ?? 0));
