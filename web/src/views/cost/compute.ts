/** A profile's parts, summed by what they do. */

import type { ProfiledPass } from 'transformer-wasm';
import { words } from '../../words/words.js';

export const kindNames = {
  embeddings: words.cost.kinds.embeddings,
  projections: words.cost.kinds.projections,
  attention: words.cost.kinds.attention,
  feedForward: words.cost.kinds.feedForward,
  norms: words.cost.kinds.norms,
  output: words.cost.kinds.output,
  rest: words.cost.kinds.rest,
} as const;

export type PartKind = keyof typeof kindNames;

export interface Cost {
  readonly milliseconds: number;
  /** Bytes of weights and states that are read and written. */
  readonly bytes: number;
  readonly flops: number;
}

function kindOf(path: string): PartKind {
  if (/norm$/.test(path)) return 'norms';
  if (/scaled_dot_product$|kv_cache$/.test(path)) return 'attention';
  if (/(attn|self|cross)\.\w+_proj$/.test(path)) return 'projections';
  if (/feed_forward|fc\d|\.mlp/.test(path)) return 'feedForward';
  if (/embeddings/.test(path)) return 'embeddings';
  if (/projection|logits|lm_head/.test(path)) return 'output';
  return 'rest';
}

export function costsOf({ parts }: ProfiledPass): Record<PartKind, Cost> {
  const kinds = Object.keys(kindNames) as PartKind[];
  const costs = kinds.map((kind) => {
    const own = parts.filter(({ path }) => kindOf(path) === kind);
    const sum = (of: (part: (typeof parts)[number]) => number) =>
      own.reduce((total, part) => total + of(part), 0);
    const cost: Cost = {
      milliseconds: sum((part) => part.milliseconds),
      bytes: sum((part) => part.weightBytes + part.stateBytes),
      flops: sum((part) => part.flops),
    };
    return [kind, cost] as const;
  });
  return Object.fromEntries(costs) as Record<PartKind, Cost>;
}

/** The kinds of parts that a pass has. */
export const kindsOf = (costs: Readonly<Record<PartKind, Cost>>): PartKind[] =>
  (Object.keys(kindNames) as PartKind[]).filter((kind) => costs[kind].flops + costs[kind].milliseconds > 0);

/** The kind that takes the most time. */
export const costliest = (kinds: readonly PartKind[], costs: Readonly<Record<PartKind, Cost>>): PartKind =>
  kinds.reduce((a, b) => (costs[a].milliseconds > costs[b].milliseconds ? a : b));
