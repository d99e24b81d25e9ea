/** A pass of the model over what is read: the same words, and the same heads switched off, whichever view asks. */

import type { ForwardOptions, ForwardOutput, Model } from 'transformer-wasm';
import { headsOff } from '../selection/heads.js';
import type { Reading } from './reading.js';

/** What a pass reads of a reading. */
export type Passed = Pick<Reading, 'stacks' | 'inputIds' | 'ids' | 'off'>;

/** What the stacks read; the last token that was written has not been read by anything. */
export function inputsOf({ stacks, inputIds, ids }: Passed) {
  if (stacks === 'both') return { inputIds: [[...inputIds]], decoderInputIds: [ids.slice(0, -1)] };
  return { inputIds: [stacks === 'decoder' ? ids.slice(0, -1) : [...inputIds]] };
}

/** @throws TransformerError */
export function passOf(model: Model, reading: Passed, options: ForwardOptions = {}): Promise<ForwardOutput> {
  return model.forward(inputsOf(reading), { ...options, heads: headsOff(reading.off) });
}
