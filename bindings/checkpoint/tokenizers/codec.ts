/** What each kind of tokenizer does in its own way; what is the same for all is in `tokenizer.ts`. */

import type { Span } from './aligned_text.js';
import type { Rule } from './clean_up.js';

/** A token of a text. */
export interface Token {
  readonly token: string;
  readonly id: number;
  /** Where it is in the text; `null` for one that has no text of its own. */
  readonly span: Span | null;
}

/** A text as tokens, without the special ones around it. */
export interface CutText {
  readonly tokens: readonly Token[];
  /** Words that the vocabulary does not have, as they are written in the text if that can be told. */
  readonly unknownWords: readonly string[];
}

/** A token of one text or a pair; `type` is 1 for the second of two texts. */
export interface PlacedToken {
  readonly token: Token;
  readonly type: number;
}

export interface Codec {
  /** The number of ids. */
  readonly size: number;
  readonly unknownId: number | null;
  /** @param isTarget whether the text is in the target language, for tokenizers that treat it differently */
  cut(text: string, isTarget: boolean): CutText;
  /** Adds the special tokens that the model wants around one text or two. */
  wrap(first: readonly Token[], second: readonly Token[] | null): PlacedToken[];
  /** The text of ids, as it is before spaces are cleaned up. */
  join(ids: readonly number[], skipSpecialTokens: boolean): string;
  /** @param isSource whether the id is from the source's vocabulary, where the target's is another */
  tokenOf(id: number, isSource: boolean): string | null;
  idOf(token: string): number | null;
  isSpecial(id: number): boolean;
  /** The replacements that {@link join} makes in the joined text. */
  readonly rules: readonly Rule[];
  /** All tokens that are never cut, such as `</s>`. */
  readonly added: readonly AddedToken[];
}

/** A token that stands for itself wherever it occurs in a text. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Not text: left out of decoded text. */
  readonly special: boolean;
  /** Includes the spaces before it, after it. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Only matches a whole word. */
  readonly single_word: boolean;
  /** Matched in the normalized text. */
  readonly normalized: boolean;
}
