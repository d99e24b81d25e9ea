/** Combines the options of the caller and the checkpoint into those of the engine. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { GenerationOptions as IdOptions } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { type ReadOptions, readOptions } from './options.js';
import type { GenerationConfig } from './settings/generation_config.js';
import { textReaders } from './settings/text_options.js';
import { taskSettings } from './task_settings.js';

/** The engine's options, some of which are always set. */
export type TextSettings = Partial<IdOptions> &
  Pick<
    IdOptions,
    'maxNewTokens' | 'minNewTokens' | 'numBeams' | 'numReturnSequences' | 'lengthPenalty' | 'seed'
  > & {
    readonly doSample: boolean;
  };

/**
 * @param promptLength tokens that the decoder begins with; the checkpoint's lengths include them
 * @param paddedLength the same plus the padding of a batch; the caller's lengths include both, as in Python
 * @throws TransformerError `invalid_argument`
 */
export function engineOptions(
  model: Loaded,
  own: ReadOptions,
  promptLength: number,
  paddedLength = promptLength,
): TextSettings {
  const options = { ...readOptions(taskSettings(model, own.task).options), ...own };
  const config: GenerationConfig = model.generation;
  refuseUnsupported(config);
  const lengths = { promptLength, paddedLength };
  const given = Object.entries({ ...config.options, ...options }).filter(([name]) => name in textReaders);
  const text: Partial<IdOptions> = Object.fromEntries(given);
  return {
    numBeams: 1,
    numReturnSequences: 1,
    lengthPenalty: 1,
    seed: drawSeed(),
    doSample: false,
    ...text,
    ...(countsTokens(options) && { maxLengthFactor: options.maxLengthFactor ?? 0 }),
    ...newTokens(options, config, lengths),
  };
}

/** Whether the caller gives a number of tokens, which takes the place of a checkpoint's factor. */
const countsTokens = ({ maxNewTokens, maxLength }: ReadOptions) =>
  maxNewTokens !== undefined || maxLength !== undefined;

interface Lengths {
  readonly promptLength: number;
  readonly paddedLength: number;
}

/**
 * A checkpoint's least number gives way to the caller's greatest, as in Python.
 *
 * @throws TransformerError `invalid_argument` for a least number of the caller that cannot be reached
 */
function newTokens(options: ReadOptions, config: GenerationConfig, lengths: Lengths) {
  const maxNewTokens = mostNewTokens(options, config, lengths);
  const minNewTokens = leastNewTokens(options, config, lengths);
  if (minNewTokens <= maxNewTokens) return { maxNewTokens, minNewTokens };
  const name = (['minNewTokens', 'minLength'] as const).find((option) => options[option] !== undefined);
  // The engine names a greatest number that is too small.
  if (name === undefined || maxNewTokens < 1) return { maxNewTokens, minNewTokens: maxNewTokens };
  return fail(
    'invalid_argument',
    `${name} asks for at least ${minNewTokens} new tokens, but at most ${maxNewTokens} may be generated`,
  );
}

/** Counts of new tokens take precedence over total lengths, and the caller over the checkpoint. */
function mostNewTokens(options: ReadOptions, config: GenerationConfig, lengths: Lengths): number {
  if (options.maxNewTokens !== undefined) return options.maxNewTokens;
  if (options.maxLength !== undefined) return roomAfter(lengths.paddedLength, options.maxLength);
  return config.options.maxNewTokens ?? roomAfter(lengths.promptLength, config.maxLength);
}

function leastNewTokens(options: ReadOptions, config: GenerationConfig, lengths: Lengths): number {
  if (options.minNewTokens !== undefined) return options.minNewTokens;
  if (options.minLength !== undefined) return Math.max(0, options.minLength - lengths.paddedLength);
  return config.options.minNewTokens ?? Math.max(0, config.minLength - lengths.promptLength);
}

function refuseUnsupported({ unsupported: [name] }: GenerationConfig): void {
  if (name !== undefined)
    fail('unsupported', `the checkpoint's generation settings include ${name}, which is not supported`);
}

function roomAfter(promptLength: number, maxLength: number): number {
  if (promptLength < maxLength) return maxLength - promptLength;
  return fail(
    'invalid_argument',
    `the maximum length is ${maxLength} tokens, but the prompt already has ${promptLength}; set maxNewTokens`,
  );
}

export const drawSeed = () => Math.floor(Math.random() * 2 ** 32);
