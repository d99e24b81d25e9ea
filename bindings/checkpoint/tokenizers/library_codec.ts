/**
 * A tokenizer that the library computes. The library says which tokens a text has; where these are in the text it does not
 * say, so that its steps are gone through once more with an eye on the places.
 */

import { fail } from '../../engine/errors.js';
import type { JsonObject } from '../json/json_object.js';
import { type AlignedText, type Span, spanOf } from './aligned_text.js';
import type { Rule } from './clean_up.js';
import type { AddedToken, Codec, CutText, PlacedToken, Token } from './codec.js';
import { correct } from './corrections.js';
import { inFile, type Library, type LibraryDecoder, makeLibrary } from './library.js';
import { align } from './text_alignment.js';
import { unknownWordsOf, type WordPart } from './unknown_words.js';
import { hasByteLevel, type PlacedWord, placeTokens, placeWords } from './word_places.js';

export class LibraryCodec implements Codec {
  readonly rules: readonly Rule[];
  readonly #library: Library;
  readonly #file: string;
  readonly #isByteLevel: boolean;
  readonly #specials: ReadonlySet<number>;

  /**
   * @param json what tokenizer.json holds, or would
   * @param file that it is from, for messages
   * @throws TransformerError `bad_checkpoint`, `unsupported`
   */
  constructor(json: JsonObject, config: JsonObject, file: string) {
    this.#library = makeLibrary(json, config, file);
    this.#file = file;
    inFile(file, () => correct(this.#library, file));
    this.rules = rulesOf(this.#library.decoder);
    this.#isByteLevel = hasByteLevel(this.#library.pre_tokenizer);
    this.#specials = new Set(this.added.filter(({ special }) => special).map(({ id }) => id));
  }

  get size(): number {
    return this.#library.model.vocab.length;
  }

  get unknownId(): number | null {
    return this.#library.model.unk_token_id ?? null;
  }

  get added(): readonly AddedToken[] {
    return this.#library.added_tokens;
  }

  cut(text: string): CutText {
    return inFile(this.#file, () => this.#cut(text));
  }

  #cut(text: string): CutText {
    const names = this.#library.tokenize(text, { add_special_tokens: false });
    const places = this.#placesOf(text);
    const isSound = places.length === names.length && places.every(({ token }, i) => token === names[i]);
    if (isSound) return { tokens: places, unknownWords: unknownWordsOf(text, places) };
    const tokens = names.map((token) => this.#token(token, null));
    const parts = tokens.map((token) => ({
      ...token,
      isUnknown: this.#isUnknown(token.token),
      beginsWord: true,
    }));
    return { tokens, unknownWords: unknownWordsOf(text, parts) };
  }

  wrap(first: readonly Token[], second: readonly Token[] | null): PlacedToken[] {
    const { post_processor: around } = this.#library;
    if (!around) return [...first, ...(second ?? [])].map((token) => ({ token, type: 0 }));
    const { tokens, token_type_ids: types } = inFile(this.#file, () =>
      around([...first], second && [...second], true),
    );
    return tokens.map((token, i): PlacedToken => {
      const type = types?.[i] === 1 ? 1 : 0;
      if (typeof token === 'string') return { token: this.#token(token, null), type };
      if (typeof token === 'object' && token !== null && 'span' in token) return { token, type };
      return fail('bad_checkpoint', `${this.#file}: post_processor adds something that is no token`);
    });
  }

  join(ids: readonly number[], skipSpecialTokens: boolean): string {
    // The library cannot decode an empty list, and takes ids without a token for unknown words.
    const known = ids.filter((id) => this.tokenOf(id) !== null);
    if (known.length === 0) return '';
    const options = { skip_special_tokens: skipSpecialTokens, clean_up_tokenization_spaces: false };
    return inFile(this.#file, () => this.#library.decode(known, options));
  }

  tokenOf(id: number): string | null {
    return this.#library.model.vocab[id] ?? null;
  }

  idOf(token: string): number | null {
    const { model, added_tokens_map: added } = this.#library;
    return added.get(token)?.id ?? model.tokens_to_ids.get(token) ?? null;
  }

  isSpecial(id: number): boolean {
    return this.#specials.has(id);
  }

  #token(token: string, span: Span | null): Token {
    const id = this.idOf(token) ?? this.unknownId;
    if (id !== null) return { token, id, span };
    return fail('bad_checkpoint', `${this.#file} has no token for unknown words, and one was needed`);
  }

  #isUnknown(token: string): boolean {
    const { model } = this.#library;
    return token === model.unk_token || this.idOf(token) === null;
  }

  /** The tokens once more, with their places; others than the library's where it goes another way. */
  #placesOf(text: string): WordPart[] {
    const { splitter_unnormalized: splitter, normalizer } = this.#library;
    const normalize = (part: string) => normalizer?.normalize(part) ?? part;
    const parts: WordPart[][] = [];
    for (const [index, section] of this.#sectionsOf(text, splitter).entries()) {
      if (section.text === '') continue;
      if (section.token) {
        parts.push([section.token]);
        continue;
      }
      const aligned = align(section.text, normalize(section.text), normalize);
      if (!aligned) return [];
      for (const inner of this.#sectionsOf(aligned.text, this.#library.splitter_normalized)) {
        if (inner.text === '') continue;
        const span = spanOf(aligned, [inner.begin, inner.begin + inner.text.length], section.begin);
        if (inner.token) parts.push([{ ...inner.token, span }]);
        else parts.push(this.#partsOf(aligned, inner, { index, shift: section.begin }));
      }
    }
    return parts.flat();
  }

  #partsOf(
    aligned: AlignedText,
    section: Section,
    { index, shift }: { index: number; shift: number },
  ): WordPart[] {
    const { pre_tokenizer: preTokenizer, model } = this.#library;
    const words = preTokenizer?.pre_tokenize(section.text, { section_index: index }) ?? [section.text];
    const placed = placeWords(section.text, words, this.#isByteLevel);
    const spanIn = (begin: number, end: number) =>
      spanOf(aligned, [begin + section.begin, end + section.begin], shift);
    return placed.flatMap((word: PlacedWord) => {
      const tokens = model._call([word.word]);
      const places = placeTokens(word, tokens, model.config);
      return tokens.map((token, i) => {
        const place = places[i];
        const found = this.#token(token, place ? spanIn(...place) : null);
        return {
          ...found,
          isUnknown: this.#isUnknown(token),
          beginsWord: i === 0 || token.startsWith('\u2581'),
        };
      });
    });
  }

  /** The text between tokens that are never cut, and those. */
  #sectionsOf(text: string, splitter: Library['splitter_normalized']): Section[] {
    const added = this.#library.added_tokens_map;
    let begin = 0;
    const sections = splitter.split(text).map((section): Section => {
      begin += section.length;
      const found = added.get(section);
      const span: Span = [begin - section.length, begin];
      const token = found && {
        ...this.#token(found.content, span),
        token: section,
        isUnknown: false,
        beginsWord: true,
      };
      return { text: section, begin: span[0], token: token ?? null };
    });
    for (const [i, section] of sections.entries()) {
      const token = section.token && added.get(section.text);
      const [before, after] = [sections[i - 1], sections[i + 1]];
      if (token?.lstrip && before) before.text = before.text.trimEnd();
      if (!token?.rstrip || !after) continue;
      after.begin += after.text.length - after.text.trimStart().length;
      after.text = after.text.trimStart();
    }
    return sections;
  }
}

/** The replacements of a decoder. */
function rulesOf(decoder: LibraryDecoder | null): Rule[] {
  if (!decoder) return [];
  const { type, pattern, content } = decoder.config;
  const from =
    typeof pattern === 'object' && pattern !== null && 'String' in pattern ? pattern.String : undefined;
  const isRule = type === 'Replace' && typeof from === 'string' && typeof content === 'string';
  return [...(isRule ? [[from, content] as const] : []), ...(decoder.decoders ?? []).flatMap(rulesOf)];
}

interface Section {
  text: string;
  begin: number;
  readonly token: WordPart | null;
}
