/** How text is generated: the options a caller may give, by the names of Python's `generate()` in camel case. */

import { fail } from '../engine/errors.js';
import { checkNames, toBoolean, toInteger, toNumber, toObject } from '../engine/options.js';
import { describe } from '../engine/tensor.js';
import type { HeadFactors } from './places.js';

/** Where an option is not given, the checkpoint's generation_config.json decides. */
export interface GenerationOptions {
  /** Tokens to generate at most, not counting what the decoder begins with. */
  maxNewTokens?: number;
  /** The end token may not come before so many. */
  minNewTokens?: number;
  /** The same counted with what the decoder begins with and the padding of a batch, as Python's `max_length`. */
  maxLength?: number;
  minLength?: number;
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
  temperature?: number;
  /** Draws among so many of the likeliest tokens; 0: among all. 50 where nothing else is said. */
  topK?: number;
  /** Draws among the likeliest tokens that together have this probability. */
  topP?: number;
  /** Draws among the tokens whose information is nearest to the expected, that together have this probability. */
  typicalP?: number;
  /** The same seed draws the same tokens; a whole number. Without one each call draws anew. */
  seed?: number;
  /** Above 1, tokens that are there already become less likely. */
  repetitionPenalty?: number;
  /** No run of so many tokens comes twice; 0: no such rule. */
  noRepeatNgramSize?: number;
  /** Sequences of token ids that may not be written. */
  badWordsIds?: number[][];
  /** The first token to be written. */
  forcedBosTokenId?: number;
  /** The last token when the length runs out. */
  forcedEosTokenId?: number;
  /** What ends a result, where it is not what the checkpoint says. */
  eosTokenId?: number | number[];
  /** Tokens that are never written. */
  suppressTokens?: number[];
  /** Tokens that are not written first. */
  beginSuppressTokens?: number[];
  /**
   * The only tokens that may be written, besides those that end a text or are forced; any, where it is not given. The
   * scores of the others are not computed, which saves most of a small model's time where the list is short.
   */
  shortlist?: number[];
  /** Whether what is left after the rules is made to sum to 1 again, before it is scored. */
  renormalizeLogits?: boolean;
  /** Ends a text where one of these comes; it is not part of the text. */
  stop?: string | string[];
  /** What the answer must begin with: text or token ids. */
  prefix?: string | ArrayLike<number>;
  /** The language of the text, for a model that is told it: `eng_Latn`, `en_XX`, `en`, as its makers write it. */
  srcLang?: string;
  /** The language to translate into, for a model that knows several. */
  tgtLang?: string;
  /** Also the attention weights of a pass over the best result. */
  outputAttentions?: boolean;
  /** Also the hidden states of that pass. */
  outputHiddenStates?: boolean;
  /** Also inner tensors of that pass, by their paths: see `ForwardOptions`. */
  trace?: string[];
  /** Factors of heads by their paths, in every pass: `{ 'decoder.layers.1.cross.2': 0 }` switches one off. */
  heads?: HeadFactors;
  /** Ends the generation, which rejects with the signal's reason. */
  signal?: AbortSignal;
}

type Check = (value: unknown, name: string) => unknown;
/** Ranges that belong to a way of generating are the engine's to check. */
const integerFrom = (min: number, max?: number): Check => {
  return (value, name) => toInteger(value, name, max === undefined ? { min } : { min, max });
};
const isIds = (value: unknown) =>
  (Array.isArray(value) || ArrayBuffer.isView(value)) &&
  Array.from(value as ArrayLike<unknown>).every((id) => Number.isSafeInteger(id));
const isText = (value: unknown) => typeof value === 'string' && value !== '';

function check(wanted: string, holds: (value: unknown) => boolean): Check {
  return (value, name) => {
    if (!holds(value)) fail('invalid_argument', `${name} must be ${wanted}, got ${describe(value)}`);
  };
}

const checks: Readonly<Record<keyof GenerationOptions, Check>> = {
  maxNewTokens: integerFrom(1),
  minNewTokens: integerFrom(0),
  maxLength: integerFrom(1),
  minLength: integerFrom(0),
  numBeams: integerFrom(1),
  numReturnSequences: integerFrom(1),
  lengthPenalty: toNumber,
  earlyStopping: check("true, false or 'never'", (value) => typeof value === 'boolean' || value === 'never'),
  doSample: toBoolean,
  temperature: toNumber,
  topK: integerFrom(0),
  topP: toNumber,
  typicalP: toNumber,
  seed: integerFrom(0, Number.MAX_SAFE_INTEGER),
  repetitionPenalty: toNumber,
  noRepeatNgramSize: integerFrom(0),
  badWordsIds: check('a list of lists of token ids', (value) => Array.isArray(value) && value.every(isIds)),
  forcedBosTokenId: integerFrom(0),
  forcedEosTokenId: integerFrom(0),
  eosTokenId: check('a token id or a list of them', (value) => isIds([value].flat())),
  suppressTokens: check('a list of token ids', isIds),
  beginSuppressTokens: check('a list of token ids', isIds),
  shortlist: check(
    'a list of token ids, not empty',
    (value) => isIds(value) && (value as ArrayLike<number>).length > 0,
  ),
  renormalizeLogits: toBoolean,
  stop: check('a text or a list of texts, none of them empty', (value) => [value].flat().every(isText)),
  prefix: check('a text or a list of token ids', (value) => typeof value === 'string' || isIds(value)),
  srcLang: check('the code of a language', isText),
  tgtLang: check('the code of a language', isText),
  outputAttentions: toBoolean,
  outputHiddenStates: toBoolean,
  trace: check('a list of paths', (value) => Array.isArray(value) && value.every(isText)),
  heads: toObject,
  signal: check('an AbortSignal', (value) => value instanceof AbortSignal),
};

/** @throws TransformerError `invalid_argument` that names the option; for an unknown one the name probably meant. */
export function checkOptions(options: GenerationOptions): void {
  const given = toObject(options, 'options');
  checkNames(given, Object.keys(checks), 'options');
  for (const [name, check] of Object.entries(checks)) if (given[name] !== undefined) check(given[name], name);
}
