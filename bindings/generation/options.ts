/** Options for generation that callers can set. */

import type { LoadedModel } from '../checkpoint/loaded.js';
import { type Edit, toStepEdits } from '../insight/edits.js';
import { type HeadFactors, toHeadFactors, toTrace } from '../insight/forward_options.js';
import {
  type FieldsOf,
  type ReadersOf,
  readFields,
  toBe,
  toBoolean,
  toFunction,
  toInteger,
  toObject,
  toSignal,
} from '../values/options.js';
import { isIds, type TextOptions, textReaders } from './settings/text_options.js';

/** Gives the ids that may follow those of a sequence, for the input at a place among the inputs. */
export type AllowedTokens = (input: number, ids: number[]) => ArrayLike<number>;

/** A form that answers keep to: one of these. See the guide "Answers that keep to a form". */
export type Constraint =
  /** A JSON Schema (2020-12). Its properties are written in the order in which they are declared. */
  | { jsonSchema: object | boolean }
  /** A regular expression without the flags i, m and s, which the whole answer matches. */
  | { regex: string | RegExp }
  /** A grammar as llama.cpp's, whose rule `root` the answer has. */
  | { gbnf: string }
  /** One of these texts. */
  | { choices: readonly string[] };

/** The checkpoint's generation_config.json decides where an option is not given. */
export interface GenerationOptions extends TextOptions {
  /** Maximum total length: prompt, padding and generated tokens, like Python's `max_length`. */
  maxLength?: number;
  minLength?: number;
  /**
   * One of the tasks in the `task_specific_params` of config.json, as T5 has: its prefix is put before texts, and its
   * settings apply where no option is given.
   */
  task?: string;
  /** Ends the generation where one of these texts occurs; it is not part of the result. */
  stop?: string | string[];
  /**
   * The only ids that may follow: called for each sequence in each step, with the place of its input among the inputs
   * and the ids so far, as Python's `prefix_allowed_tokens_fn`.
   */
  prefixAllowedTokens?: AllowedTokens;
  /**
   * A form that the answers keep to: tokens that would leave it cannot be chosen, in any kind of search. Where
   * `maxNewTokens` has room for the shortest answer, at a token for each byte, every answer is complete.
   */
  constrain?: Constraint;
  /**
   * A smaller model with the same vocabulary, loaded into the same engine, that guesses up to `numAssistantTokens`
   * tokens at once, which this model checks in one pass (speculative decoding; Leviathan et al. 2023). The results are
   * the same to the last bit, and come sooner where the two models often agree. Guesses pause where they are wrong.
   * They are made where prompt lookup makes them, and if both are given, where that finds nothing.
   */
  assistantModel?: LoadedModel;
  /**
   * For models with a lexical shortlist, as Firefox's are: whether only the tokens that it lists for those of the
   * source can be chosen, which is much faster. Default: true.
   */
  lexicalShortlist?: boolean;
  /** The beginning of the answer, as token ids, or as text in the language of the answer. */
  prefix?: string | ArrayLike<number>;
  /** Source language, for multilingual models, in the model's own codes: `eng_Latn`, `en_XX`, `en`. */
  srcLang?: string;
  /** Target language, for multilingual models. */
  tgtLang?: string;
  /** Whether to return the attention weights of a pass over each result. */
  outputAttentions?: boolean;
  /** Whether to return the hidden states of these passes. */
  outputHiddenStates?: boolean;
  /** Paths of inner tensors to capture in these passes: see `ForwardOptions`. */
  trace?: string[];
  /** Factors of attention heads by path, in every pass: `{ 'decoder.layers.1.cross.2': 0 }` disables a head. */
  heads?: HeadFactors;
  /** Changes of inner tensors in every pass: see `ForwardOptions`. */
  edits?: readonly Edit[];
  /** Aborts the generation, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** One that was disposed is refused later, for what it is. */
function isLoadedModel(value: unknown): value is LoadedModel {
  if (typeof value !== 'object' || value === null || !('loaded' in value)) return false;
  try {
    const { loaded } = value;
    return typeof loaded === 'object' && loaded !== null && 'handle' in loaded;
  } catch {
    return true;
  }
}

const toLanguage = toBe('a language code', isText);

const readers = {
  ...textReaders,
  maxLength: (value: unknown, name: string) => toInteger(value, name, { min: 1 }),
  minLength: (value: unknown, name: string) => toInteger(value, name, { min: 0 }),
  task: toBe('the name of a task', isText),
  stop: toBe('a non-empty string or a list of such strings', (value): value is string | string[] =>
    [value].flat().every(isText),
  ),
  prefix: toBe(
    'a string or a list of token ids',
    (value): value is string | ArrayLike<number> => typeof value === 'string' || isIds(value),
  ),
  assistantModel: toBe('a model that loadModel made', isLoadedModel),
  lexicalShortlist: toBoolean,
  srcLang: toLanguage,
  tgtLang: toLanguage,
  prefixAllowedTokens: toFunction<AllowedTokens>,
  constrain: toObject,
  outputAttentions: toBoolean,
  outputHiddenStates: toBoolean,
  trace: toTrace,
  heads: toHeadFactors,
  edits: toStepEdits,
  signal: toSignal,
} satisfies ReadersOf<GenerationOptions>;

/** The names of all options. */
export const optionNames: readonly string[] = Object.keys(readers);

/** The checked options, with those of the text in the engine's terms. */
export type ReadOptions = FieldsOf<typeof readers>;

/** @throws TransformerError `invalid_argument`, naming the option; for an unknown one, with the closest known name. */
export const readOptions = (options: GenerationOptions): ReadOptions => readFields(options, readers);
