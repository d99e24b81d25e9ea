/**
 * WordPiece (Schuster and Nakajima 2012) as BERT uses it: from the begin of a word, each time the longest token that
 * fits; a word with a part that no token fits is unknown as a whole.
 */

import { characterAt } from './characters.js';
import type { Cut } from './unigram.js';

interface Settings {
  readonly unknownId: number;
  /** What the tokens inside of a word begin with. */
  readonly mark: string;
  /** Characters of a word; a longer one is unknown. */
  readonly longestWord: number;
}

export class WordPieceModel {
  readonly #tokens: ReadonlyMap<string, number>;
  readonly #settings: Settings;
  readonly #longest: number;

  constructor(tokens: ReadonlyMap<string, number>, settings: Settings) {
    this.#tokens = tokens;
    this.#settings = settings;
    let longest = 0;
    for (const token of tokens.keys()) longest = Math.max(longest, token.length);
    this.#longest = longest;
  }

  /** The tokens of a word. */
  cut(word: string): Cut[] {
    const { unknownId, longestWord } = this.#settings;
    const unknown = [{ begin: 0, end: word.length, id: unknownId }];
    if (word.length > longestWord && Array.from(word).length > longestWord) return unknown;
    const tokens: Cut[] = [];
    for (let begin = 0; begin < word.length; ) {
      const token = this.#longestAt(word, begin);
      if (token === null) return unknown;
      tokens.push(token);
      begin = token.end;
    }
    return tokens;
  }

  #longestAt(word: string, begin: number): Cut | null {
    const mark = begin > 0 ? this.#settings.mark : '';
    const least = begin + characterAt(word, begin).length;
    for (let end = Math.min(word.length, begin + this.#longest - mark.length); end >= least; end--) {
      const id = this.#tokens.get(mark + word.slice(begin, end));
      if (id !== undefined) return { begin, end, id };
    }
    return null;
  }
}
