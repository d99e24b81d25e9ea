/** Input that means nothing, for passes whose time counts and not their result. */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { longestInBoth, takesIds, vocabularyOf, widthOf } from '../plans/model_shape.js';

/** The most tokens that every stack of the model takes. */
export const longestInput = ({ plan }: Loaded) =>
  Math.min(plan.maxPositions ?? Number.POSITIVE_INFINITY, longestInBoth(plan));

/** The inputs of a pass over all stacks that the model has. */
export const syntheticPass = (model: Loaded, batch: number, tokens: number) => ({
  source: hasEncoder(model) ? syntheticInput(model, 'encoder', batch, tokens) : undefined,
  target: hasDecoder(model) ? syntheticInput(model, 'decoder', batch, tokens) : undefined,
});

/** Of a stack: token ids [batch, tokens], or vectors [batch, tokens, dModel]. */
function syntheticInput({ plan }: Loaded, stack: 'encoder' | 'decoder', batch: number, tokens: number) {
  if (takesIds(plan, stack))
    return { data: syntheticIds(batch * tokens, vocabularyOf(plan, stack), 0), shape: [batch, tokens] };
  const dModel = widthOf(plan, stack);
  const data = Float32Array.from({ length: batch * tokens * dModel }, (_, i) => Math.sin(i));
  return { data, shape: [batch, tokens, dModel] };
}

/** Spread over the whole vocabulary by a prime step. */
export const syntheticIds = (count: number, vocabulary: number, first: number) =>
  Int32Array.from({ length: count }, (_, i) => (first + i * 7919) % vocabulary);
