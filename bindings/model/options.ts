/** How text is generated: the options that a caller may give. */

import { isIds, type TextOptions, textReaders } from '../checkpoint/generation_options.js';
import { fail } from '../engine/errors.js';
import { type FieldsOf, type Reader, readFields, toBoolean, toInteger } from '../engine/options.js';
import { describe } from '../engine/tensor.js';
import { type HeadFactors, toHeadFactors, toTrace } from './forward_options.js';

/** Where an option is not given, the checkpoint's generation_config.json decides. */
export interface GenerationOptions extends TextOptions {
  /** Lengths counted with what the decoder begins with and the padding of a batch, as Python's `max_length`. */
  maxLength?: number;
  minLength?: number;
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

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function must<T>(wanted: string, holds: (value: unknown) => value is T): Reader<T> {
  return (value, name) =>
    holds(value) ? value : fail('invalid_argument', `${name} must be ${wanted}, got ${describe(value)}`);
}

const toLanguage = must('the code of a language', isText);

const readers = {
  ...textReaders,
  maxLength: (value: unknown, name: string) => toInteger(value, name, { min: 1 }),
  minLength: (value: unknown, name: string) => toInteger(value, name, { min: 0 }),
  stop: must('a text or a list of texts, none of them empty', (value): value is string | string[] =>
    [value].flat().every(isText),
  ),
  prefix: must(
    'a text or a list of token ids',
    (value): value is string | ArrayLike<number> => typeof value === 'string' || isIds(value),
  ),
  srcLang: toLanguage,
  tgtLang: toLanguage,
  outputAttentions: toBoolean,
  outputHiddenStates: toBoolean,
  trace: toTrace,
  heads: toHeadFactors,
  signal: must('an AbortSignal', (value): value is AbortSignal => value instanceof AbortSignal),
};

/** Options that were read, those of the text in the engine's terms. */
export type ReadOptions = FieldsOf<typeof readers>;

/** @throws TransformerError `invalid_argument` that names the option; for an unknown one the name probably meant. */
export const readOptions = (options: GenerationOptions): ReadOptions => readFields(options, readers);
