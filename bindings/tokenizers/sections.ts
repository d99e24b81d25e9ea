/** Finds the tokens in a text that are never cut, such as `</s>`. */

import type { Span } from './aligned_text.js';
import type { AddedToken } from './codec.js';
import { LongestMatch } from './longest_match.js';

/** An added token in a text, or what stands between two of them. */
export interface Section {
  readonly begin: number;
  readonly end: number;
  readonly token: AddedToken | null;
  /** Where the token itself is, without the white space that it absorbs. */
  readonly place: Span;
}

/** Some added tokens, by what they look like in the text that they are looked for in. */
export class Sections {
  readonly #tokens: ReadonlyMap<string, AddedToken>;
  readonly #match: LongestMatch;

  constructor(tokens: ReadonlyMap<string, AddedToken>) {
    this.#tokens = tokens;
    this.#match = LongestMatch.of(tokens.keys());
  }

  /** All of a text, section by section, apart from empty ones. */
  *of(text: string): Generator<Section> {
    const tokenAt = this.#match.in(text);
    let done = 0;
    for (let place = 0; place < text.length; ) {
      const content = tokenAt(place);
      const token = content === null ? undefined : this.#tokens.get(content);
      if (content === null || !token) {
        place++;
        continue;
      }
      const found = place + content.length;
      const isPart =
        endsWithWord.test(text.slice(Math.max(0, place - 2), place)) ||
        beginsWithWord.test(text.slice(found, found + 2));
      if (!token.single_word || !isPart) {
        const begin = token.lstrip ? Math.max(done, endOfText(text, place)) : place;
        const end = token.rstrip ? beginOfText(text, found) : found;
        if (begin > done) yield bare(done, begin);
        yield { begin, end, token, place: [place, found] };
        done = end;
      }
      place = found;
    }
    if (done < text.length) yield bare(done, text.length);
  }
}

const bare = (begin: number, end: number): Section => ({ begin, end, token: null, place: [begin, end] });

const beginsWithWord = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;
const endsWithWord = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u;
const white = /\p{White_Space}/u;

/** The offset before the white space before an offset, and after the white space behind it. */
function endOfText(text: string, from: number): number {
  let at = from;
  while (at > 0 && white.test(text[at - 1] ?? '')) at--;
  return at;
}
function beginOfText(text: string, from: number): number {
  let at = from;
  while (at < text.length && white.test(text[at] ?? '')) at++;
  return at;
}
