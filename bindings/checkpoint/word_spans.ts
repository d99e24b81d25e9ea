/** Where the words and tokens of a tokenizer are in the text as the user wrote it. */

/** A word as a tokenizer has cut it out of the normalized text. */
export interface CutWord {
  readonly word: string;
  readonly tokens: readonly string[];
  readonly isUnknown: boolean;
}

/** Where a tokenizer leaves the cutting to its model: the words of a text that it took for one, by their marks. */
export function splitAtMarks(word: string, tokens: readonly string[]): { word: string; tokens: string[] }[] {
  if (tokens.join('') !== word) return [{ word, tokens: [...tokens] }];
  const words: string[][] = [];
  for (const token of tokens) {
    const open = words.at(-1);
    if (open && !token.startsWith('▁')) open.push(token);
    else words.push([token]);
  }
  return words.map((parts) => ({ word: parts.join(''), tokens: parts }));
}

type Span = [begin: number, end: number];

/** A word and its place in the text. */
export interface Word extends CutWord {
  /** As it stands in the text; as the tokenizer sees it where its place cannot be told. */
  readonly written: string;
  /** For each token where it is in the text. */
  readonly spans: (Span | null)[];
}

/**
 * Finds the words in the text. That can be told only where the normalizer changes single characters (as one does that
 * writes them small) and the cut words stand in the normalized text one after the other with nothing but space between.
 *
 * @param normalize the tokenizer's normalizer
 */
export function spansOfWords(
  text: string,
  normalized: string,
  words: readonly CutWord[],
  normalize: (part: string) => string,
): Word[] {
  const places = keepsPlaces(text, normalized, normalize) ? findAll(words, normalized) : null;
  return words.map((word, i) => {
    const span = places?.[i];
    if (!span) return { ...word, written: plain(word.word), spans: word.tokens.map(() => null) };
    return { ...word, written: text.slice(...span), spans: spansOfTokens(word, span) };
  });
}

/** Whether each character of the text became the one at the same place. */
function keepsPlaces(text: string, normalized: string, normalize: (part: string) => string): boolean {
  if (text === normalized) return true;
  let place = 0;
  for (const character of text) {
    const changed = normalize(character);
    if (changed.length !== character.length || !normalized.startsWith(changed, place)) return false;
    place += character.length;
  }
  return place === normalized.length;
}

function findAll(words: readonly CutWord[], normalized: string): Span[] | null {
  const places: Span[] = [];
  let cursor = 0;
  for (const { word } of words) {
    const letters = plain(word);
    const begin = normalized.indexOf(letters, cursor);
    if (begin < 0 || normalized.slice(cursor, begin).trim() !== '') return null;
    cursor = begin + letters.length;
    places.push([begin, cursor]);
  }
  return places;
}

/** The tokens' own places where they are the word cut in pieces, else the place of the word for each of them. */
function spansOfTokens({ word, tokens }: CutWord, [begin, end]: Span): Span[] {
  const pieces = tokens.map(plain);
  if (pieces.join('') !== plain(word)) return tokens.map(() => [begin, end]);
  let cursor = begin;
  return pieces.map((piece) => {
    cursor += piece.length;
    return [cursor - piece.length, cursor];
  });
}

/** Without the marks of tokenizers for "goes on a word" and "begins a word". */
const plain = (token: string) => token.replace(/^(##|▁)/, '');
