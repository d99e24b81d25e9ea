/** The interface of each kind of tokenizer; what all kinds share is in `tokenizer.ts`. */

import type { Steps } from '../engine/steps.js';
import type { Span } from './aligned_text.js';
import type { Rule } from './clean_up.js';

/** A token of a text. */
export interface Token {
  readonly token: string;
  readonly id: number;
  /** Its range in the text; `null` for one that has no text of its own. */
  readonly span: Span | null;
  /** Whether a word begins with it; missing for a token that is not from a text. */
  readonly beginsWord?: boolean;
}

/** A text as tokens, without the special tokens that a model needs around it. */
export interface CutText {
  readonly tokens: readonly Token[];
  /** Words missing from the vocabulary, as written in the text where the tokenizer can tell. */
  readonly unknownWords: readonly string[];
}

/** A token where the model reads it. */
export interface PlacedToken {
  readonly token: Token;
  /** Its segment: 1 for the second of two texts. */
  readonly type: number;
  /** The text that it is of: 0, or 1 for the second; -1 for one that was added. */
  readonly source: number;
}

/** Tokens of one text, or added ones. */
export const placedTokens = (tokens: readonly Token[], type: number, source: number): PlacedToken[] =>
  tokens.map((token) => ({ token, type, source }));

export interface Codec {
  /** The number of ids. */
  readonly size: number;
  readonly unknownId: number | null;
  /** The prefix of tokens inside a word: WordPiece's `##`; empty if nothing marks them. */
  readonly continuationMark: string;
  /** @param isTarget whether the text is in the target language, for tokenizers with a separate model for it */
  cut(text: string, isTarget: boolean): Steps<CutText>;
  /** One text or two with the special tokens around them, or with the types of their tokens alone. */
  wrap(first: readonly Token[], second: readonly Token[] | null, addsSpecial: boolean): PlacedToken[];
  /** The text of ids, before spaces are cleaned up. */
  join(ids: readonly number[], skipSpecialTokens: boolean): string;
  /**
   * The bytes that an id writes wherever it stands; `null` for one that writes none, or is no part of texts. Missing:
   * what an id writes depends on those around it.
   */
  bytesOf?(id: number): readonly number[] | null;
  /** Whether the space that a text begins with is left out. */
  readonly dropsFirstSpace: boolean;
  /** How many ids have a text that no further ones change, apart from the last characters; missing: all of them. */
  settled?(ids: readonly number[]): number;
  /** @param isSource whether the id is in the source vocabulary, for models that have two */
  tokenOf(id: number, isSource: boolean): string | null;
  idOf(token: string): number | null;
  isSpecial(id: number): boolean;
  /** Whether it is BPE, whose spaces before punctuation are part of the text. */
  readonly isBpe: boolean;
  /** Replacements that {@link join} applies to the assembled text. */
  readonly rules: readonly Rule[];
  /** All tokens that are never split, such as `</s>`. */
  readonly added: readonly AddedToken[];
}

/** A token that is matched as a whole wherever it occurs in a text. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Not part of the text, so it is left out of decoded text. */
  readonly special: boolean;
  /** Whether it absorbs the spaces before and after it. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Whether it only matches as a whole word. */
  readonly single_word: boolean;
  /** Whether it is matched after normalization. */
  readonly normalized: boolean;
}
