/** Input that means nothing, for passes whose time counts and not their result. */

import { takesIds, vocabularyOf, widthOf } from '../checkpoint/families/model_shape.js';
import type { Loaded } from './loaded.js';

/** Of a stack: token ids [batch, tokens], or vectors [batch, tokens, dModel]. */
export function syntheticInput(
  { plan }: Loaded,
  stack: 'encoder' | 'decoder',
  batch: number,
  tokens: number,
) {
  if (takesIds(plan, stack))
    return { data: syntheticIds(batch * tokens, vocabularyOf(plan, stack), 0), shape: [batch, tokens] };
  const dModel = widthOf(plan, stack);
  const data = Float32Array.from({ length: batch * tokens * dModel }, (_, i) => Math.sin(i));
  return { data, shape: [batch, tokens, dModel] };
}

/** Spread over the whole vocabulary by a prime step. */
export const syntheticIds = (count: number, vocabulary: number, first: number) =>
  Int32Array.from({ length: count }, (_, i) => (first + i * 7919) % vocabulary);
