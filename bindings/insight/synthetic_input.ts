/** Input that means nothing, for passes whose time counts and not their result. */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import type { Plan } from '../plans/family.js';
import { frontOf, leastSamples, lengthOf, type Media, prefixOf } from '../plans/front_end_config.js';
import { longestInBoth, takesIds, vocabularyOf, widthOf } from '../plans/model_shape.js';

/** The samples of a second, for models that take any number of them. */
const second = 16_000;

/**
 * Pictures or sound of the size that a model was trained with, and the tokens of each; `null` for a model without front
 * end.
 */
export function syntheticMedia(
  { plan }: Loaded,
  batch: number,
): { readonly media: Media; readonly tokens: number } | null {
  const front = frontOf(plan);
  if (!front) return null;
  const waves = (one: readonly number[]) => {
    const shape = [batch, ...one];
    const length = shape.reduce((count, size) => count * size, 1);
    return { data: Float32Array.from({ length }, (_, i) => Math.sin(i)), shape };
  };
  if (front.input !== 'pixelValues') {
    const { bands, frames } = front.frames;
    const one = bands > 0 ? [bands, frames] : [Math.max(second, leastSamples(front.frames))];
    return { media: { values: waves(one) }, tokens: lengthOf(front, one) };
  }
  const { channels, height, width, patch, sizes } = front.patches;
  const one = [channels, height, width];
  if (sizes !== 'patches') return { media: { values: waves(one) }, tokens: lengthOf(front, one) };
  const [rows, columns] = [Math.floor(height / patch), Math.floor(width / patch)];
  const grids = Int32Array.from({ length: 2 * batch }, (_, i) => (i % 2 === 0 ? rows : columns));
  const values = waves([rows * columns, channels * patch * patch]);
  return { media: { values, grids }, tokens: rows * columns };
}

/** The most tokens that every stack of the model takes. */
export const longestInput = ({ plan }: Loaded) =>
  Math.min(plan.maxPositions ?? Number.POSITIVE_INFINITY, longestInBoth(plan));

/** The inputs of a pass over all stacks that the model has; tokens that are patches are in one column. */
export const syntheticPass = (model: Loaded, batch: number, tokens: number) => ({
  source: hasEncoder(model) ? syntheticInput(model, 'encoder', batch, tokens) : undefined,
  target: hasDecoder(model) ? syntheticInput(model, 'decoder', batch, tokens) : undefined,
  columns: frontOf(model.plan)?.input === 'pixelValues' ? 1 : 0,
});

/** Of a stack: token ids [batch, tokens], or vectors [batch, tokens, dModel]. */
function syntheticInput({ plan }: Loaded, stack: 'encoder' | 'decoder', batch: number, tokens: number) {
  if (takesIds(plan, stack)) {
    const data = syntheticIds(batch * tokens, vocabularyOf(plan, stack), 0);
    // The token at which a head reads has to be there.
    const id = idOfHead(plan);
    for (let end = tokens - 1; id !== null && end < data.length; end += tokens) data[end] = id;
    return { data, shape: [batch, tokens] };
  }
  const dModel = widthOf(plan, stack);
  const time = Math.max(tokens, leastTokens(plan));
  const data = Float32Array.from({ length: batch * time * dModel }, (_, i) => Math.sin(i));
  return { data, shape: [batch, time, dModel] };
}

/** `null`: of no token in particular. */
function idOfHead({ model }: Plan): number | null {
  const { reads, id = -1 } = ('head' in model ? model.head : undefined) ?? {};
  return (reads === 'first_is' || reads === 'last_is') && id >= 0 ? id : null;
}

/** What is before the patches, and a patch. */
function leastTokens(plan: Plan): number {
  const front = frontOf(plan);
  return front?.input === 'pixelValues' && front.patches.sizes === 'any' ? prefixOf(front.patches) + 1 : 1;
}

/** Spread over the whole vocabulary by a prime step. */
export const syntheticIds = (count: number, vocabulary: number, first: number) =>
  Int32Array.from({ length: count }, (_, i) => (first + i * 7919) % vocabulary);
