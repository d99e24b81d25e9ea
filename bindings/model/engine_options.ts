/** What the caller wants, else what the checkpoint wants, in the engine's terms. */

import type { GenerationConfig } from '../checkpoint/generation_config.js';
import { fail } from '../engine/errors.js';
import { headsOf } from './forward.js';
import type { Loaded } from './loaded.js';
import type { GenerationOptions } from './options.js';

/** The engine's own options: every field present, lengths counted in new tokens. */
export interface EngineGenerationOptions {
  readonly maxNewTokens: number;
  readonly minNewTokens: number;
  readonly eosTokenIds: Int32Array;
  readonly numBeams: number;
  readonly numReturnSequences: number;
  readonly lengthPenalty: number;
  readonly earlyStopping: 'true' | 'false' | 'never';
  readonly doSample: boolean;
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly typicalP: number;
  readonly seed: number;
  readonly repetitionPenalty: number;
  readonly noRepeatNgramSize: number;
  readonly badWordsIds: Int32Array[];
  readonly forcedBosTokenId: number;
  readonly forcedEosTokenId: number;
  readonly suppressTokens: Int32Array;
  readonly beginSuppressTokens: Int32Array;
  readonly renormalizeLogits: boolean;
  /** Empty: all of the vocabulary. */
  readonly shortlist: Int32Array;
  /** For each attention layer in which heads are turned down, the factors of all of its heads. */
  readonly heads?: Record<string, number[]>;
}

/**
 * @param promptLength tokens that the decoder begins with, which the checkpoint's lengths include
 * @param paddedLength the same with the padding of a batch, which lengths that the caller gives include as in Python
 * @throws TransformerError `invalid_argument`
 */
export function engineOptions(
  model: Loaded,
  options: GenerationOptions,
  promptLength: number,
  paddedLength = promptLength,
): EngineGenerationOptions {
  const config: GenerationConfig = model.generation;
  refuseUnsupported(config);
  const doSample = options.doSample ?? config.doSample;
  const topK = options.topK ?? config.topK;
  return {
    maxNewTokens: mostNewTokens(options, config, { promptLength, paddedLength }),
    minNewTokens: leastNewTokens(options, config, { promptLength, paddedLength }),
    eosTokenIds: Int32Array.from([options.eosTokenId ?? config.eosTokenIds].flat()),
    numBeams: options.numBeams ?? config.numBeams,
    numReturnSequences: options.numReturnSequences ?? config.numReturnSequences,
    lengthPenalty: options.lengthPenalty ?? config.lengthPenalty,
    earlyStopping: `${options.earlyStopping ?? config.earlyStopping}`,
    doSample,
    temperature: options.temperature ?? config.temperature,
    topK: doSample ? topK : 0,
    topP: options.topP ?? config.topP,
    typicalP: options.typicalP ?? config.typicalP,
    seed: options.seed ?? drawSeed(),
    repetitionPenalty: options.repetitionPenalty ?? config.repetitionPenalty,
    noRepeatNgramSize: options.noRepeatNgramSize ?? config.noRepeatNgramSize,
    badWordsIds: (options.badWordsIds ?? config.badWordsIds).map((ids) => Int32Array.from(ids)),
    forcedBosTokenId: options.forcedBosTokenId ?? config.forcedBosTokenId ?? -1,
    forcedEosTokenId: options.forcedEosTokenId ?? config.forcedEosTokenId ?? -1,
    suppressTokens: Int32Array.from(options.suppressTokens ?? config.suppressTokens),
    beginSuppressTokens: Int32Array.from(options.beginSuppressTokens ?? config.beginSuppressTokens),
    shortlist: Int32Array.from(options.shortlist ?? []),
    renormalizeLogits: options.renormalizeLogits ?? config.renormalizeLogits,
    ...headsOf(model, options.heads),
  };
}

interface Lengths {
  readonly promptLength: number;
  readonly paddedLength: number;
}

/** What is said of new tokens comes before what is said of lengths, and the caller's word before the checkpoint's. */
function mostNewTokens(options: GenerationOptions, config: GenerationConfig, lengths: Lengths): number {
  if (options.maxNewTokens !== undefined) return options.maxNewTokens;
  if (options.maxLength !== undefined) return roomAfter(lengths.paddedLength, options.maxLength);
  return config.maxNewTokens ?? roomAfter(lengths.promptLength, config.maxLength);
}

function leastNewTokens(options: GenerationOptions, config: GenerationConfig, lengths: Lengths): number {
  if (options.minNewTokens !== undefined) return options.minNewTokens;
  if (options.minLength !== undefined) return Math.max(0, options.minLength - lengths.paddedLength);
  return config.minNewTokens ?? Math.max(0, config.minLength - lengths.promptLength);
}

function refuseUnsupported({ unsupported: [name] }: GenerationConfig): void {
  if (name !== undefined)
    fail('unsupported', `the checkpoint wants text generated with ${name}, which is not supported`);
}

function roomAfter(promptLength: number, maxLength: number): number {
  if (promptLength < maxLength) return maxLength - promptLength;
  return fail(
    'invalid_argument',
    `the model stops after ${maxLength} tokens, and ${promptLength} are there to begin with; give maxNewTokens`,
  );
}

export const drawSeed = () => Math.floor(Math.random() * 2 ** 32);
