/** What a caller wants to see of a pass, and what is changed in it. */

import type { HeadFactor } from '../engine/embind.js';
import { fail } from '../engine/errors.js';
import { type FieldsOf, type Reader, readFields, toBoolean, toObject } from '../engine/options.js';

/** Factors for heads, by their paths: `{ 'decoder.layers.1.cross.2': 0 }` switches one off. */
export type HeadFactors = Readonly<Record<string, number>>;

export interface ForwardOptions {
  /** Also the attention weights, a tensor a layer. */
  outputAttentions?: boolean;
  /** Also what goes into the first layer and comes out of each, a tensor each. */
  outputHiddenStates?: boolean;
  /**
   * Inner tensors by their paths, in which `*` stands for any name: `decoder.layers.3.cross.weights`,
   * `encoder.layers.*.residual`. In a layer there are self and cross .queries, .keys, .values, .scores, .weights and
   * .residual, feed_forward.residual, residual (what leaves the layer), and in a decoder logits (what the model would
   * predict if the layer were the last); around the layers encoder and decoder .embeddings and .output.
   */
  trace?: string[];
  /** Factors of heads by their paths: `{ 'decoder.layers.1.cross.2': 0 }` switches one off. */
  heads?: HeadFactors;
}

/** The paths are the engine's to check, which knows what there is. */
export const toTrace: Reader<string[]> = (value, name) => {
  if (Array.isArray(value) && value.every((path) => typeof path === 'string' && path !== '')) return value;
  return fail('invalid_argument', `${name} must be a list of paths, as ['decoder.layers.0.cross.weights']`);
};

export const toHeadFactors: Reader<HeadFactor[]> = (value, name) =>
  Object.entries(toObject(value, name)).map(([head, factor]) =>
    typeof factor === 'number' && Number.isFinite(factor)
      ? { head, factor }
      : fail('invalid_argument', `${name}: the factor of '${head}' must be a finite number, got ${factor}`),
  );

const readers = {
  outputAttentions: toBoolean,
  outputHiddenStates: toBoolean,
  trace: toTrace,
  heads: toHeadFactors,
};

/** What is wanted of a pass, in the engine's terms. */
export type ReadForwardOptions = FieldsOf<typeof readers>;

/** @throws TransformerError `invalid_argument` that names the option. */
export const readForwardOptions = (options: ForwardOptions): ReadForwardOptions =>
  readFields(options, readers);
