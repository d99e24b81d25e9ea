/** Groups inputs into batches. */

import { keyWidthOf, layersIn } from '../checkpoint/families/model_shape.js';
import { engineOptions, type TextSettings } from './engine_options.js';
import type { Input } from './inputs.js';
import { hasEncoder, type Loaded } from './loaded.js';
import type { ReadOptions } from './options.js';

/** Limits of a batch: number of sequences, and bytes of their kv caches. */
const maxRows = 32;
const maxCacheBytes = 64 << 20;

export interface Batch {
  readonly inputs: Input[];
  /** The index of each of them among all inputs. */
  readonly places: number[];
  readonly options: TextSettings;
}

/**
 * Groups inputs that the engine can process together: of similar lengths, so that little is computed for padding, and
 * with the same number of tokens to generate.
 */
export function batches(model: Loaded, inputs: readonly Input[], options: ReadOptions): Batch[] {
  const made: Batch[] = [];
  const longest = Math.max(...inputs.map(({ padding, promptIds }) => padding + promptIds.length));
  const isWhole = dependsOnBatch({ ...model.generation.options, ...options });
  const order = [...inputs.entries()];
  if (!isWhole) order.sort(([, a], [, b]) => lengthOf(a) - lengthOf(b));
  for (const [place, input] of order) {
    const padded = withPadding(model, input, longest);
    const paddedLength = padded.padding + padded.promptIds.length;
    const own = engineOptions(model, options, input.padding + input.promptIds.length, paddedLength);
    const open = made.at(-1);
    const fits =
      open !== undefined &&
      (isWhole || open.inputs.length < inputsAtOnce(model, [...open.inputs, input], own)) &&
      open.options.maxNewTokens === own.maxNewTokens &&
      open.options.minNewTokens === own.minNewTokens;
    const batch = fits ? open : { inputs: [], places: [], options: own };
    if (!fits) made.push(batch);
    batch.inputs.push(padded);
    batch.places.push(place);
  }
  return made;
}

/** Of the rows of a batch of beams, Python applies this penalty only to as many as there are inputs. */
const dependsOnBatch = ({ numBeams = 1, encoderRepetitionPenalty = 1 }: ReadOptions) =>
  numBeams > 1 && encoderRepetitionPenalty !== 1;

/**
 * Python pads prompts of different lengths on the left, and its repetition rules see the padding, so a decoder's
 * answers would differ without it. The model's own computation does not depend on it.
 */
function withPadding(model: Loaded, input: Input, longest: number): Input {
  if (hasEncoder(model) || model.generation.padTokenId === null) return input;
  return { ...input, padding: longest - input.promptIds.length };
}

const lengthOf = ({ sourceLength, promptIds }: Input) => promptIds.length + sourceLength;

function inputsAtOnce(
  model: Loaded,
  inputs: readonly Input[],
  { numBeams, numReturnSequences, maxNewTokens }: TextSettings,
): number {
  const tokens = Math.max(...inputs.map(lengthOf)) + maxNewTokens;
  const numbers = 2 * layersIn(model.plan, 'decoder') * tokens * keyWidthOf(model.plan); // keys and values
  const rowBytes = numbers * Float32Array.BYTES_PER_ELEMENT;
  const rows = Math.min(maxRows, maxCacheBytes / rowBytes);
  return Math.max(1, Math.floor(rows / Math.max(numBeams, numReturnSequences)));
}
