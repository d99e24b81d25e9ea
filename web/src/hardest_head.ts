/** The head in which a token looks hardest at certain others. */

import type { AttentionMap } from './attention_map.js';

/** One sentence: the row of the token that looks, and the columns of which any will do. */
export interface Case {
  readonly map: AttentionMap;
  readonly query: number;
  readonly keys: readonly number[];
}

export interface HardestHead {
  readonly layer: number;
  readonly head: number;
  /** Of the token's attention, in the sentence where it is least. */
  readonly share: number;
}

/** @param cases sentences in each of which the token should look there */
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
