/** Which inputs run side by side. */

import { keyWidthOf, layersIn } from '../checkpoint/families/model_shape.js';
import { engineOptions, type TextSettings } from './engine_options.js';
import type { Input } from './inputs.js';
import { hasEncoder, type Loaded } from './loaded.js';
import type { ReadOptions } from './options.js';

/** What runs side by side: sequences at most, and bytes of what attention remembers of them. */
const maxRows = 32;
const maxCacheBytes = 64 << 20;

export interface Batch {
  readonly inputs: Input[];
  /** Which of all the inputs each of them is. */
  readonly places: number[];
  readonly options: TextSettings;
}

/**
 * Inputs that the engine can run together: of about one length, so that little of the work is for padding, and with prompts
 * that leave them the same room.
 */
export function batches(model: Loaded, inputs: readonly Input[], options: ReadOptions): Batch[] {
  const made: Batch[] = [];
  const longest = Math.max(...inputs.map(({ padding, prompt }) => padding + prompt.length));
  const byLength = [...inputs.entries()].sort(([, a], [, b]) => lengthOf(a) - lengthOf(b));
  for (const [place, input] of byLength) {
    const padded = withPadding(model, input, longest);
    const paddedLength = padded.padding + padded.prompt.length;
    const own = engineOptions(model, options, input.padding + input.prompt.length, paddedLength);
    const open = made.at(-1);
    const fits =
      open !== undefined &&
      open.inputs.length < inputsAtOnce(model, [...open.inputs, input], own) &&
      open.options.maxNewTokens === own.maxNewTokens &&
      open.options.minNewTokens === own.minNewTokens;
    const batch = fits ? open : { inputs: [], places: [], options: own };
    if (!fits) made.push(batch);
    batch.inputs.push(padded);
    batch.places.push(place);
  }
  return made;
}

/**
 * Prompts of different lengths are padded on the left in Python, and rules against repetition see the padding: a
 * decoder's answers would not be Python's without it. What the model computes does not depend on it.
 */
function withPadding(model: Loaded, input: Input, longest: number): Input {
  if (hasEncoder(model) || model.generation.padTokenId === null) return input;
  return { ...input, padding: longest - input.prompt.length };
}

const lengthOf = ({ sourceLength, prompt }: Input) => prompt.length + sourceLength;

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
