/**
 * Speech to text.
 *
 * Like every file in this folder, a task above the model that a page which only translates never loads: Model has a
 * method for it, which imports the file when it is first called (`await import`), and names only its types otherwise.
 * scripts/check_layers.mjs lets imports go up through that one door. A new task is a file here, whose function takes
 * the `Loaded` model, and a method in model.ts.
 */

import { fail } from '../engine/errors.js';
import { readFields } from '../engine/options.js';
import type { TensorLike } from '../engine/tensor.js';
import { generate } from '../model/generate.js';
import { rowsOf } from '../model/generation_inputs.js';
import { type Loaded, requireTokenizer } from '../model/loaded.js';

/** Mel features [bands, frames] of one window. */
export interface AudioInput {
  inputFeatures: TensorLike;
}

export interface TranscribeOptions {
  /** Aborts, and rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface Transcription {
  text: string;
}

/** @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason. */
export async function transcribe(
  model: Loaded,
  audio: AudioInput,
  options: TranscribeOptions,
): Promise<Transcription> {
  const { signal } = readFields(options, { signal: (value) => value as AbortSignal | undefined });
  if (model.plan.frontEnd?.input !== 'inputFeatures')
    fail('unsupported', 'this model does not take audio, so it cannot transcribe');
  requireTokenizer(model, 'it cannot write text');
  const [result] = await generate(model, rowsOf(model, audio), signal ? { signal } : {});
  return { text: result?.sequences[0]?.text ?? '' };
}
