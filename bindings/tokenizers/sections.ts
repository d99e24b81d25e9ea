/** Finds the tokens in a text that are never split, such as `</s>`. */

import type { AddedToken } from './codec.js';
import { LongestMatch } from './longest_match.js';
import type { Normalize } from './steps.js';

/** An added token, or the text between two of them. */
export interface Section {
  text: string;
  /** Its offset in the whole text. */
  begin: number;
  readonly token: AddedToken | null;
}

export class Sections {
  /** By content; tokens that are matched after normalization, by their normalized content. */
  readonly #tokens = new Map<string, AddedToken>();
  readonly #inText: LongestMatch;
  readonly #inNormalized: LongestMatch;

  /** @param normalize `null` if the tokenizer has no normalizer */
  constructor(added: readonly AddedToken[], normalize: Normalize | null) {
    const inText: string[] = [];
    const inNormalized: string[] = [];
    for (const token of added) {
      this.#tokens.set(token.content, token);
      if (token.normalized && normalize) {
        const content = normalize(token.content);
        this.#tokens.set(content, token);
        inNormalized.push(content);
      } else inText.push(token.content);
    }
    this.#inText = LongestMatch.of(inText);
    this.#inNormalized = LongestMatch.of(inNormalized);
  }

  /** The token with this content. */
  tokenOf(content: string): AddedToken | null {
    return this.#tokens.get(content) ?? null;
  }

  ofText(text: string): Section[] {
    return this.#split(text, this.#inText);
  }

  ofNormalized(text: string): Section[] {
    return this.#split(text, this.#inNormalized);
  }

  #split(text: string, match: LongestMatch): Section[] {
    const sections: Section[] = [];
    const add = (begin: number, end: number) => {
      if (begin === end) return;
      const section = text.slice(begin, end);
      sections.push({ text: section, begin, token: this.tokenOf(section) });
    };
    const tokenAt = match.in(text);
    let begin = 0;
    for (let place = 0; place < text.length; ) {
      const found = tokenAt(place);
      if (found === null || (this.tokenOf(found)?.single_word && !isWord(text, place, found.length))) {
        place++;
        continue;
      }
      add(begin, place);
      begin = place + found.length;
      add(place, begin);
      place = begin;
    }
    add(begin, text.length);
    strip(sections);
    return sections;
  }
}

/** Whether the characters on both sides cannot be part of the same word. */
export function isWord(text: string, begin: number, length: number): boolean {
  const isLetter = (character: string | undefined) => /[\p{L}\p{N}_]/u.test(character ?? '');
  return !isLetter(text[begin - 1]) && !isLetter(text[begin + length]);
}

/** Removes the spaces that neighbouring tokens absorb. */
function strip(sections: readonly Section[]): void {
  for (const [i, { token }] of sections.entries()) {
    const [before, after] = [sections[i - 1], sections[i + 1]];
    if (token?.lstrip && before) before.text = before.text.trimEnd();
    if (!token?.rstrip || !after) continue;
    after.begin += after.text.length - after.text.trimStart().length;
    after.text = after.text.trimStart();
  }
}
