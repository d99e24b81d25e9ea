/**
 * A checkpoint's settings for text generation: generation_config.json, or if that is missing the fields of the same
 * names in config.json. Settings that neither file gives have the Python library's defaults.
 */

import { Fields } from '../../files/fields.js';
import type { JsonObject } from '../../files/json_object.js';
import type { GenerationOptions as IdOptions } from '../../modules/embind.js';
import { TransformerError } from '../../values/errors.js';
import { type FieldsOf, readFields } from '../../values/options.js';
import { textReaders } from './text_options.js';

export interface GenerationConfig {
  /** The whole file, for settings that only one task has. */
  readonly fields: JsonObject;
  /** Options of the file that apply to text, in the engine's terms. */
  readonly options: Partial<IdOptions>;
  /** Lengths that count every token of the decoder, as in Python. */
  readonly maxLength: number;
  readonly minLength: number;
  /** Tokens that the decoder must begin with, from the second on; `null`: the caller has to supply it. */
  readonly forcedDecoderIds: readonly (number | null)[];
  readonly decoderStartTokenId: number | null;
  /** Fills up the shorter sequences of a batch. */
  readonly padTokenId: number | null;
  readonly eosTokenIds: readonly number[];
  /** Settings that would change the result but are not supported. */
  readonly unsupported: readonly string[];
}

/**
 * @param generation generation_config.json, where there is one
 * @param config config.json
 * @throws TransformerError `bad_checkpoint`, naming the file and the field.
 */
export function readGenerationConfig(generation: JsonObject | null, config: JsonObject): GenerationConfig {
  const model = new Fields(config, 'config.json');
  const fields = generation ? new Fields(generation, 'generation_config.json') : model;
  const own = fields.ids('eos_token_id');
  // The end token belongs to the model, even where generation_config.json omits it.
  const eosTokenIds = own.length > 0 ? own : model.ids('eos_token_id');
  const padTokenId = fields.id('pad_token_id') ?? model.id('pad_token_id');
  const pad = padTokenId ?? eosTokenIds[0];
  const read = readTextOptions(fields, generation ? 'generation_config.json' : 'config.json');
  return {
    fields: generation ?? config,
    options: {
      topK: 50,
      ...read,
      ...forcedTokens(fields),
      eosTokenId: eosTokenIds,
      ...(pad !== undefined && { padTokenId: pad }),
    },
    maxLength: fields.count('max_length', 20),
    minLength: fields.count('min_length', 0, 0),
    forcedDecoderIds: readForcedDecoderIds(fields.raw('forced_decoder_ids')),
    decoderStartTokenId: fields.id('decoder_start_token_id'),
    padTokenId,
    eosTokenIds,
    unsupported: Object.entries(neutral)
      .filter(([name, value]) => !isNeutral(fields.raw(name), value))
      .map(([name]) => name),
  };
}

/** Fields with rules of their own. */
const {
  eosTokenId: _eos,
  padTokenId: _pad,
  forcedBosTokenId: _bos,
  forcedEosTokenId: _last,
  forcedDecoderIds: _prompt,
  seed: _seed,
  ...readers
} = textReaders;

const pythonName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Options that have Python's name in the file; `null` counts as missing. */
function readTextOptions(fields: Fields, file: string): FieldsOf<typeof readers> {
  const names = Object.keys(readers);
  const given = names.map((name) => [name, fields.raw(pythonName(name))] as const);
  try {
    return readFields(Object.fromEntries(given), readers);
  } catch (error) {
    if (!(error instanceof TransformerError)) throw error;
    const named = error.message.replace(/^\w+/, pythonName);
    throw new TransformerError('bad_checkpoint', `${file}: ${named}`, { cause: error });
  }
}

/** Newer files give a list of end tokens; some use -1 for none. */
function forcedTokens(fields: Fields): Partial<IdOptions> {
  const first = fields.id('forced_bos_token_id') ?? oldForcedBos(fields);
  const [last] = fields.ids('forced_eos_token_id');
  return {
    ...(first !== null && { forcedBosTokenId: first }),
    ...(last !== undefined && { forcedEosTokenId: last }),
  };
}

/** A legacy flag of BART: the first generated token is the begin-of-sequence token. */
function oldForcedBos(fields: Fields): number | null {
  return fields.flag('force_bos_token_to_be_generated', false) ? fields.id('bos_token_id') : null;
}

/** Unsupported settings of the Python library, with the value at which each has no effect. */
const neutral: Readonly<Record<string, unknown>> = {
  penalty_alpha: 0,
  guidance_scale: 1,
  force_words_ids: null,
  constraints: null,
  dola_layers: null,
  stop_strings: null,
  watermarking_config: null,
};

const isNeutral = (value: unknown, neutralValue: unknown) => (value ?? neutralValue) === neutralValue;

/** [[1, id], [2, id], ...], with places counted from the decoder's first token. */
function readForcedDecoderIds(value: unknown): (number | null)[] {
  if (!Array.isArray(value)) return [];
  const ids: (number | null)[] = [];
  for (const [place, id] of value.filter(Array.isArray)) {
    if (place !== ids.length + 1) break;
    ids.push(typeof id === 'number' ? id : null);
  }
  return ids;
}
