/** The tokenizer library, which computes what a tokenizer.json says, and what of its parts is used here. */

import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { fail } from '../../engine/errors.js';
import type { JsonObject } from '../folder.js';

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
  checkModel(json.model, file);
  try {
    return new HuggingFaceTokenizer({ ...optional, ...json }, config);
  } catch (error) {
    const { message } = error as Error;
    return fail('bad_checkpoint', `${file} cannot be read: ${message}`);
  }
}

const modelTypes: readonly unknown[] = ['WordPiece', 'BPE', 'Unigram', 'WordLevel', undefined];

/** The library takes a model of any type for one that it knows. */
function checkModel(model: unknown, file: string): void {
  if (typeof model !== 'object' || model === null || !('vocab' in model)) {
    fail('bad_checkpoint', `${file} has no model with a vocabulary`);
  }
  const type = 'type' in model ? model.type : undefined;
  if (!modelTypes.includes(type))
    fail('unsupported', `${file}: models of the type '${type}' are not supported`);
}
