/** Text to token ids and back, as tokenizer.json and tokenizer_config.json of a checkpoint say. */

import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { fail } from '../engine/errors.js';
import { type Folder, type JsonObject, readJson } from './folder.js';
import { spansOfWords, splitAtMarks, type Word } from './word_spans.js';

/** A text as tokens. */
export interface Encoding {
  readonly ids: number[];
  /** The tokens that the ids stand for. */
  readonly tokens: string[];
  /**
   * For each token where it is in the text, `[begin, end)` in UTF-16 units as `text.slice` takes them; `null` for tokens
   * that were added, and where the tokenizer changes the text so much that nobody can tell.
   */
  readonly offsets: ([begin: number, end: number] | null)[];
  /** Words that the vocabulary does not have, each once, as they are written in the text where that can be told. */
  readonly unknownWords: string[];
}

/** What is used of the library; its own declarations cannot be read by a compiler that resolves modules as Node does. */
interface Library {
  readonly normalizer: { _call(text: string): string } | null;
  readonly pre_tokenizer: { _call(text: string, options: { section_index: number }): string[] } | null;
  readonly model: {
    readonly vocab: readonly string[];
    readonly tokens_to_ids: ReadonlyMap<string, number>;
    readonly unk_token?: string;
    readonly unk_token_id?: number;
    _call(words: string[]): string[];
  };
  encode(
    text: string,
    options: { add_special_tokens: boolean },
  ): { ids: (number | undefined)[]; tokens: string[] };
  tokenize(text: string, options: { add_special_tokens: boolean }): string[];
  decode(ids: number[], options: { skip_special_tokens: boolean }): string;
  id_to_token(id: number): string | undefined;
  token_to_id(token: string): number | undefined;
  get_added_tokens_decoder(): ReadonlyMap<number, { readonly special: boolean }>;
}

export class Tokenizer {
  readonly #tokenizer: Library;

  /** Whether a later token may take the space away before an earlier one, as in "do n't". */
  readonly cleansUpSpaces: boolean;

  /** @throws TransformerError `bad_checkpoint`, `unsupported` */
  constructor(json: JsonObject, config: JsonObject = {}) {
    const optional = {
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: null,
    };
    checkModel(json.model);
    this.cleansUpSpaces = config.clean_up_tokenization_spaces !== false;
    try {
      this.#tokenizer = new HuggingFaceTokenizer({ ...optional, ...json }, config);
    } catch (error) {
      const { message } = error as Error;
      fail('bad_checkpoint', `tokenizer.json cannot be read: ${message}`);
    }
  }

  /** The number of tokens. */
  get size(): number {
    return this.#tokenizer.model.vocab.length;
  }

  /** The id of the token for words that the vocabulary does not have, or `null`. */
  get unknownId(): number | null {
    return this.#tokenizer.model.unk_token_id ?? null;
  }

  /**
   * @param options.addSpecialTokens whether to add the tokens that the model wants around a text; default `true`
   * @throws TransformerError `invalid_argument` when `text` is not a string.
   */
  encode(text: string, { addSpecialTokens = true }: { addSpecialTokens?: boolean } = {}): Encoding {
    if (typeof text !== 'string') fail('invalid_argument', `a text must be a string, got ${typeof text}`);
    const { ids: found, tokens } = this.#tokenizer.encode(text, { add_special_tokens: addSpecialTokens });
    const ids = found.map(
      (id) =>
        id ?? fail('bad_checkpoint', 'tokenizer.json has no token for unknown words, and one was needed'),
    );
    const bare = this.#tokenizer.tokenize(text, { add_special_tokens: false });
    const words = this.#wordsOf(text);
    const wordTokens = words.flatMap((word) => word.tokens);
    const areTheSame = bare.length === wordTokens.length && bare.every((token, i) => token === wordTokens[i]);
    const unknownWords = [
      ...new Set(words.filter(({ isUnknown }) => isUnknown).map(({ written }) => written)),
    ];
    if (!areTheSame) {
      // The text holds a token that is never cut, as `</s>`, which seen as words would be unknown.
      const isKnown = !ids.includes(this.unknownId ?? -1);
      return { ids, tokens, offsets: tokens.map(() => null), unknownWords: isKnown ? [] : unknownWords };
    }
    const added = firstIndexOf(bare, tokens);
    const spans = words.flatMap((word) => word.spans);
    return {
      ids,
      tokens,
      offsets: tokens.map((_, i) => spans[i - added] ?? null),
      unknownWords,
    };
  }

  /**
   * @param options.skipSpecialTokens whether to leave out tokens as `</s>` and `<pad>`; default `true`
   * @throws TransformerError `invalid_argument`
   */
  decode(ids: ArrayLike<number>, { skipSpecialTokens = true }: { skipSpecialTokens?: boolean } = {}): string {
    const list = Array.from(ids);
    for (const id of list) {
      if (!Number.isSafeInteger(id) || id < 0)
        fail('invalid_argument', `a token id must be a whole number, got ${id}`);
    }
    // A model may have more ids than its tokenizer has tokens. The library cannot decode an empty list.
    const known = list.filter((id) => this.tokenOf(id) !== null);
    return known.length === 0
      ? ''
      : this.#tokenizer.decode(known, { skip_special_tokens: skipSpecialTokens });
  }

  /** The token that an id stands for; `null` where there is none. */
  tokenOf(id: number): string | null {
    return this.#tokenizer.id_to_token(id) ?? null;
  }

  /** The id of a token; `null` where there is none. */
  idOf(token: string): number | null {
    return this.#tokenizer.token_to_id(token) ?? null;
  }

  /** Whether a token stands for something else than text, as `</s>` does. */
  isSpecial(id: number): boolean {
    return this.#tokenizer.get_added_tokens_decoder().get(id)?.special ?? false;
  }

  /** The words that the tokenizer cuts a text into before it cuts the words, each with its tokens. */
  #wordsOf(text: string): Word[] {
    const { normalizer, pre_tokenizer: preTokenizer, model } = this.#tokenizer;
    const normalized = normalizer ? normalizer._call(text) : text;
    const words = preTokenizer ? preTokenizer._call(normalized, { section_index: 0 }) : [normalized];
    const isUnknown = (token: string) => token === model.unk_token || !model.tokens_to_ids.has(token);
    const cut = words.flatMap((word) =>
      splitAtMarks(word, model._call([word])).map((part) => ({
        ...part,
        isUnknown: part.tokens.some(isUnknown),
      })),
    );
    return spansOfWords(text, normalized, cut, (part) => (normalizer ? normalizer._call(part) : part));
  }
}

const modelTypes: readonly unknown[] = ['WordPiece', 'BPE', 'Unigram', 'WordLevel', undefined];

/** The library takes a model of any type for one that it knows. */
function checkModel(model: unknown): void {
  if (typeof model !== 'object' || model === null || !('vocab' in model)) {
    fail('bad_checkpoint', 'tokenizer.json has no model with a vocabulary');
  }
  const type = 'type' in model ? model.type : undefined;
  if (!modelTypes.includes(type))
    fail('unsupported', `tokenizer.json: models of the type '${type}' are not supported`);
}

/** Where `part` begins inside of `whole`. */
function firstIndexOf(part: readonly string[], whole: readonly string[]): number {
  const fits = (begin: number) => part.every((token, i) => whole[begin + i] === token);
  for (let begin = 0; begin + part.length <= whole.length; begin++) if (fits(begin)) return begin;
  return whole.length;
}

/**
 * The tokenizer of a folder; `null` for a model that is spoken to in token ids.
 *
 * @throws TransformerError `bad_checkpoint`
 */
export async function readTokenizer(folder: Folder, signal?: AbortSignal): Promise<Tokenizer | null> {
  const [json, config] = await Promise.all([
    readJson(folder, 'tokenizer.json', signal),
    readJson(folder, 'tokenizer_config.json', signal),
  ]);
  return json ? new Tokenizer(json, config ?? {}) : null;
}
