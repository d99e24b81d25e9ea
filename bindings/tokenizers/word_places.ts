/** Locates the words of a text in it, and the tokens of each word. */

import type { JsonObject } from '../files/json_object.js';
import type { Span } from './aligned_text.js';
import { textOfLetters } from './byte_letters.js';
import { byteOf } from './utf8_bytes.js';

/** A word in the form that is split into tokens, with its alignment to the text. */
export interface PlacedWord {
  readonly word: string;
  /** Offset in the text for each offset in the word, its end included. */
  readonly begins: readonly number[];
  /** For each unit of the word, the end of the character that it belongs to. */
  readonly ends: readonly number[];
}

/** If more words are not in the text, what follows them is left out, too. */
const mostMissing = 100;

/** Finds the words in the text one after the other; a word that is not found is left out. */
export function placeWords(text: string, words: readonly string[], areBytes: boolean): PlacedWord[] {
  // In byte characters, a space mark is a space of the text; elsewhere it may have been inserted.
  const shown = areBytes ? text : text.replaceAll('\u2581', ' ');
  const placed: PlacedWord[] = [];
  let cursor = 0;
  let missing = 0;
  for (const word of words) {
    const letters = areBytes ? textOfLetters(word) : word.replaceAll('\u2581', ' ');
    const found = findAfter(shown, letters, cursor);
    // Each has been looked for in all of the text: for many of them that takes the square of its length.
    if (!found && ++missing > mostMissing) break;
    if (!found) continue;
    placed.push(placeWord(word, letters, { ...found, areBytes }));
    cursor = found.begin + letters.length - found.added;
  }
  return placed;
}

/** Finds a word at or after the cursor; an inserted leading space is not in the text. */
function findAfter(text: string, word: string, cursor: number): { begin: number; added: number } | null {
  const bare = word.startsWith(' ') ? word.slice(1) : null;
  if (text.startsWith(word, cursor)) return { begin: cursor, added: 0 };
  if (bare !== null && text.startsWith(bare, cursor)) return { begin: cursor, added: 1 };
  const begin = text.indexOf(word, cursor);
  if (begin >= 0) return { begin, added: 0 };
  const bareBegin = bare === null ? -1 : text.indexOf(bare, cursor);
  return bareBegin >= 0 ? { begin: bareBegin, added: 1 } : null;
}

function placeWord(
  word: string,
  letters: string,
  { begin, added, areBytes }: { begin: number; added: number; areBytes: boolean },
): PlacedWord {
  const begins: number[] = [];
  const ends: number[] = [];
  let place = begin - added;
  for (const character of letters) {
    const units = areBytes ? new TextEncoder().encode(character).length : character.length;
    const end = place + character.length;
    for (let i = 0; i < units; i++) {
      begins.push(Math.max(begin, place));
      ends.push(Math.max(begin, end));
    }
    place = end;
  }
  begins.push(place);
  return { word, begins, ends };
}

/** The range of each token in the text; that of the whole word if its tokens are not its letters in order. */
export function placeTokens(
  { word, begins, ends }: PlacedWord,
  tokens: readonly string[],
  model: JsonObject,
): Span[] {
  const prefix = continuationMarkOf(model);
  const suffix = typeof model.end_of_word_suffix === 'string' ? model.end_of_word_suffix : '';
  const whole = tokens.map((): Span => [begins[0] ?? 0, ends.at(-1) ?? begins[0] ?? 0]);
  const spans: Span[] = [];
  let cursor = 0;
  let bytesLeft = 0;
  for (const token of tokens) {
    const letters = withoutMarks(token, cursor > 0 ? prefix : '', suffix);
    const character = String.fromCodePoint(word.codePointAt(cursor) ?? 0);
    let end = cursor + letters.length;
    if (!word.startsWith(letters, cursor)) {
      // The bytes of a character, or a token for an unknown one.
      end = cursor + character.length;
      if (byteOf(token) !== null && bytesLeft === 0) bytesLeft = new TextEncoder().encode(character).length;
    }
    spans.push([begins[cursor] ?? 0, ends[end - 1] ?? 0]);
    if (bytesLeft > 0) bytesLeft--;
    if (bytesLeft === 0) cursor = end;
  }
  return cursor === word.length ? spans : whole;
}

export const continuationMarkOf = ({ continuing_subword_prefix: mark }: JsonObject): string =>
  typeof mark === 'string' ? mark : '';

function withoutMarks(token: string, prefix: string, suffix: string): string {
  const begin = prefix !== '' && token.startsWith(prefix) ? prefix.length : 0;
  return token.slice(begin, suffix !== '' && token.endsWith(suffix) ? -suffix.length : undefined);
}
