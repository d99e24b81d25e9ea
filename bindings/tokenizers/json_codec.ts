/**
 * Runs the steps of a tokenizer.json in order, as Hugging Face's library does, and keeps track of each token's place.
 */

import { atOnce, lettersAtOnce, type Steps, withPauses } from '../engine/steps.js';
import type { JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { additionalSpecials } from './added_tokens.js';
import { type AlignedText, alignedText, partOf, placeIn } from './aligned_text.js';
import type { AddedToken, Codec, CutText, PlacedToken, Token } from './codec.js';
import {
  bytesDecoderOf,
  type Decode,
  decoderOf,
  dropsFirstSpace,
  isOpen,
  joinsBytes,
  rulesOf,
} from './decoders.js';
import { addedTokensOf } from './json_added_tokens.js';
import { type Model, modelOf } from './models.js';
import { type Normalize, normalizerOf } from './normalizers.js';
import { type Around, aroundOf, wrapped } from './post_processors.js';
import { type PreTokenize, preTokenizerOf } from './pre_tokenizers.js';
import { Sections } from './sections.js';
import { unknownWordsOf, type WordPart } from './unknown_words.js';
import { WrittenText } from './written_text.js';

export class JsonCodec implements Codec {
  readonly rules: Codec['rules'];
  readonly dropsFirstSpace: boolean;
  readonly bytesOf?: (id: number) => readonly number[] | null;
  readonly added: readonly AddedToken[];
  readonly #file: string;
  readonly #model: Model;
  readonly #around: Around;
  readonly #normalize: Normalize;
  readonly #preTokenize: PreTokenize;
  readonly #decode: Decode | null;
  readonly #joinsBytes: boolean;
  /** Added tokens that are found in the text as it is, and those that are found in the normalized text. */
  readonly #inText: Sections;
  readonly #inNormalized: Sections;
  readonly #addedIds: ReadonlyMap<string, number>;
  readonly #tokens: readonly (string | undefined)[];
  readonly #specials: ReadonlySet<number>;
  /** Tokens that are left out of decoded text. */
  readonly #unwritten: ReadonlySet<string>;
  #writtenText: WrittenText | undefined;

  /** As the constructor, with pauses where the vocabulary is large. @throws the signal's reason */
  static async inSteps(json: JsonObject, settings: JsonObject, signal?: AbortSignal): Promise<JsonCodec> {
    const file = 'tokenizer.json';
    return new JsonCodec(json, settings, file, await withPauses(modelOf(json.model, settings, file), signal));
  }

  /**
   * @param json content of tokenizer.json, or its equivalent
   * @param settings tokenizer_config.json
   * @param file name of the file, for messages
   * @param made its model, if it is made already
   * @throws TransformerError `bad_checkpoint`, `unsupported`
   */
  constructor(json: JsonObject, settings: JsonObject, file: string, made?: Model) {
    this.#file = file;
    this.added = addedTokensOf(json.added_tokens ?? [], file);
    this.#model = made ?? atOnce(modelOf(json.model, settings, file));
    const tokens = [...this.#model.tokens];
    for (const { content, id } of this.added) tokens[id] = content;
    this.#tokens = tokens;
    this.#addedIds = new Map(this.added.map(({ content, id }) => [content, id]));
    this.#around = aroundOf(json.post_processor, (token) => this.idOf(token), file);
    const normalize = normalizerOf(json.normalizer, file);
    this.#normalize = normalize ?? ((text) => text);
    this.#preTokenize = preTokenizerOf(json.pre_tokenizer, file);
    this.#decode = decoderOf(json.decoder, file);
    this.#joinsBytes = joinsBytes(json.decoder, file);
    this.rules = rulesOf(json.decoder, file);
    this.dropsFirstSpace = dropsFirstSpace(json.decoder, file);
    const bytes = bytesDecoderOf(json.decoder, file);
    if (bytes) this.bytesOf = (id) => this.#bytesOf(id, bytes);
    const [inText, inNormalized] = [new Map<string, AddedToken>(), new Map<string, AddedToken>()];
    const noteFirst = (map: Map<string, AddedToken>, content: string, token: AddedToken) =>
      map.has(content) || map.set(content, token);
    // Of tokens that look alike once they are normalized the first counts, and special ones before others.
    for (const token of [...this.added].sort((a, b) => Number(b.special) - Number(a.special)))
      if (token.normalized) noteFirst(inNormalized, this.#normalize(alignedText(token.content)).text, token);
      else noteFirst(inText, token.content, token);
    [this.#inText, this.#inNormalized] = [new Sections(inText), new Sections(inNormalized)];
    const specials = this.added.filter(({ special }) => special);
    this.#specials = new Set(specials.map(({ id }) => id));
    const others = additionalSpecials({ tokenizer: settings, special: {} });
    this.#unwritten = new Set([...specials.map(({ content }) => content), ...others]);
  }

  get size(): number {
    return this.#tokens.length;
  }

  get unknownId(): number | null {
    return this.#model.unknownId;
  }

  get isBpe(): boolean {
    return this.#model.isBpe;
  }

  get continuationMark(): string {
    return this.#model.mark;
  }

  *cut(text: string, isTarget: boolean): Steps<CutText> {
    const read = yield* this.#cut(text);
    if (!isTarget || this.join(idsOf(read.tokens), false) === text) return read;
    // A file's rules may be those of the source language alone: they lower-case what the decoder writes with capitals.
    this.#writtenText ??= new WrittenText(this);
    const written = yield* this.#writtenText.cut(text);
    // A text that cannot be written, such as one with accents that the rules remove, is read by the rules.
    return written.unknownWords.length === 0 || read.unknownWords.length > 0 ? written : read;
  }

  wrap(first: readonly Token[], second: readonly Token[] | null, addsSpecial: boolean): PlacedToken[] {
    return wrapped(this.#around, { first, second }, addsSpecial);
  }

  join(ids: readonly number[], skipSpecialTokens: boolean): string {
    const names = ids.map((id) => this.tokenOf(id)).filter((name) => name !== null);
    const written = skipSpecialTokens ? names.filter((name) => !this.#unwritten.has(name)) : names;
    return this.#decode ? this.#decode(written).join('') : written.join(' ');
  }

  settled(ids: readonly number[]): number {
    let end = ids.length;
    const mayChange = (id: number) => isOpen(this.tokenOf(id)) || this.isSpecial(id);
    while (this.#joinsBytes && end > 0 && mayChange(ids[end - 1] ?? 0)) end--;
    return end;
  }

  tokenOf(id: number): string | null {
    return this.#tokens[id] ?? null;
  }

  idOf(token: string): number | null {
    return this.#addedIds.get(token) ?? this.#model.ids.get(token) ?? null;
  }

  isSpecial(id: number): boolean {
    return this.#specials.has(id);
  }

  #bytesOf(id: number, bytes: (token: string) => readonly number[]): readonly number[] | null {
    const token = this.tokenOf(id);
    const isText = token !== null && id !== this.unknownId && !this.#unwritten.has(token);
    return isText ? bytes(token) : null;
  }

  *#cut(given: string): Steps<CutText> {
    // Half of a pair is no character, and becomes what UTF-8 has for it.
    const text = given.replace(/\p{Surrogate}/gu, '\ufffd');
    const parts: WordPart[] = [];
    const whole = alignedText(text);
    for (const { begin, end, token } of this.#inText.of(text)) {
      const section = partOf(whole, begin, end);
      if (token) parts.push(addedPart(text, section, token));
      else yield* this.#cutSection(text, section, parts);
    }
    return { tokens: parts, unknownWords: unknownWordsOf(given, parts) };
  }

  *#cutSection(text: string, section: AlignedText, parts: WordPart[]): Steps<void> {
    const pauses = section.text.length > lettersAtOnce;
    const normalized = this.#normalize(section);
    if (pauses) yield;
    let letters = 0;
    for (const { begin, end, token } of this.#inNormalized.of(normalized.text)) {
      const inner = partOf(normalized, begin, end);
      if (token) {
        parts.push(addedPart(text, inner, token));
        continue;
      }
      const words = this.#preTokenize([inner]);
      if (pauses) yield;
      for (const word of words) {
        yield* this.#cutWord(text, word, parts);
        letters += word.text.length;
        if (letters < lettersAtOnce) continue;
        letters = 0;
        yield;
      }
    }
  }

  *#cutWord(text: string, word: AlignedText, parts: WordPart[]): Steps<void> {
    const { unknownId, showsUnknown } = this.#model;
    for (const { begin, end, id } of yield* this.#model.cut(word.text)) {
      if (id < 0) fail('bad_checkpoint', `${this.#file} has no token for unknown words, and one was needed`);
      const isUnknown = id === unknownId;
      const token = isUnknown && showsUnknown ? word.text.slice(begin, end) : (this.#model.tokens[id] ?? '');
      parts.push({
        ...{ token, id, isUnknown, span: placeIn(text, word, begin, end) },
        beginsWord: begin === 0 || token.startsWith('\u2581'),
      });
    }
  }
}

const idsOf = (tokens: readonly Token[]) => tokens.map(({ id }) => id);

const addedPart = (text: string, section: AlignedText, { id }: AddedToken): WordPart => ({
  ...{ token: section.text, id, span: placeIn(text, section, 0, section.text.length) },
  ...{ isUnknown: false, beginsWord: true },
});
