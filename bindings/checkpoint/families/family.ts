/** What a model family is: a way to read its config.json and the names of its tensors, and a kind of tokenizer. */

import type { TransformerConfig } from '../../engine/embind.js';
import { fail } from '../../engine/errors.js';
import { Fields } from '../json/fields.js';
import type { JsonObject } from '../json/json_object.js';
import type { TokenizerKind } from '../tokenizers/tokenizer_kind.js';
import type { Shapes, Slice } from '../weights/slices.js';
import type { FrontEndConfig } from './front_end_config.js';

/** Tokens with a meaning of their own. */
export interface SpecialTokens {
  readonly pad: number | null;
  readonly unk: number | null;
  /** What the decoder begins with; `null` where a prompt takes its place. */
  readonly decoderStart: number | null;
}

/** A checkpoint in the engine's terms. */
export interface Plan {
  /** What the engine computes; a field that is missing has the engine's own default. */
  readonly model: Partial<TransformerConfig>;
  /** Which tensor goes where. What no slice reads is not needed. */
  readonly slices: readonly Slice[];
  readonly tokens: SpecialTokens;
  /** The longest sequence that there are positions for; `null`: any. */
  readonly maxPositions: number | null;
  /** What makes vectors for the encoder of images or sound. */
  readonly frontEnd?: FrontEndConfig;
  /** Positions are counted over the tokens that are not padding, by their ids: padding may stand in front. */
  readonly countsPositions?: boolean;
  /** The last hidden state that is reported is that before the stack's last norm. */
  readonly statesBeforeNorm?: boolean;
  /** The file's name for an engine's tensor, to speak of one that is missing. */
  readonly storedName?: (name: string) => string;
}

export interface Family {
  /** `model_type` of config.json, all that this family reads. */
  readonly modelTypes: readonly string[];
  /** How its tokenizer is read where there is no tokenizer.json. */
  readonly tokenizer: TokenizerKind;
  /** What its config class fills in where config.json is silent, as those of older models are. */
  readonly defaults?: JsonObject;
  /** @throws TransformerError `bad_checkpoint` or `unsupported`, naming the field or tensor. */
  plan(config: JsonObject, shapes: Shapes): Plan;
}

export const fieldsOf = (config: JsonObject) => new Fields(config, 'config.json');

/**
 * The model class that config.json names, as "BertForMaskedLM", without the name of its family in front; the bare
 * "Model" where none is named.
 *
 * @throws TransformerError `unsupported` for one that is not in `known`.
 */
export function headOf<T extends string>(
  { architectures }: JsonObject,
  family: string,
  known: readonly T[],
): T | 'Model' {
  const [name] = Array.isArray(architectures) ? architectures : [];
  if (typeof name !== 'string' || name === `${family}Model`) return 'Model';
  const head = known.find((candidate) => name === `${family}${candidate}`);
  const list = ['Model', ...known].map((candidate) => `${family}${candidate}`).join(', ');
  return head ?? fail('unsupported', `models of the class '${name}' are not supported; known are ${list}`);
}

/** The special tokens of config.json. */
export function readTokens(fields: Fields, decodes = true): SpecialTokens {
  return {
    pad: fields.id('pad_token_id'),
    unk: fields.id('unk_token_id'),
    decoderStart: decodes ? (fields.id('decoder_start_token_id') ?? fields.id('bos_token_id')) : null,
  };
}
