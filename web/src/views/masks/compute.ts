/** A head's scores and weights under a mask, as the engine computes them. */

import { type Engine, Tensor } from 'transformer-wasm';
import type { Inputs } from '../../reading/inputs.js';
import { type MaskSettings, maskOf } from './presets.js';

export interface Masked {
  readonly inputs: Inputs;
  /** 1 where a query may see a key, [queries, keys]. */
  readonly mask: readonly (readonly number[])[];
  /** [queries, keys], before the softmax and without the mask. */
  readonly scores: Float32Array;
  /** [queries, keys], after it. */
  readonly weights: Float32Array;
}

export async function maskedOf(engine: Engine, inputs: Inputs, settings: MaskSettings): Promise<Masked> {
  const [queries, keys] = [inputs.queryNames.length, inputs.keyNames.length];
  const mask = await maskOf(engine, { queries, keys }, settings);
  const products = await engine.luongAttention(inputs.queries, inputs.keys, { score: 'dot' });
  const scores = await engine.matmul(products.scores, scaling(keys, inputs.keys.shape[1] ?? 1));
  const options = { mask, needWeights: true };
  const { weights } = await engine.scaledDotProductAttention(
    inputs.queries,
    inputs.keys,
    inputs.values,
    options,
  );
  return { inputs, mask, scores: scores.data, weights: weights?.data ?? new Float32Array() };
}

/** How many cells a mask hides. */
export const hiddenCells = ({ mask }: Masked) => mask.flat().filter((seen) => seen === 0).length;

/** The names of the queries that may see nothing. */
export const blindQueries = ({ mask, inputs }: Masked) =>
  mask.flatMap((row, i) => (row.includes(1) ? [] : [inputs.queryNames[i] ?? '']));

/** The identity over √d: a product with it scales. */
const scaling = (size: number, width: number) =>
  Tensor.from(
    Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) => (i === j ? 1 / Math.sqrt(width) : 0)),
    ),
  );
