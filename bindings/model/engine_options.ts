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
  /** For each attention layer in which heads are turned down, the factors of all of its heads. */
  readonly heads?: Record<string, number[]>;
}

/**
 * @param promptLength tokens that the decoder begins with, which the checkpoint's lengths include
 * @throws TransformerError `invalid_argument`
 */
export function engineOptions(
  model: Loaded,
  options: GenerationOptions,
  promptLength: number,
): EngineGenerationOptions {
  const config: GenerationConfig = model.generation;
  refuseUnsupported(config);
  const doSample = options.doSample ?? config.doSample;
  const topK = options.topK ?? config.topK;
  return {
    maxNewTokens: mostNewTokens(options, config, promptLength),
    minNewTokens: leastNewTokens(options, config, promptLength),
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
    renormalizeLogits: options.renormalizeLogits ?? config.renormalizeLogits,
    ...headsOf(model, options.heads),
  };
}

/** What is said of new tokens comes before what is said of lengths, and the caller's word before the checkpoint's. */
function mostNewTokens(options: GenerationOptions, config: GenerationConfig, promptLength: number): number {
  if (options.maxNewTokens !== undefined) return options.maxNewTokens;
  if (options.maxLength !== undefined) return roomAfter(promptLength, options.maxLength);
  return config.maxNewTokens ?? roomAfter(promptLength, config.maxLength);
}

function leastNewTokens(options: GenerationOptions, config: GenerationConfig, promptLength: number): number {
  if (options.minNewTokens !== undefined) return options.minNewTokens;
  const byLength = Math.max(0, (options.minLength ?? config.minLength) - promptLength);
  return options.minLength === undefined ? Math.max(byLength, config.minNewTokens ?? 0) : byLength;
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
