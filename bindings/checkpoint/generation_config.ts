/**
 * The settings that a checkpoint wants its text generated with: generation_config.json or, if that is missing, the
 * fields of the same names in config.json. What neither says is as in Python's Transformers.
 */

import { Fields } from './json/fields.js';
import type { JsonObject } from './json/json_object.js';

/** Generation settings of a checkpoint. Lengths count all tokens of the decoder, as Python does. */
export interface GenerationConfig {
  readonly maxLength: number;
  readonly maxNewTokens: number | null;
  readonly minLength: number;
  readonly minNewTokens: number | null;
  readonly numBeams: number;
  readonly numReturnSequences: number;
  readonly lengthPenalty: number;
  readonly earlyStopping: boolean | 'never';
  readonly doSample: boolean;
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly typicalP: number;
  readonly repetitionPenalty: number;
  readonly noRepeatNgramSize: number;
  readonly badWordsIds: readonly (readonly number[])[];
  readonly forcedBosTokenId: number | null;
  readonly forcedEosTokenId: number | null;
  readonly renormalizeLogits: boolean;
  readonly suppressTokens: readonly number[];
  readonly beginSuppressTokens: readonly number[];
  /** The decoder's first tokens, from the second on; `null` for one that the caller must give. */
  readonly forcedDecoderIds: readonly (number | null)[];
  readonly decoderStartTokenId: number | null;
  /** What shorter sequences of a batch are padded with. */
  readonly padTokenId: number | null;
  readonly eosTokenIds: readonly number[];
  /** Settings that would change the result and are not supported. */
  readonly unsupported: readonly string[];
}

/**
 * @param generation generation_config.json, if there is one
 * @param config config.json
 * @throws TransformerError `bad_checkpoint` naming the file and the field.
 */
export function readGenerationConfig(generation: JsonObject | null, config: JsonObject): GenerationConfig {
  const model = new Fields(config, 'config.json');
  const fields = generation ? new Fields(generation, 'generation_config.json') : model;
  const optional = (name: string) => (fields.has(name) ? fields.count(name, undefined, 0) : null);
  const eosTokenIds = fields.ids('eos_token_id');
  return {
    maxLength: fields.count('max_length', 20),
    maxNewTokens: optional('max_new_tokens'),
    minLength: fields.count('min_length', 0, 0),
    minNewTokens: optional('min_new_tokens'),
    numBeams: fields.count('num_beams', 1),
    numReturnSequences: fields.count('num_return_sequences', 1),
    lengthPenalty: fields.number('length_penalty', 1),
    earlyStopping: fields.flagOr('early_stopping', 'never', false),
    doSample: fields.flag('do_sample', false),
    temperature: fields.number('temperature', 1),
    topK: fields.count('top_k', 50, 0),
    topP: fields.number('top_p', 1),
    typicalP: fields.number('typical_p', 1),
    repetitionPenalty: fields.number('repetition_penalty', 1),
    noRepeatNgramSize: fields.count('no_repeat_ngram_size', 0, 0),
    badWordsIds: fields.idLists('bad_words_ids'),
    forcedBosTokenId: fields.id('forced_bos_token_id') ?? oldForcedBos(fields),
    // A list in newer files.
    forcedEosTokenId: fields.ids('forced_eos_token_id')[0] ?? null,
    renormalizeLogits: fields.flag('renormalize_logits', false),
    suppressTokens: fields.ids('suppress_tokens'),
    beginSuppressTokens: fields.ids('begin_suppress_tokens'),
    forcedDecoderIds: readForcedDecoderIds(fields.raw('forced_decoder_ids')),
    decoderStartTokenId: fields.id('decoder_start_token_id'),
    padTokenId: fields.id('pad_token_id') ?? model.id('pad_token_id'),
    // The end token is the model's own, whatever else generation_config.json leaves out.
    eosTokenIds: eosTokenIds.length > 0 ? eosTokenIds : model.ids('eos_token_id'),
    unsupported: Object.entries(neutral)
      .filter(([name, value]) => !isNeutral(fields.raw(name), value))
      .map(([name]) => name),
  };
}

/** An old flag of BART: the first token to be written is the one that begins a text. */
function oldForcedBos(fields: Fields): number | null {
  return fields.flag('force_bos_token_to_be_generated', false) ? fields.id('bos_token_id') : null;
}

/** Settings of Python's Transformers that are not supported here, and the values with which they change nothing. */
const neutral: Readonly<Record<string, unknown>> = {
  num_beam_groups: 1,
  diversity_penalty: 0,
  penalty_alpha: 0,
  encoder_repetition_penalty: 1,
  encoder_no_repeat_ngram_size: 0,
  epsilon_cutoff: 0,
  eta_cutoff: 0,
  min_p: 0,
  guidance_scale: 1,
  exponential_decay_length_penalty: null,
  force_words_ids: null,
  constraints: null,
  sequence_bias: null,
};

const isNeutral = (value: unknown, neutralValue: unknown) => (value ?? neutralValue) === neutralValue;

/** [[1, id], [2, id], ...], with positions counted from the decoder's first token. */
function readForcedDecoderIds(value: unknown): (number | null)[] {
  if (!Array.isArray(value)) return [];
  const ids: (number | null)[] = [];
  for (const [place, id] of value.filter(Array.isArray)) {
    if (place !== ids.length + 1) break;
    ids.push(typeof id === 'number' ? id : null);
  }
  return ids;
}
