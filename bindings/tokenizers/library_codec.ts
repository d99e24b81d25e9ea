/**
 * Runs the steps of a tokenizer.json in order, and tracks where in the text each token comes from, which the steps do
 * not report.
 */

import type { Model, PostProcessor } from '@huggingface/tokenizers';
import { lettersAtOnce, type Steps } from '../engine/steps.js';
import type { JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { additionalSpecials } from './added_tokens.js';
import { type AlignedText, type Span, spanOf } from './aligned_text.js';
import type { AddedToken, Codec, CutText, PlacedToken, Token } from './codec.js';
import { makeModel, makePostProcessor } from './library.js';
import { type Section, Sections } from './sections.js';
import {
  type Decode,
  decoderOf,
  hasByteLevel,
  type Normalize,
  normalizerOf,
  type PreTokenize,
  preTokenizerOf,
  rulesOf,
} from './steps.js';
import { align } from './text_alignment.js';
import { checkTokenizerJson, inFile } from './tokenizer_json.js';
import { unknownWordsOf, type WordPart } from './unknown_words.js';
import { continuationMarkOf, placeTokens, placeWords } from './word_places.js';
import { WrittenText } from './written_text.js';

/** Words that are placed without a pause. */
const wordsAtOnce = 1024;

export class LibraryCodec implements Codec {
  readonly rules: Codec['rules'];
  readonly added: readonly AddedToken[];
  readonly #file: string;
  /** The type of the model in tokenizer.json. */
  readonly #entry: JsonObject;
  readonly #model: Model;
  readonly #around: PostProcessor | null;
  readonly #normalize: Normalize;
  readonly #preTokenize: PreTokenize;
  readonly #decode: Decode | null;
  readonly #sections: Sections;
  readonly #isByteLevel: boolean;
  readonly #specials: ReadonlySet<number>;
  /** Tokens that are left out of decoded text. */
  readonly #unwritten: ReadonlySet<string>;
  #writtenText: WrittenText | undefined;

  /**
   * @param json content of tokenizer.json, or its equivalent
   * @param settings tokenizer_config.json
   * @param file name of the file, for messages
   * @param made its model, if it is made already
   * @throws TransformerError `bad_checkpoint`, `unsupported`
   */
  constructor(json: JsonObject, settings: JsonObject, file: string, made?: Model) {
    const checked = checkTokenizerJson(json, file);
    const { normalizer, preTokenizer, model, decoder, added } = checked;
    this.#entry = model;
    this.#file = file;
    this.added = added;
    this.#model = made ?? inFile(file, () => makeModel(model, settings));
    for (const { content, id } of added) {
      this.#model.tokens_to_ids.set(content, id);
      this.#model.vocab[id] = content;
    }
    this.#around = inFile(file, () => checked.postProcessor && makePostProcessor(checked.postProcessor));
    this.#normalize = inFile(file, () => normalizerOf(normalizer, file));
    this.#preTokenize = inFile(file, () => preTokenizerOf(preTokenizer, file));
    this.#decode = inFile(file, () => decoder && decoderOf(decoder, added, file));
    this.#sections = inFile(file, () => new Sections(added, normalizer && this.#normalize));
    this.rules = inFile(file, () => rulesOf(decoder));
    this.#isByteLevel = hasByteLevel(preTokenizer);
    const specials = added.filter(({ special }) => special);
    this.#specials = new Set(specials.map(({ id }) => id));
    const others = additionalSpecials({ tokenizer: settings, special: {} });
    this.#unwritten = new Set([...specials.map(({ content }) => content), ...others]);
  }

  get size(): number {
    return this.#model.vocab.length;
  }

  get unknownId(): number | null {
    return this.#model.unk_token_id ?? null;
  }

  get isBpe(): boolean {
    return this.#entry.type === 'BPE';
  }

  get continuationMark(): string {
    return continuationMarkOf(this.#entry);
  }

  *cut(text: string, isTarget: boolean): Steps<CutText> {
    return yield* isTarget ? this.#cutTarget(text) : this.#cutSource(text);
  }

  /** A file's rules may be those of the source language alone: they lower-case what the decoder writes with capitals. */
  *#cutTarget(text: string): Steps<CutText> {
    const read = yield* this.#cutSource(text);
    if (
      this.join(
        read.tokens.map(({ id }) => id),
        false,
      ) === text
    )
      return read;
    this.#writtenText ??= new WrittenText(this);
    const written = yield* this.#writtenText.cut(text);
    // A text that cannot be written, such as one with accents that the rules remove, is read by the rules.
    return written.unknownWords.length === 0 || read.unknownWords.length > 0 ? written : read;
  }

  *#cutSource(text: string): Steps<CutText> {
    const work = this.#cut(text);
    for (;;) {
      const { done, value } = inFile(this.#file, () => work.next());
      if (done) return value;
      yield;
    }
  }

  *#cut(text: string): Steps<CutText> {
    const { names, placed } = yield* this.#split(text);
    // If a step's result cannot be aligned with the text, no token has a position.
    const isPlaced = placed.length === names.length && placed.every(({ token }, i) => token === names[i]);
    const parts = isPlaced ? placed : names.map((name) => this.#part(name, { span: null, beginsWord: true }));
    const tokens = isPlaced ? parts : parts.map(({ token, id, span }): Token => ({ token, id, span }));
    return { tokens, unknownWords: unknownWordsOf(text, parts) };
  }

  wrap(first: readonly Token[], second: readonly Token[] | null): PlacedToken[] {
    const around = this.#around;
    const all = [...first, ...(second ?? [])];
    if (!around) return all.map((token) => ({ token, type: 0 }));
    // The library's post-processors see only strings; these map them back to tokens.
    const marks = all.map((_, i) => `\0${i}`);
    const places = new Map(marks.map((mark, i) => [mark, all[i]]));
    const rest = second && marks.slice(first.length);
    const { tokens, token_type_ids: types } = inFile(this.#file, () =>
      around.post_process(marks.slice(0, first.length), rest, true),
    );
    return tokens.map((name, i): PlacedToken => {
      if (typeof name !== 'string')
        return fail('bad_checkpoint', `${this.#file}: post_processor adds something that is not a token`);
      return { token: places.get(name) ?? this.#token(name, null), type: types?.[i] === 1 ? 1 : 0 };
    });
  }

  join(ids: readonly number[], skipSpecialTokens: boolean): string {
    const names = ids.map((id) => this.tokenOf(id)).filter((name) => name !== null);
    const written = skipSpecialTokens ? names.filter((name) => !this.#unwritten.has(name)) : names;
    const decode = this.#decode;
    if (!decode) return written.join(' ');
    const text = inFile(this.#file, () => decode(written).join(''));
    const { end_of_word_suffix: suffix } = this.#model;
    if (!suffix) return text;
    const spaced = text.replaceAll(suffix, ' ');
    return skipSpecialTokens ? spaced.trim() : spaced;
  }

  tokenOf(id: number): string | null {
    return this.#model.vocab[id] ?? null;
  }

  idOf(token: string): number | null {
    return this.#sections.tokenOf(token)?.id ?? this.#model.tokens_to_ids.get(token) ?? null;
  }

  isSpecial(id: number): boolean {
    return this.#specials.has(id);
  }

  #token(token: string, span: Span | null): Token {
    const id = this.idOf(token) ?? this.unknownId;
    if (id !== null) return { token, id, span };
    return fail('bad_checkpoint', `${this.#file} has no token for unknown words, and one was needed`);
  }

  #part(token: string, { span, beginsWord }: { span: Span | null; beginsWord: boolean }): WordPart {
    const isUnknown = token === this.#model.unk_token || this.idOf(token) === null;
    return { ...this.#token(token, span), isUnknown, beginsWord };
  }

  /** The tokens of a text, and those whose positions are known. */
  *#split(text: string): Steps<{ names: string[]; placed: WordPart[] }> {
    const names: string[] = [];
    const placed: WordPart[] = [];
    for (const [number, section] of this.#sections.ofText(text).entries()) {
      if (section.text === '') continue;
      if (section.token) {
        names.push(section.text);
        placed.push(this.#added(section, [section.begin, section.begin + section.text.length]));
        continue;
      }
      const isLong = section.text.length > lettersAtOnce;
      const normalized = this.#normalize(section.text);
      if (isLong) yield;
      const aligned = align(section.text, normalized, this.#normalize);
      for (const inner of this.#sections.ofNormalized(normalized)) {
        if (inner.text === '') continue;
        if (inner.token) {
          const end = inner.begin + inner.text.length;
          names.push(inner.text);
          if (aligned) placed.push(this.#added(inner, spanOf(aligned, [inner.begin, end], section.begin)));
          continue;
        }
        if (isLong) yield;
        const words = this.#preTokenize(inner.text, number);
        if (isLong) yield;
        // One by one: a call takes only about 100,000 arguments.
        for (const name of this.#model(words)) names.push(name);
        if (!aligned) continue;
        yield* this.#place(inner, words, { aligned, shift: section.begin, placed });
      }
    }
    return { names, placed };
  }

  #added({ text, token }: Section, span: Span | null): WordPart {
    return { ...this.#token(token?.content ?? text, span), token: text, isUnknown: false, beginsWord: true };
  }

  /**
   * Adds the tokens of a section of normalized text.
   *
   * @param shift offset of the section in the whole text
   */
  *#place(
    section: Section,
    words: readonly string[],
    { aligned, shift, placed }: { aligned: AlignedText; shift: number; placed: WordPart[] },
  ): Steps<void> {
    for (const [at, word] of placeWords(section.text, words, this.#isByteLevel).entries()) {
      if (at % wordsAtOnce === wordsAtOnce - 1) yield;
      const tokens = this.#model([word.word]);
      const places = placeTokens(word, tokens, this.#entry);
      for (const [i, token] of tokens.entries()) {
        const [begin, end] = places[i] ?? [0, 0];
        const span = places[i] ? spanOf(aligned, [begin + section.begin, end + section.begin], shift) : null;
        placed.push(this.#part(token, { span, beginsWord: i === 0 || token.startsWith('\u2581') }));
      }
    }
  }
}
