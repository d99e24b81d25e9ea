/** Converts text to token ids and back, as a checkpoint's files define it. */

import { atOnce, type Steps, withPauses } from '../engine/steps.js';
import type { JsonObject } from '../files/json_object.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import { type ReadersOf, readFields, toBoolean } from '../values/options.js';
import { describe, isArray } from '../values/tensor.js';
import { beforeOpenEnds, cleanUpSpaces, openEndsOf } from './clean_up.js';
import { type Codec, type CutText, type PlacedToken, placedTokens, type Token } from './codec.js';
import { type Encoding, encodingOf, type SourcedEncoding } from './encoding.js';
import type { Languages } from './languages.js';

export type { Encoding, SourcedEncoding } from './encoding.js';

export interface EncodeOptions {
  /** Whether to add the special tokens that the model expects around a text; default `true`. */
  addSpecialTokens?: boolean;
  /** A second text, for models that compare two. */
  pair?: string;
  /** Source and target language codes; see {@link Languages}. */
  srcLang?: string | undefined;
  tgtLang?: string | undefined;
  /** Whether the text is in the model's output language (for translation, the target language). */
  isTarget?: boolean;
}

const toText = (value: unknown) => value as string; // checked where it is read

const encodeReaders = {
  addSpecialTokens: toBoolean,
  isTarget: toBoolean,
  pair: toText,
  srcLang: toText,
  tgtLang: toText,
} satisfies ReadersOf<EncodeOptions>;

export class Tokenizer {
  readonly #codec: Codec;
  readonly #cleansUpSpaces: boolean;
  readonly #openEnds: readonly string[];
  /** `null` for a model without language tokens. */
  readonly languages: Languages | null;

  /**
   * @internal
   * @param config tokenizer_config.json
   */
  constructor(codec: Codec, config: JsonObject, languages: Languages | null) {
    this.#codec = codec;
    this.#cleansUpSpaces = cleansUp(config, codec);
    this.#openEnds = [...openEndsOf(codec.rules), ...(this.#cleansUpSpaces ? openEndsOf() : [])];
    this.languages = languages;
  }

  /** The number of tokens. */
  get size(): number {
    return this.#codec.size;
  }

  /** The id of the token for unknown words, or `null`. */
  get unknownId(): number | null {
    return this.#codec.unknownId;
  }

  /** The prefix of tokens inside a word: WordPiece's `##`; empty if nothing marks them. */
  get continuationMark(): string {
    return this.#codec.continuationMark;
  }

  /** @throws TransformerError `invalid_argument` if a text is not a string, or a language is unknown. */
  encode(text: string, options: EncodeOptions = {}): Encoding {
    const { sources: _, ...encoding } = atOnce(this.#encode(text, readFields(options, encodeReaders)));
    return encoding;
  }

  /**
   * The same for a text of any length, with pauses.
   *
   * @internal
   * @throws the signal's reason.
   */
  encodeLong(
    text: string,
    options: EncodeOptions,
    signal: AbortSignal | undefined,
  ): Promise<SourcedEncoding> {
    return withPauses(this.#encode(text, options), signal);
  }

  *#encode(text: string, options: EncodeOptions): Steps<SourcedEncoding> {
    const { addSpecialTokens = true, isTarget = false, pair, srcLang, tgtLang } = options;
    const marks = this.languages?.marksFor(srcLang, tgtLang) ?? null;
    const first = yield* this.#cut(text, isTarget);
    const second = pair === undefined ? null : yield* this.#cut(pair, isTarget);
    const placed: PlacedToken[] =
      addSpecialTokens && marks
        ? [
            ...this.#placed(marks.before),
            ...placedTokens(first.tokens, 0, 0),
            ...placedTokens(second?.tokens ?? [], 0, 1),
            ...this.#placed(marks.after),
          ]
        : this.#codec.wrap(first.tokens, second?.tokens ?? null, addSpecialTokens);
    const unknownWords = [...new Set([...first.unknownWords, ...(second?.unknownWords ?? [])])];
    return encodingOf(placed, unknownWords);
  }

  /**
   * The text of ids. `skipSpecialTokens`: whether to leave out tokens such as `</s>` and `<pad>`; default `true`.
   *
   * @throws TransformerError `invalid_argument`
   */
  decode(ids: ArrayLike<number>, options: { skipSpecialTokens?: boolean } = {}): string {
    const { skipSpecialTokens = true } = readFields(options, { skipSpecialTokens: toBoolean });
    const text = this.#codec.join(checkIds(ids), skipSpecialTokens);
    return this.#cleansUpSpaces ? cleanUpSpaces(text) : text;
  }

  /** Like {@link decode}, but ends before text that further ids could still change. */
  decodeSettled(ids: ArrayLike<number>): string {
    // The first bytes of a multi-byte character decode to U+FFFD, which the remaining bytes then replace.
    const list = checkIds(ids);
    const known = list.slice(0, this.#codec.settled?.(list) ?? list.length);
    const text = this.#codec.join(known, true).replace(/\ufffd+$/, '');
    const settled = beforeOpenEnds(text, this.#openEnds);
    return this.#cleansUpSpaces ? cleanUpSpaces(settled) : settled;
  }

  /**
   * The token with an id; `null` if there is none. `isSource`: whether to use the source vocabulary instead of the
   * target vocabulary; most models have one vocabulary for both.
   */
  tokenOf(id: number, options: { isSource?: boolean } = {}): string | null {
    const { isSource = false } = readFields(options, { isSource: toBoolean });
    return this.#codec.tokenOf(id, isSource);
  }

  /** The id of a token; `null` if there is none. */
  idOf(token: string): number | null {
    return this.#codec.idOf(token);
  }

  /** Whether a token is special, such as `</s>`. */
  isSpecial(id: number): boolean {
    return this.#codec.isSpecial(id);
  }

  /**
   * Tokens, without those that are special.
   *
   * @internal
   */
  withoutSpecial(tokens: readonly string[]): string[] {
    const codec = this.#codec;
    return tokens.filter((token) => {
      const id = codec.idOf(token);
      return id === null || !codec.isSpecial(id);
    });
  }

  /**
   * What each id writes wherever it stands, `null` for those that are no part of texts; and whether a text loses the
   * space that it begins with. `null` for a tokenizer whose ids write different things in different places.
   *
   * @internal
   */
  writing(count: number): { pieces: (readonly number[] | null)[]; dropsFirstSpace: boolean } | null {
    const codec = this.#codec;
    if (!codec.bytesOf) return null;
    const pieces = Array.from({ length: count }, (_, id) => codec.bytesOf?.(id) ?? null);
    return { pieces, dropsFirstSpace: codec.dropsFirstSpace };
  }

  #cut(text: string, isTarget: boolean): Steps<CutText> {
    if (typeof text !== 'string') fail('invalid_argument', `a text must be a string, got ${typeof text}`);
    return this.#codec.cut(text, isTarget);
  }

  #placed(ids: readonly number[]): PlacedToken[] {
    return ids.map((id) => {
      const token: Token = { token: this.tokenOf(id, { isSource: true }) ?? `${id}`, id, span: null };
      return { token, type: 0, source: -1 };
    });
  }
}

/**
 * Python's rules (transformers 5): only where the folder says so, and for BPE only if it insists, since these spaces
 * are the text's own.
 */
function cleansUp(config: JsonObject, { isBpe }: Codec): boolean {
  const insists = config.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output === true;
  return config.clean_up_tokenization_spaces === true && (!isBpe || insists);
}

function checkIds(ids: ArrayLike<number>): number[] {
  if (!isArray(ids)) fail('invalid_argument', `ids must be a list of token ids, got ${describe(ids)}`);
  const list = Array.from(ids);
  for (const id of list) {
    if (!Number.isSafeInteger(id) || id < 0)
      fail('invalid_argument', `a token id must be an integer from 0 on, got ${id}`);
  }
  return list;
}

border(Tokenizer, {
  encode: 'text options',
  decode: 'ids options',
  decodeSettled: 'ids',
  tokenOf: 'id options',
  idOf: 'token',
  isSpecial: 'id',
});
