/** What a kind of tokenizer must be able to do; everything that is the same for all kinds is in `tokenizer.ts`. */

import type { Span } from './aligned_text.js';
import type { Rule } from './clean_up.js';

/** A token of a text. */
export interface Token {
  readonly token: string;
  readonly id: number;
  /** Where it is in the text; `null` for one that has no text of its own. */
  readonly span: Span | null;
}

/** A text as tokens, without those that a model wants around it. */
export interface CutText {
  readonly tokens: readonly Token[];
  /** Words that the vocabulary does not have, as they are written in the text where that can be told. */
  readonly unknownWords: readonly string[];
}

/** A token in its place among others: `type` is 1 for the second of two texts. */
export interface PlacedToken {
  readonly token: Token;
  readonly type: number;
}

export interface Codec {
  /** The number of ids. */
  readonly size: number;
  readonly unknownId: number | null;
  /** @param isTarget whether the text is in the language that the model writes, where that has a model of its own */
  cut(text: string, isTarget: boolean): CutText;
  /** Puts the tokens that the model wants around one text or two. */
  wrap(first: readonly Token[], second: readonly Token[] | null): PlacedToken[];
  /** The text of ids, as it is before spaces are cleaned up. */
  join(ids: readonly number[], skipSpecialTokens: boolean): string;
  /** @param isSource whether the id is one that the model reads, where those it writes are others */
  tokenOf(id: number, isSource: boolean): string | null;
  idOf(token: string): number | null;
  isSpecial(id: number): boolean;
  /** What {@link join} changes in the text that it has put together. */
  readonly rules: readonly Rule[];
  /** All tokens that are not cut, as `</s>` is. */
  readonly added: readonly AddedToken[];
}

/** A token that stands for itself wherever it comes in a text. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** No text: left out where text is wanted. */
  readonly special: boolean;
  /** Takes the space before, after it. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Only where it is a word of its own. */
  readonly single_word: boolean;
  /** Looked for after the text was normalized. */
  readonly normalized: boolean;
}
