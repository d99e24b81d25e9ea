/** What becomes of a text: its tokens, and where each of them is from. */

import type { Span } from './aligned_text.js';
import type { PlacedToken } from './codec.js';

/** A tokenized text. */
export interface Encoding {
  readonly ids: number[];
  /** The tokens with these ids. */
  readonly tokens: string[];
  /**
   * The range of each token in the text, `[begin, end)` in UTF-16 units as for `text.slice`; `null` for added tokens,
   * and where the tokenizer changes the text too much to tell. For a pair of texts, ranges refer to the text that the
   * token is from.
   */
  readonly offsets: (Span | null)[];
  /** Words missing from the vocabulary, without duplicates, as written in the text where that is known. */
  readonly unknownWords: string[];
  /** Segment of each token: 1 for the second text of a pair, if the model distinguishes the two. */
  readonly typeIds: number[];
  /**
   * Which word each token is part of, counted over both texts of a pair, as the tokenizer cuts a text into words before
   * it cuts these into tokens; `null` for added tokens, and where that is unknown.
   */
  readonly wordIds: (number | null)[];
}

/**
 * An encoding that knows its texts.
 *
 * @internal
 */
export interface SourcedEncoding extends Encoding {
  /** Which text each token is from: 0, or 1 for the second of a pair; -1 for added tokens. */
  readonly sources: number[];
}

export function encodingOf(placed: readonly PlacedToken[], unknownWords: string[]): SourcedEncoding {
  const encoding: SourcedEncoding = {
    ids: [],
    tokens: [],
    offsets: [],
    unknownWords,
    typeIds: [],
    wordIds: [],
    sources: [],
  };
  let word = -1;
  for (const { token, type, source } of placed) {
    const { beginsWord } = token;
    if (beginsWord || (beginsWord === false && word < 0)) word++;
    encoding.ids.push(token.id);
    encoding.tokens.push(token.token);
    encoding.offsets.push(token.span);
    encoding.typeIds.push(type);
    encoding.wordIds.push(beginsWord === undefined ? null : word);
    encoding.sources.push(source);
  }
  return encoding;
}
