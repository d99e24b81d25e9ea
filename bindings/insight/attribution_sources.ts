/**
 * What a residual stream is a sum of, as the rows of a batch: in each row one source is what it was in the run that is
 * explained, all others are nothing, and the norms have the scale that they had. So every row is linear in its source,
 * and the rows add up.
 */

import type { StackConfig } from '../modules/embind.js';
import type { StackName } from '../plans/stack.js';
import type { Tensor } from '../values/tensor.js';
import type { Edit } from './edits.js';

/** The tensors of a run by their paths. */
export type Run = Readonly<Record<string, Tensor>>;

export interface Source {
  /** `tokens`, `positions`, `decoder.layers.0.self.2`, `decoder.layers.0.feed_forward`. */
  readonly name: string;
  /** What makes a row this source, after everything was made nothing. */
  edits(row: number): Edit[];
}

/** Paths of all that is frozen or made nothing in a stack. */
export const tracedOf = (stack: StackName, { embeddingNorm, norm }: Partial<StackConfig>): string[] => [
  `${stack}.embeddings.tokens`,
  `${stack}.embeddings.sum`,
  `${stack}.layers.*.*.weights`,
  `${stack}.layers.*.*.values`,
  `${stack}.layers.*.*.activations`,
  `${stack}.layers.*.*.*.scale`,
  ...(embeddingNorm ? [`${stack}.embeddings.*.scale`] : []),
  ...(norm ? [`${stack}.norm.scale`] : []),
];

const isOf = (...names: string[]) => {
  const end = new RegExp(`\\.(${names.join('|')})$`);
  return ([path]: readonly [string, unknown]) => end.test(path);
};
const isSource = isOf('weights', 'activations');

/** Norms and values as they were, and no source: what is left are the biases. */
export const nothing = (run: Run): Edit[] => [
  ...Object.entries(run)
    .filter(isOf('scale', 'values'))
    .map(([at, set]) => ({ at, set })),
  ...Object.entries(run)
    .filter((entry) => isSource(entry) || isOf('sum')(entry))
    .map(([at]) => ({ at, set: 0 })),
];

/** Layers before this one are earlier; of the layer itself, a cross-attention has self-attention before it. */
export interface Place {
  readonly stack: StackName;
  readonly layer: number;
  readonly isCross: boolean;
}

/** The sources of what arrives at a place. */
export function sourcesAt({ stack, layer, isCross }: Place, run: Run): Source[] {
  const sum = `${stack}.embeddings.sum`;
  const [tokens, all] = [run[`${stack}.embeddings.tokens`], run[sum]];
  const isEarlier = (path: string) => {
    const [of, , index, part] = path.split('.');
    const place = Number(index);
    return of === stack && (place < layer || (place === layer && isCross && part === 'self_attn'));
  };
  if (!tokens || !all) return [];
  return [
    { name: 'tokens', edits: (row) => [{ at: sum, rows: [row], set: tokens }] },
    {
      name: 'positions',
      edits: (row) => [
        { at: sum, rows: [row], set: tokens },
        { at: sum, rows: [row], scale: -1 },
        { at: sum, rows: [row], add: all },
      ],
    },
    ...Object.entries(run)
      .filter((entry) => isSource(entry) && isEarlier(entry[0]))
      .flatMap(([at, set]) => sourcesOf(at, set)),
  ];
}

/** Each head of an attention, or a feed-forward layer. */
function sourcesOf(at: string, set: Tensor): Source[] {
  const part = at.replace(/\.\w+$/, '');
  if (at.endsWith('.activations')) return [{ name: part, edits: (row) => [{ at, rows: [row], set }] }];
  return Array.from({ length: set.shape[1] ?? 0 }, (_, head) => ({
    name: `${part.replace(/_attn$/, '')}.${head}`,
    edits: (row: number) => [{ at, rows: [row], heads: [head], set }],
  }));
}
