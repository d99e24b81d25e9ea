/** Options of a pass: what to capture, and what to change. */

import type { HeadFactor, SentenceCall } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { type FieldsOf, type Reader, readFields, toBoolean, toObject } from '../values/options.js';
import type { TensorData } from '../values/tensor.js';
import { type Edit, toEdits } from './edits.js';

/** Factors of attention heads by path: `{ 'decoder.layers.1.cross.2': 0 }` disables a head. */
export type HeadFactors = Readonly<Record<string, number>>;

export interface ForwardOptions {
  /** Whether to return the attention weights, one tensor per layer. */
  outputAttentions?: boolean;
  /** Whether to return the hidden states: the input of the first layer and the output of every layer. */
  outputHiddenStates?: boolean;
  /**
   * Paths of inner tensors to capture, in which `*` matches any name: `decoder.layers.3.cross.weights`,
   * `encoder.layers.*.residual`. Each layer has .queries, .keys, .values, .scores, .weights and .residual of self and
   * cross, feed_forward.activations and .residual, and residual (the layer's output); a decoder layer also has logits
   * (what the model would predict if it were the last layer). Each stack (encoder, decoder) has .embeddings and
   * .output, and before these embeddings.tokens and their embeddings.sum with the positions; each norm has a .scale.
   * Before an encoder of pictures or sound are front.patches, or front.conv1 and what follows it.
   */
  trace?: string[];
  /** Factors of attention heads by path: `{ 'decoder.layers.1.cross.2': 0 }` disables a head. */
  heads?: HeadFactors;
  /** Changes of inner tensors: `[{ at: 'encoder.layers.1.residual', positions: [3], from: otherRun }]`. */
  edits?: readonly Edit[];
  /**
   * Whether to spend no time on padding at the end of the encoder's inputs, which comes out as zeros then. All other
   * numbers are the same. Without effect when attention weights, hidden states or inner tensors are asked for.
   */
  skipPadding?: boolean;
  /** Whether the model ends with its last hidden state: `lastHiddenState` instead of `logits`, in less time. */
  skipLogits?: boolean;
}

/** Only the type is checked here: the engine knows which paths exist. */
export const toTrace: Reader<string[]> = (value, name) => {
  if (Array.isArray(value) && value.every((path) => typeof path === 'string' && path !== '')) return value;
  return fail(
    'invalid_argument',
    `${name} must be a list of paths such as ['decoder.layers.0.cross.weights']`,
  );
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
  edits: toEdits,
  skipPadding: toBoolean,
  skipLogits: toBoolean,
};

/** The checked options of a pass, in the engine's terms. */
export interface ReadForwardOptions extends FieldsOf<typeof readers> {
  /** [others, width]: vectors of texts that pictures are compared with. */
  readonly others?: TensorData;
  /** How the vectors of a text's tokens become one, the `poolerOutput`, in place of the last hidden states. */
  readonly sentence?: SentenceCall;
}

/** @throws TransformerError `invalid_argument`, naming the option. */
export const readForwardOptions = (options: ForwardOptions): ReadForwardOptions =>
  readFields(options, readers);
