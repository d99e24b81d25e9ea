/** Tensors that hold several of the engine's, such as queries, keys and values, or stand for several. */

import { engineName, type StoredName } from '../plans/renaming.js';
import { fail } from '../values/errors.js';
import type { Slice } from '../weights/slices.js';

/** How many heads, or other parts of one size, each tensor of the engine has in a group of rows, in their order. */
type Shares = Readonly<Record<string, number>>;

/** Consecutive rows of a stored tensor, in these shares, each a tensor of the engine. */
export const stacked =
  (shares: Shares) =>
  (stored: StoredName): Slice[] => {
    const [all = 0, ...rest] = stored.shape;
    return placesOf(stored, shares).map(({ target, before, share, whole }) => {
      const rows = (all * share) / whole;
      const firstRow = (all * before) / whole;
      return { name: engineName(target, stored), from: stored.name, firstRow, rows, shape: [rows, ...rest] };
    });
  };

/** The same in each of `groups` groups of rows. */
export const stackedInGroups =
  (groups: number, shares: Shares) =>
  (stored: StoredName): Slice[] => {
    const [all = 0, ...rest] = stored.shape;
    const width = rest[0] ?? 1;
    return placesOf(stored, shares, groups).map(({ target, before, share, whole }) => {
      const part = all / groups / whole;
      const view = {
        offset: before * part * width,
        dims: [groups, share * part * width],
        strides: [whole * part * width, 1],
      };
      const name = engineName(target, stored);
      const shape = [groups * share * part, ...rest];
      return { name, from: stored.name, firstRow: 0, rows: null, shape, view };
    });
  };

/** @throws TransformerError `bad_checkpoint` for rows that cannot be split so */
function placesOf({ name, shape }: StoredName, shares: Shares, groups = 1) {
  const whole = Object.values(shares).reduce((sum, share) => sum + share, 0);
  if (!Number.isInteger(whole) || (shape[0] ?? 0) % (groups * whole) !== 0)
    fail('bad_checkpoint', `'${name}' [${shape}] cannot be split into ${groups} times ${whole} parts`);
  let before = 0;
  return Object.entries(shares).map(([target, share]) => {
    const place = { target, share, before, whole };
    before += share;
    return place;
  });
}

/** One tensor in several places. */
export const copied =
  (...targets: readonly string[]) =>
  (stored: StoredName): Slice[] =>
    targets.map((target) => ({
      name: engineName(target, stored),
      from: stored.name,
      firstRow: 0,
      rows: null,
      shape: stored.shape,
    }));

/** Queries, keys and values of a decoder's layer. */
export const attentionShares = (queries: number, keys: number): Shares => ({
  'decoder.layers.#.self_attn.q_proj': queries,
  'decoder.layers.#.self_attn.k_proj': keys,
  'decoder.layers.#.self_attn.v_proj': keys,
});

/** Splits queries, keys and values interleaved by head: [heads, 3, dHead, ...] -> 3 times [heads * dHead, ...]. */
export const perHead = (heads: number) => stackedInGroups(heads, attentionShares(1, 1));

/** One norm for both blocks of a layer, which are side by side. */
export const normOfBoth = copied('decoder.layers.#.self_attn_norm', 'decoder.layers.#.feed_forward_norm');
