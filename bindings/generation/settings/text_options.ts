/** Options for generating text that both a caller and a checkpoint may set, and how each is read. */

import type { GenerationOptions as IdOptions } from '../../modules/embind.js';
import { type Reader, toBe, toBoolean, toInteger, toNumber } from '../../values/options.js';
import { isArray } from '../../values/tensor.js';

/** Named as in Python's `generate()`, in camel case. The checkpoint decides where an option is not given. */
export interface TextOptions {
  /** Maximum number of tokens to generate, not counting the prompt. */
  maxNewTokens?: number;
  /** Number of tokens to generate before the end token is allowed. */
  minNewTokens?: number;
  /** Maximum number of tokens to generate for each token of the source; 0: no such limit. */
  maxLengthFactor?: number;
  /** Ids of the tokens that end a sequence; default: the checkpoint's. */
  eosTokenId?: number | number[];
  /** Id of the token that fills up shorter sequences of a batch; default: the checkpoint's. */
  padTokenId?: number;
  /** 1: greedy decoding or sampling; more: beam search. */
  numBeams?: number;
  /**
   * Diverse beam search: the beams are divided into this many groups, each of which avoids what the others chose.
   */
  numBeamGroups?: number;
  /** Subtracted from a group's score of a token for each earlier group that chose it in the same step. */
  diversityPenalty?: number;
  /** Number of results for each input, best first. */
  numReturnSequences?: number;
  /** A beam's score is its log-probability divided by its length to this power. */
  lengthPenalty?: number;
  /**
   * When a beam search stops: with the first `numBeams` results (`true`), when a better one is unlikely (`false`), or
   * when it is impossible (`'never'`).
   */
  earlyStopping?: boolean | 'never';
  /** Samples the next token instead of taking the most probable; with several beams, each samples its continuations. */
  doSample?: boolean;
  /** Divides the logits before sampling. */
  temperature?: number;
  /** Samples from this many of the most probable tokens; 0: from all. Default 50. */
  topK?: number;
  /** Samples from the smallest set of most probable tokens whose total probability reaches this value. */
  topP?: number;
  /**
   * Locally typical sampling: samples from the tokens whose information content is closest to the expected one and
   * whose total probability reaches this value.
   */
  typicalP?: number;
  /** Samples from the tokens with at least this part of the greatest probability. */
  minP?: number;
  /** Samples from the tokens with at least this probability. */
  epsilonCutoff?: number;
  /** Samples from the tokens above a probability that is at most this one and falls with the entropy. */
  etaCutoff?: number;
  /** Seed for sampling, an integer: the same seed draws the same tokens. Default: a new one for each call. */
  seed?: number;
  /** Values above 1 make tokens that have already appeared less probable. */
  repetitionPenalty?: number;
  /** Values above 1 make tokens of the source more probable. */
  encoderRepetitionPenalty?: number;
  /** No n-gram of this length is copied from the source; 0: no limit. */
  encoderNoRepeatNgramSize?: number;
  /** Sequences of token ids, and what is added to the score of the last id where the others precede it. */
  sequenceBias?: [ids: number[], bias: number][];
  /** The only id that can be generated at a place, counted from the decoder's first token, which has the place 0. */
  forcedDecoderIds?: [place: number, id: number][];
  /** After `start` generated tokens, the score of an end token grows exponentially by this factor. */
  exponentialDecayLengthPenalty?: [start: number, factor: number];
  /** Replaces scores that are not numbers, or infinite, in place of failing. */
  removeInvalidValues?: boolean;
  /** No n-gram of this length occurs twice; 0: no limit. */
  noRepeatNgramSize?: number;
  /** Sequences of token ids that must not be generated. */
  badWordsIds?: number[][];
  /** Id of the first token to be generated. */
  forcedBosTokenId?: number;
  /** Id of the last token, when the maximum length is reached. */
  forcedEosTokenId?: number;
  /** Ids of tokens that are never generated. */
  suppressTokens?: number[];
  /** Ids of tokens that are not generated first. */
  beginSuppressTokens?: number[];
  /** Whether to normalise the probabilities again after the rules are applied, before tokens are scored. */
  renormalizeLogits?: boolean;
  /**
   * For models of speech: timestamps are the tokens from this id on. They are then written by Whisper's rules (Radford
   * et al. 2022): at both ends of a segment, and never going back.
   */
  firstTimestampId?: number;
  /** The first timestamp is at most this many steps after the start. */
  maxInitialTimestampIndex?: number;
  /**
   * Guesses up to this many tokens at once where the text so far, or the source, has the latest tokens before, and
   * checks them in one pass (prompt lookup); 0: none. The results are the same to the last bit, and come sooner where a
   * model copies much: summaries, corrections, code. Guesses pause where they are wrong. Used for one sequence at a
   * time, greedy or sampled; beams take no guesses.
   */
  promptLookupNumTokens?: number;
  /** The most tokens that `assistantModel` guesses at once. Default: 5. */
  numAssistantTokens?: number;
  /** How many of the most likely tokens are returned at each place, with their log-probabilities; up to 256. */
  topLogprobs?: number;
  /**
   * Ids of the only tokens that may be generated, besides end tokens and forced tokens; default: any. The other tokens'
   * logits are not computed, which saves most of a small model's time if the list is short.
   */
  shortlist?: number[];
}

/** Checks a value and converts it for the engine. */
function checked<Given, T>(
  wanted: string,
  holds: (value: unknown) => value is Given,
  read: (value: Given) => T,
): Reader<T> {
  const check = toBe(wanted, holds);
  return (value, name) => read(check(value, name));
}

const isId = (value: unknown) => Number.isSafeInteger(value) && Math.abs(Number(value)) < 2 ** 31;
export const isIds = (value: unknown): value is ArrayLike<number> =>
  isArray(value) && Array.from(value).every(isId);

const isBiased = (value: unknown) =>
  Array.isArray(value) &&
  value.length === 2 &&
  isIds(value[0]) &&
  value[0].length > 0 &&
  Number.isFinite(value[1]);

const idList = (ids: ArrayLike<number>) => Array.from(ids);
const toIds = checked('a list of token ids', isIds, idList);
// The engine checks the ranges.
const toCount: Reader<number> = (value, name) => toInteger(value, name, { min: -(2 ** 31) });
const toId: Reader<number> = (value, name) => toInteger(value, name, { min: 0 });

/** A type error here means that an engine option is missing from this table. */
export const textReaders: { readonly [Name in keyof IdOptions]: Reader<IdOptions[Name]> } = {
  maxNewTokens: toCount,
  minNewTokens: toCount,
  maxLengthFactor: toNumber,
  eosTokenId: checked(
    'a token id or a list of them',
    (value): value is number | number[] => isIds([value].flat()),
    (ids) => [ids].flat(),
  ),
  padTokenId: toId,
  numBeams: toCount,
  numBeamGroups: toCount,
  diversityPenalty: toNumber,
  numReturnSequences: toCount,
  promptLookupNumTokens: toCount,
  numAssistantTokens: toCount,
  topLogprobs: toCount,
  lengthPenalty: toNumber,
  earlyStopping: checked(
    "true, false or 'never'",
    (value): value is boolean | 'never' => typeof value === 'boolean' || value === 'never',
    (value) => `${value}` as const,
  ),
  doSample: toBoolean,
  temperature: toNumber,
  topK: toCount,
  topP: toNumber,
  typicalP: toNumber,
  minP: toNumber,
  epsilonCutoff: toNumber,
  etaCutoff: toNumber,
  seed: (value, name) => toInteger(value, name, { min: 0, max: Number.MAX_SAFE_INTEGER }),
  repetitionPenalty: toNumber,
  encoderRepetitionPenalty: toNumber,
  encoderNoRepeatNgramSize: toCount,
  sequenceBias: checked(
    'a list of pairs of token ids and a number',
    (value): value is [ArrayLike<number>, number][] => Array.isArray(value) && value.every(isBiased),
    (pairs) => pairs.map(([ids, bias]) => [...idList(ids), bias]),
  ),
  forcedDecoderIds: checked(
    'a list of pairs of a place and a token id',
    (value): value is ArrayLike<number>[] =>
      Array.isArray(value) && value.every((pair) => isIds(pair) && pair.length === 2),
    (pairs) => pairs.map(idList),
  ),
  exponentialDecayLengthPenalty: checked(
    'a number of tokens and a factor',
    (value): value is number[] =>
      Array.isArray(value) && value.length === 2 && value.every((one) => Number.isFinite(one)),
    (pair) => pair,
  ),
  removeInvalidValues: toBoolean,
  noRepeatNgramSize: toCount,
  badWordsIds: checked(
    'a list of lists of token ids',
    (value): value is ArrayLike<number>[] => Array.isArray(value) && value.every(isIds),
    (lists) => lists.map(idList),
  ),
  forcedBosTokenId: toId,
  forcedEosTokenId: toId,
  suppressTokens: toIds,
  beginSuppressTokens: toIds,
  renormalizeLogits: toBoolean,
  firstTimestampId: toId,
  maxInitialTimestampIndex: toId,
  shortlist: checked(
    'a non-empty list of token ids',
    (value): value is ArrayLike<number> => isIds(value) && value.length > 0,
    idList,
  ),
};
