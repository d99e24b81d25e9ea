/** A model family: how to read its config.json and its tensor names, and which kind of tokenizer it has. */

import { Fields } from '../files/fields.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import type { RecurrentConfig, TransformerConfig } from '../modules/embind.js';
import type { TokenizerKind } from '../tokenizers/tokenizer_kind.js';
import { fail } from '../values/errors.js';
import type { Shapes, Slice } from '../weights/slices.js';

/** Ids of the special tokens. */
interface SpecialTokens {
  readonly pad: number | null;
  readonly unk: number | null;
  /** The decoder's first token; `null` if a prompt takes its place. */
  readonly decoderStart: number | null;
}

/** The engine's config of a model; missing fields take the engine's defaults. */
type ModelConfig = Partial<TransformerConfig> | { readonly recurrent: Partial<RecurrentConfig> };

/** A cross-attention head that shows which source word a word of the output stands for. */
export interface CopyingHead {
  /** Its place among the decoder's cross-attentions. */
  readonly layer: number;
  readonly head: number;
}

/** The encoder of pictures beside one of texts, whose vectors can be compared (Radford et al. 2021). */
export interface TowerPlan extends TransformerPlan {
  /** The length to which all texts are padded with tokens that count; `null`: none is. */
  readonly textLength: number | null;
}

/** A checkpoint in the engine's terms. */
export interface Plan {
  readonly model: ModelConfig;
  /** Where each tensor of the engine comes from. Tensors that no slice reads are not needed. */
  readonly slices: readonly Slice[];
  readonly tokens: SpecialTokens;
  /** The longest sequence that the positions cover; `null`: unlimited. */
  readonly maxPositions: number | null;
  /** The encoder of pictures, where the model is one of texts and one of pictures. */
  readonly tower?: TowerPlan;
  /** Whether the tokens of an encoder attend only to those before them. */
  readonly isCausal?: boolean;
  /** Positions count only the tokens that are not padding, which is recognised by its id, so padding may come first. */
  readonly countsPositions?: boolean;
  /** The stacks whose last reported hidden state is the one before the final norm. */
  readonly statesBeforeNorm?: 'encoder' | 'encoder decoder';
  /** Words that the model never learned are copied from the source; `undefined`: they stay the token for them. */
  readonly copying?: CopyingHead | undefined;
  /** The head that was taught to align words, if one was; default: `copying`. */
  readonly aligning?: CopyingHead | undefined;
  /**
   * What the logits are: `spans`, two per token, for the begin and the end of an answer; `score`, one per token;
   * `twoClassifiers`, those of the second token, while the first token's are the pooler's output.
   */
  readonly logits?: 'spans' | 'score' | 'twoClassifiers';
  /** The decoder reads the source, shifted by one place, where the caller gives no input for it. */
  readonly readsSource?: boolean;
  /** Maps an engine tensor to its name in the checkpoint, for messages about missing tensors. */
  readonly storedName?: (name: string) => string;
}

/** The plan of a model of encoder and decoder layers. */
export type TransformerPlan = Plan & { readonly model: Partial<TransformerConfig> };

export interface Family {
  /** `model_type` values in config.json that this family handles. */
  readonly modelTypes: readonly string[];
  /** How to read the tokenizer if there is no tokenizer.json. */
  readonly tokenizer: TokenizerKind;
  /** Defaults of its config class, for fields that config.json omits, as older checkpoints do. */
  readonly defaults?: JsonObject | ((config: JsonObject) => JsonObject);
  /** The names of matrices that are stored as [in, out], if any are. */
  readonly inputsFirst?: RegExp;
  /** @throws TransformerError `bad_checkpoint` or `unsupported`, naming the field or tensor. */
  plan(config: JsonObject, shapes: Shapes): Plan;
}

export const fieldsOf = (config: JsonObject) => new Fields(config, 'config.json');

/**
 * The model class that config.json names, such as "BertForMaskedLM", without the family's prefix; "Model" if none is
 * named.
 *
 * @throws TransformerError `unsupported` if it is not in `known`.
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

/** The head in config.json's `copy_unknown`, `{ "layer": 1, "head": 0 }`, a field of our own formats. */
export const readCopying = (fields: Fields): CopyingHead | undefined =>
  readHead(fields.raw('copy_unknown'), 'config.json: copy_unknown');

/** The head `alignment` among config.json's `taught_heads`, likewise. */
export function readAligning(fields: Fields): CopyingHead | undefined {
  const taught = fields.raw('taught_heads');
  return isJsonObject(taught) ? readHead(taught.alignment, 'config.json: taught_heads.alignment') : undefined;
}

function readHead(raw: unknown, name: string): CopyingHead | undefined {
  if (raw === undefined) return undefined;
  if (!isJsonObject(raw))
    return fail('bad_checkpoint', `${name} must be { "layer": a number, "head": a number }`);
  const head = new Fields(raw, name);
  return { layer: head.count('layer', undefined, 0), head: head.count('head', undefined, 0) };
}

/** The special tokens in config.json. */
export function readTokens(fields: Fields, decodes = true): SpecialTokens {
  return {
    pad: fields.id('pad_token_id'),
    unk: fields.id('unk_token_id'),
    decoderStart: decodes ? (fields.id('decoder_start_token_id') ?? fields.id('bos_token_id')) : null,
  };
}
