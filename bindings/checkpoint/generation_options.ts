/** How text is generated: the options that both a caller and a checkpoint may give, and how each is read. */

import type { GenerationOptions as EngineOptions } from '../engine/embind.js';
import { fail } from '../engine/errors.js';
import { type Reader, toBoolean, toInteger, toNumber } from '../engine/options.js';
import { describe } from '../engine/tensor.js';

/** Names are those of Python's `generate()` in camel case. Where one is not given, the checkpoint decides. */
export interface TextOptions {
  /** Tokens to generate at most, not counting what the decoder begins with. */
  maxNewTokens?: number;
  /** The end token may not come before so many. */
  minNewTokens?: number;
  /** What ends a result, where it is not what the checkpoint says. */
  eosTokenId?: number | number[];
  /** 1: greedy or sampled; more: a beam search. */
  numBeams?: number;
  /** Results for each input, best first. */
  numReturnSequences?: number;
  /** A beam's score is its log-probability divided by its length to this power. */
  lengthPenalty?: number;
  /** Whether a beam search ends with the first `numBeams` results, when no better is likely, or possible (`'never'`). */
  earlyStopping?: boolean | 'never';
  /** Draws the next token instead of taking the likeliest. */
  doSample?: boolean;
  /** Divides the logits before a token is drawn. */
  temperature?: number;
  /** Draws among so many of the likeliest tokens; 0: among all. 50 where nothing else is said. */
  topK?: number;
  /** Draws among the likeliest tokens that together have this probability. */
  topP?: number;
  /** Draws among the tokens whose information is nearest to the expected, that together have this probability. */
  typicalP?: number;
  /** The same seed draws the same tokens; a whole number. Without one each call draws anew. */
  seed?: number;
  /** Above 1, tokens that have already appeared become less likely. */
  repetitionPenalty?: number;
  /** No run of so many tokens comes twice; 0: no such rule. */
  noRepeatNgramSize?: number;
  /** Sequences of token ids that may not be generated. */
  badWordsIds?: number[][];
  /** The first token to be generated. */
  forcedBosTokenId?: number;
  /** The last token when the length runs out. */
  forcedEosTokenId?: number;
  /** Tokens that are never generated. */
  suppressTokens?: number[];
  /** Tokens that are not generated first. */
  beginSuppressTokens?: number[];
  /** Whether what is left after the rules is made to sum to 1 again, before it is scored. */
  renormalizeLogits?: boolean;
  /**
   * The only tokens that may be generated, besides those that end a text or are forced; any, where it is not given. The
   * scores of the others are not computed, which saves most of a small model's time where the list is short.
   */
  shortlist?: number[];
}

/** A value that is checked and otherwise left as it is. */
function checked<T>(
  wanted: string,
  holds: (value: unknown) => boolean,
  read: (value: never) => T,
): Reader<T> {
  return (value, name) => {
    if (!holds(value)) fail('invalid_argument', `${name} must be ${wanted}, got ${describe(value)}`);
    return read(value as never);
  };
}

const isId = (value: unknown) => Number.isSafeInteger(value) && Math.abs(Number(value)) < 2 ** 31;
export const isIds = (value: unknown): value is ArrayLike<number> =>
  (Array.isArray(value) || ArrayBuffer.isView(value)) && Array.from(value as ArrayLike<unknown>).every(isId);

const idList = (ids: ArrayLike<number>) => Array.from(ids);
const toIds = checked('a list of token ids', isIds, idList);
// Ranges are the engine's to check.
const toCount: Reader<number> = (value, name) => toInteger(value, name, { min: -(2 ** 31) });
const toId: Reader<number> = (value, name) => toInteger(value, name, { min: 0 });

/** An option that the engine has is here, or this does not compile. */
export const textReaders: { readonly [Name in keyof EngineOptions]: Reader<EngineOptions[Name]> } = {
  maxNewTokens: toCount,
  minNewTokens: toCount,
  eosTokenId: checked(
    'a token id or a list of them',
    (value) => isIds([value].flat()),
    (ids: number | number[]) => [ids].flat(),
  ),
  numBeams: toCount,
  numReturnSequences: toCount,
  lengthPenalty: toNumber,
  earlyStopping: checked(
    "true, false or 'never'",
    (value) => typeof value === 'boolean' || value === 'never',
    (value: boolean | 'never') => `${value}` as const,
  ),
  doSample: toBoolean,
  temperature: toNumber,
  topK: toCount,
  topP: toNumber,
  typicalP: toNumber,
  seed: (value, name) => toInteger(value, name, { min: 0, max: Number.MAX_SAFE_INTEGER }),
  repetitionPenalty: toNumber,
  noRepeatNgramSize: toCount,
  badWordsIds: checked(
    'a list of lists of token ids',
    (value) => Array.isArray(value) && value.every(isIds),
    (lists: ArrayLike<number>[]) => lists.map(idList),
  ),
  forcedBosTokenId: toId,
  forcedEosTokenId: toId,
  suppressTokens: toIds,
  beginSuppressTokens: toIds,
  renormalizeLogits: toBoolean,
  shortlist: checked('a list of token ids, not empty', (value) => isIds(value) && value.length > 0, idList),
};
