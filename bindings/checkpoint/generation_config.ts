/**
 * The settings that a checkpoint wants its text generated with: generation_config.json, or where that is missing the
 * fields of the same names in config.json. What neither says is as in the Python library.
 */

import { Fields } from './fields.js';
import type { JsonObject } from './folder.js';

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
  readonly repetitionPenalty: number;
  readonly noRepeatNgramSize: number;
  readonly badWordsIds: readonly (readonly number[])[];
  readonly forcedBosTokenId: number | null;
  readonly forcedEosTokenId: number | null;
  readonly renormalizeLogits: boolean;
  readonly eosTokenIds: readonly number[];
}

/**
 * @param generation generation_config.json, where there is one
 * @param config config.json
 * @throws TransformerError `bad_checkpoint` that names file and field.
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
    repetitionPenalty: fields.number('repetition_penalty', 1),
    noRepeatNgramSize: fields.count('no_repeat_ngram_size', 0, 0),
    badWordsIds: fields.idLists('bad_words_ids'),
    forcedBosTokenId: fields.id('forced_bos_token_id'),
    // A list in newer files.
    forcedEosTokenId: fields.ids('forced_eos_token_id')[0] ?? null,
    renormalizeLogits: fields.flag('renormalize_logits', false),
    // An end token is the model's own, whatever else its makers forgot.
    eosTokenIds: eosTokenIds.length > 0 ? eosTokenIds : model.ids('eos_token_id'),
  };
}
