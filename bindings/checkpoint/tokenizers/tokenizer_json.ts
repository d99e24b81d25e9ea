/** Checks what a tokenizer.json must hold, since the library takes anything for what it expects. */

import { fail } from '../../engine/errors.js';
import type { JsonObject } from '../json/json_object.js';
import type { AddedToken } from './codec.js';

export interface TokenizerJson {
  readonly normalizer: JsonObject | null;
  readonly preTokenizer: JsonObject | null;
  readonly model: JsonObject;
  readonly postProcessor: JsonObject | null;
  readonly decoder: JsonObject | null;
  readonly added: readonly AddedToken[];
}

/**
 * @param file that the JSON comes from, for messages
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export function checkTokenizerJson(json: JsonObject, file: string): TokenizerJson {
  const entry = (name: string) => (json[name] ?? null) as JsonObject | null;
  return {
    normalizer: entry('normalizer'),
    preTokenizer: entry('pre_tokenizer'),
    model: checkModel(json.model, file),
    postProcessor: entry('post_processor'),
    decoder: entry('decoder'),
    added: checkAdded(json.added_tokens ?? [], file),
  };
}

const modelTypes: readonly unknown[] = ['WordPiece', 'BPE', 'Unigram', 'WordLevel', undefined];

function checkModel(model: unknown, file: string): JsonObject {
  if (!isObject(model) || typeof model.vocab !== 'object' || model.vocab === null) {
    return fail('bad_checkpoint', `${file} has no model with a vocabulary`);
  }
  const { type, vocab } = model;
  if (!modelTypes.includes(type))
    fail('unsupported', `${file}: models of the type '${type}' are not supported`);
  if (type === 'Unigram' && model.byte_fallback === true)
    fail('unsupported', `${file}: a unigram model with byte_fallback is not supported`);
  if (Array.isArray(vocab)) {
    const wrong = vocab.findIndex((entry) => typeof entry?.[0] !== 'string' || !Number.isFinite(entry[1]));
    if (wrong >= 0) fail('bad_checkpoint', `${file}: the token ${wrong} is not a text with a score`);
  } else {
    for (const [token, id] of Object.entries(vocab)) if (!isId(id)) failId(token, id, file);
  }
  return model;
}

function checkAdded(added: unknown, file: string): AddedToken[] {
  if (!Array.isArray(added)) return fail('bad_checkpoint', `${file}: added_tokens is not a list`);
  return added.map((token) => {
    const content = isObject(token) ? token.content : undefined;
    if (typeof content !== 'string' || content === '')
      return fail('bad_checkpoint', `${file}: an added token has no content`);
    if (!isId(token.id)) failId(content, token.id, file);
    const special = Boolean(token.special);
    return {
      id: token.id,
      content,
      special,
      lstrip: Boolean(token.lstrip),
      rstrip: Boolean(token.rstrip),
      single_word: Boolean(token.single_word),
      normalized: Boolean(token.normalized ?? !special),
    };
  });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** No vocabulary has more ids, and a list as long as any number in a file would take up all memory. */
const isId = (id: unknown) => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 1 << 24;

function failId(token: string, id: unknown, file: string): never {
  const shown = JSON.stringify(token.slice(0, 40));
  fail('bad_checkpoint', `${file}: the id of ${shown} must be a whole number below ${1 << 24}, got ${id}`);
}
