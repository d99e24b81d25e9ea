/** What the caller wants, else what the checkpoint wants, in the engine's terms. */

import type { GenerationConfig } from '../checkpoint/generation_config.js';
import { fail } from '../engine/errors.js';
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
  readonly seed: number;
  readonly repetitionPenalty: number;
  readonly noRepeatNgramSize: number;
  readonly badWordsIds: Int32Array[];
  readonly forcedBosTokenId: number;
  readonly forcedEosTokenId: number;
  readonly renormalizeLogits: boolean;
}

/**
 * @param promptLength tokens that the decoder begins with, which the checkpoint's lengths include
 * @throws TransformerError `invalid_argument`
 */
export function engineOptions(
  options: GenerationOptions,
  config: GenerationConfig,
  promptLength: number,
): EngineGenerationOptions {
  const doSample = options.doSample ?? config.doSample;
  const topK = options.topK ?? config.topK;
  return {
    maxNewTokens: options.maxNewTokens ?? config.maxNewTokens ?? roomAfter(promptLength, config.maxLength),
    minNewTokens: options.minNewTokens ?? config.minNewTokens ?? Math.max(0, config.minLength - promptLength),
    eosTokenIds: Int32Array.from(config.eosTokenIds),
    numBeams: options.numBeams ?? config.numBeams,
    numReturnSequences: options.numReturnSequences ?? config.numReturnSequences,
    lengthPenalty: options.lengthPenalty ?? config.lengthPenalty,
    earlyStopping: `${options.earlyStopping ?? config.earlyStopping}`,
    doSample,
    temperature: options.temperature ?? config.temperature,
    topK: doSample ? topK : 0,
    topP: options.topP ?? config.topP,
    seed: options.seed ?? drawSeed(),
    repetitionPenalty: options.repetitionPenalty ?? config.repetitionPenalty,
    noRepeatNgramSize: options.noRepeatNgramSize ?? config.noRepeatNgramSize,
    badWordsIds: (options.badWordsIds ?? config.badWordsIds).map((ids) => Int32Array.from(ids)),
    forcedBosTokenId: options.forcedBosTokenId ?? config.forcedBosTokenId ?? -1,
    forcedEosTokenId: options.forcedEosTokenId ?? config.forcedEosTokenId ?? -1,
    renormalizeLogits: config.renormalizeLogits,
  };
}

function roomAfter(promptLength: number, maxLength: number): number {
  if (promptLength < maxLength) return maxLength - promptLength;
  return fail(
    'invalid_argument',
    `the model stops after ${maxLength} tokens, and ${promptLength} are there to begin with; give maxNewTokens`,
  );
}

export const drawSeed = () => Math.floor(Math.random() * 2 ** 32);
