/** Lists the words of a text that are missing from the vocabulary. */

import type { Token } from './codec.js';

/** A token, whether it is unknown, and whether it begins a word. */
export interface WordPart extends Token {
  readonly isUnknown: boolean;
  readonly beginsWord: boolean;
}

/** The words with unknown parts, without duplicates: as written in the text, or else as the tokenizer sees them. */
export function unknownWordsOf(text: string, parts: readonly WordPart[]): string[] {
  const words: WordPart[][] = [];
  for (const part of parts) {
    const open = words.at(-1);
    if (open && !part.beginsWord) open.push(part);
    else words.push([part]);
  }
  const unknown = words
    .filter((word) => word.some(({ isUnknown }) => isUnknown))
    .map((word) => written(text, word));
  return [...new Set(unknown)].filter((word) => word !== '');
}

function written(text: string, word: readonly WordPart[]): string {
  const spans = word.map(({ span }) => span).filter((span) => span !== null);
  const [first, last] = [spans[0], spans.at(-1)];
  if (first && last) return text.slice(first[0], last[1]).trim();
  return word.map(({ token }) => token.replace(/^(##|▁)/, '')).join('');
}
