/** The words that the stage offers in place of another, and the pronoun that each of them leads to. */

import type { Model } from 'transformer-wasm';
import type { SourceToken } from './reading.js';
import { generationOf, type Request } from './request.js';

/** Words of one group can stand for each other in most sentences. */
const groups: readonly (readonly string[])[] = [
  ['tired', 'wide', 'narrow', 'hungry', 'noisy', 'happy', 'empty', 'old', 'long', 'busy', 'wet', 'dark'],
  ['animal', 'dog', 'cat', 'horse', 'woman', 'man', 'boy', 'girl', 'cow', 'mouse'],
  ['street', 'road', 'river', 'bridge', 'garden', 'forest', 'park', 'field'],
];

/** A pronoun of the third person, as the page colours it; `null`: the sentence has none. */
export type Pronoun = 'il' | 'elle' | null;

/** Whether a French word is one of the pronouns that depend on a noun's gender. */
export function pronounOf(word: string): Pronoun {
  if (/^ils?$/i.test(word)) return 'il';
  return /^elles?$/i.test(word) ? 'elle' : null;
}

/** The last pronoun of a French text. */
export function pronounIn(text: string): Pronoun {
  return pronounOf(text.match(/(?<![\p{L}])(ils?|elles?)(?![\p{L}])/giu)?.at(-1) ?? '');
}

/** How many words are offered: three rows of three. */
const most = 9;

/** The words to offer in place of a token: the first of its group, and itself; or none. */
export function groupOf(token: SourceToken): readonly string[] {
  const word = token.label.toLowerCase();
  const group = groups.find((words) => words.includes(word)) ?? [];
  const first = group.slice(0, most);
  return first.length === 0 || first.includes(word) ? first : [...first.slice(0, -1), word];
}

/** The token whose swaps are offered at first: the last one that is in a group, as in "too tired". */
export function swappable(source: readonly SourceToken[]): number {
  const adjective = source.findLastIndex((token) => groups[0]?.includes(token.label.toLowerCase()));
  return adjective >= 0 ? adjective : source.findLastIndex((token) => groupOf(token).length > 0);
}

/** The sentence with another word in a token's place. */
export function swapped(sentence: string, { span }: SourceToken, word: string): string {
  return span ? sentence.slice(0, span[0]) + word + sentence.slice(span[1]) : sentence;
}

export interface Swap {
  readonly word: string;
  /** The sentence with this word. */
  readonly text: string;
  /** The pronoun of its translation; `undefined` while it is not known. */
  readonly pronoun: Pronoun | undefined;
}

/** The words to offer, each with the pronoun of its own translation under the same heads and forced words; words that the model does not know are left out. */
export async function swapsOf(
  model: Model,
  sentence: string,
  token: SourceToken,
  request: Request = {},
): Promise<Swap[]> {
  const known = groupOf(token).filter((word) => model.tokenizer?.encode(word).unknownWords.length === 0);
  const texts = known.map((word) => swapped(sentence, token, word));
  if (texts.length === 0) return [];
  const translations = await model.translate(texts, generationOf(request));
  return known.map((word, i) => ({
    word,
    text: texts[i] as string,
    pronoun: pronounIn(translations[i]?.text ?? ''),
  }));
}
