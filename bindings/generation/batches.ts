/** Groups inputs into batches. */

import { hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { keyWidthOf, layersIn } from '../plans/model_shape.js';
import { engineOptions, type TextSettings } from './combined_options.js';
import type { Input } from './inputs.js';
import type { ReadOptions } from './options.js';

/**
 * Limits of a batch. A product of more rows gains nothing, and the encoder's memory grows with its tokens. Caches grow
 * with what is generated, so their bytes are a bound that is hardly reached.
 */
const maxRows = 32;
const maxTokens = 4096;
const maxCacheBytes = 256 << 20;

export interface Batch {
  readonly inputs: Input[];
  /** The index of each of them among all inputs. */
  readonly places: number[];
  readonly options: TextSettings;
}

/**
 * Groups inputs that the engine can process together: with the same number of tokens to generate, and of similar
 * lengths, so that they end at about the same time. Nothing is computed for padding.
 */
export function batches(model: Loaded, inputs: readonly Input[], options: ReadOptions): Batch[] {
  const made: Batch[] = [];
  const longest = inputs.reduce((most, input) => Math.max(most, input.padding + input.promptIds.length), 0);
  const isWhole = dependsOnBatch({ ...model.generation.options, ...options });
  const order = [...inputs.entries()];
  const known = new Map<string, TextSettings>();
  const settingsFor = (length: number, paddedLength: number): TextSettings => {
    const key = `${length} ${paddedLength}`;
    const own = known.get(key) ?? engineOptions(model, options, length, paddedLength);
    known.set(key, own);
    return own;
  };
  if (!isWhole) order.sort(([, a], [, b]) => lengthOf(a) - lengthOf(b));
  for (const [place, input] of order) {
    const padded = withPadding(model, input, longest);
    const paddedLength = padded.padding + padded.promptIds.length;
    const own = settingsFor(input.padding + input.promptIds.length, paddedLength);
    const open = made.at(-1);
    const fits =
      open?.inputs[0] !== undefined &&
      canStack(open.inputs[0], input) &&
      (isWhole || isWithinLimits(model, [...open.inputs, input], own)) &&
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

/** Pictures and sounds are stacked as they are, while the engine takes ids of any lengths. */
const canStack = (one: Input, other: Input) =>
  one.source === null || one.source instanceof Int32Array || one.sourceLength === other.sourceLength;

const lengthOf = ({ sourceLength, promptIds }: Input) => promptIds.length + sourceLength;

function isWithinLimits(
  model: Loaded,
  inputs: readonly Input[],
  { numBeams, numReturnSequences, maxNewTokens, maxLengthFactor }: TextSettings,
): boolean {
  const rowsEach = Math.max(numBeams, numReturnSequences);
  const tokens = inputs.reduce((sum, input) => sum + lengthOf(input), 0);
  const factor = maxLengthFactor || Number.POSITIVE_INFINITY;
  const written = ({ sourceLength }: Input) => Math.min(maxNewTokens, Math.ceil(factor * sourceLength));
  const kept = rowsEach * (tokens + inputs.reduce((sum, input) => sum + written(input), 0));
  const numbers = 2 * layersIn(model.plan, 'decoder') * keyWidthOf(model.plan); // keys and values of a token
  const bytes = kept * numbers * Float32Array.BYTES_PER_ELEMENT;
  return inputs.length * rowsEach <= maxRows && tokens <= maxTokens && bytes <= maxCacheBytes;
}
