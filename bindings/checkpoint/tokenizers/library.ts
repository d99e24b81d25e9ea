/** The tokenizer library, which computes what a tokenizer.json says, and what of its parts is used here. */

import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { fail, TransformerError } from '../../engine/errors.js';
import type { JsonObject } from '../json/json_object.js';

export interface LibraryNormalizer {
  readonly config: JsonObject;
  /** Of a sequence of them. */
  readonly normalizers?: readonly (LibraryNormalizer | null)[];
  normalize(text: string): string;
}

export interface LibraryPreTokenizer {
  readonly config?: JsonObject;
  readonly tokenizers?: readonly (LibraryPreTokenizer | null)[];
  pattern?: unknown;
  pre_tokenize(text: string, options: { section_index: number }): string[];
}

export interface LibraryDecoder {
  readonly config: JsonObject;
  readonly decoders?: readonly (LibraryDecoder | null)[];
  decode_chain(tokens: string[]): string[];
}

interface LibraryModel {
  readonly config: JsonObject;
  readonly vocab: readonly string[];
  readonly tokens_to_ids: ReadonlyMap<string, number>;
  readonly unk_token?: string;
  readonly unk_token_id?: number;
  _call(words: readonly string[]): string[];
}

export interface LibraryAddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  readonly single_word: boolean;
  readonly normalized: boolean;
}

/** The library's own declarations cannot be read by a compiler that resolves modules as Node does. */
export interface Library {
  readonly normalizer: LibraryNormalizer | null;
  readonly pre_tokenizer: LibraryPreTokenizer | null;
  readonly model: LibraryModel;
  readonly decoder: LibraryDecoder | null;
  /** Takes anything as a token and puts strings around. */
  readonly post_processor:
    | (<T>(
        first: T[],
        second: T[] | null,
        add: boolean,
      ) => { tokens: (T | string)[]; token_type_ids?: number[] })
    | null;
  readonly added_tokens: readonly LibraryAddedToken[];
  readonly added_tokens_map: ReadonlyMap<string, LibraryAddedToken>;
  readonly splitter_unnormalized: { split(text: string): string[] };
  readonly splitter_normalized: { split(text: string): string[] };
  tokenize(text: string, options: { add_special_tokens: boolean }): string[];
  decode(
    ids: number[],
    options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean },
  ): string;
}

/**
 * @param file that the JSON is from or was made of, for messages
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export function makeLibrary(json: JsonObject, config: JsonObject, file: string): Library {
  const optional = {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
  };
  const model = checkModel(json.model, file);
  const whole = { ...optional, ...json };
  checkAdded(whole.added_tokens, file);
  // It asks the wrong file for the unknown token of a vocabulary of whole words.
  const settings = model.type === 'WordLevel' ? { ...config, unk_token: model.unk_token } : config;
  return inFile(file, () => new HuggingFaceTokenizer(whole, settings) as Library);
}

/** What the library stumbles over while it works is wrong in the file. @throws TransformerError `bad_checkpoint` */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TransformerError) throw error;
    return fail('bad_checkpoint', `${file} cannot be used: ${(error as Error).message}`, error);
  }
}

const modelTypes: readonly unknown[] = ['WordPiece', 'BPE', 'Unigram', 'WordLevel', undefined];

/** The library takes a model of any type for one that it knows, and ids for what they are. */
function checkModel(model: unknown, file: string): JsonObject {
  if (!isObject(model) || typeof model.vocab !== 'object' || model.vocab === null) {
    return fail('bad_checkpoint', `${file} has no model with a vocabulary`);
  }
  const { type, vocab } = model;
  if (!modelTypes.includes(type))
    fail('unsupported', `${file}: models of the type '${type}' are not supported`);
  if (Array.isArray(vocab)) {
    const wrong = vocab.findIndex((entry) => typeof entry?.[0] !== 'string' || !Number.isFinite(entry[1]));
    if (wrong >= 0) fail('bad_checkpoint', `${file}: the token ${wrong} is not a text with a score`);
  } else {
    for (const [token, id] of Object.entries(vocab)) if (!isId(id)) failId(token, id, file);
  }
  return model;
}

function checkAdded(added: unknown, file: string): void {
  if (!Array.isArray(added)) fail('bad_checkpoint', `${file}: added_tokens is not a list`);
  for (const token of added) {
    const content = isObject(token) ? token.content : undefined;
    if (typeof content !== 'string' || content === '')
      fail('bad_checkpoint', `${file}: an added token has no content`);
    if (!isId(token.id)) failId(content, token.id, file);
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** No vocabulary has more, and a list of as many as a file likes to say would take all memory. */
const isId = (id: unknown) => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 1 << 24;

function failId(token: string, id: unknown, file: string): never {
  const shown = JSON.stringify(token.slice(0, 40));
  fail('bad_checkpoint', `${file}: the id of ${shown} must be a whole number below ${1 << 24}, got ${id}`);
}
