/** Puts translated sentences together to a text: what stood between their sources stands between them. */

import type { Span } from '../tokenizers/aligned_text.js';
import { type TranslatedSentence, type Translation, translationOf } from './results.js';

/** Letters and marks of scripts that put no space between sentences. */
const tight = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uffef]/u;

/** One text, whose sentences are added in order. */
export class Joining {
  readonly #source: string;
  readonly #sentences: TranslatedSentence[] = [];
  #text = '';
  /** How much of the source is done. */
  #end = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /**
   * @param sentence whose ranges and offsets are those of its source alone
   * @param begin where its source begins in the text
   * @returns it with the ranges of the whole text
   */
  add(sentence: TranslatedSentence, [begin, end]: Span): TranslatedSentence {
    const between = this.#source.slice(this.#end, begin);
    this.#text += this.#sentences.length === 0 ? between : spaced(this.#text, between, sentence.text);
    const at = this.#text.length;
    this.#text += sentence.text;
    this.#end = end;
    const { alignment } = sentence;
    const placed: TranslatedSentence = {
      ...sentence,
      source: [begin, end],
      target: [at, this.#text.length],
      sourceOffsets: sentence.sourceOffsets.map((span) => moved(span, begin)),
      ...(alignment && {
        alignment: {
          ...alignment,
          sourceWords: alignment.sourceWords.map((span) => moved(span, begin)),
          targetWords: alignment.targetWords.map((span) => moved(span, at)),
        },
      }),
    };
    this.#sentences.push(placed);
    return placed;
  }

  /** The whole, after the last sentence. */
  finish(): Translation {
    const sentences = this.#sentences;
    const text = this.#text + this.#source.slice(this.#end);
    const [only] = sentences;
    if (sentences.length === 1 && only) return { ...translationOf(only), text };
    return {
      text,
      tokens: sentences.flatMap(({ tokens }) => tokens),
      score: sentences.reduce((sum, { score }) => sum + score, 0),
      sourceTokens: sentences.flatMap(({ sourceTokens }) => sourceTokens),
      sourceOffsets: sentences.flatMap(({ sourceOffsets }) => sourceOffsets),
      unknownWords: [...new Set(sentences.flatMap(({ unknownWords }) => unknownWords))],
      sentences,
    };
  }
}

function moved<T extends Span | null>(span: T, by: number): T {
  return (span && [span[0] + by, span[1] + by]) as T;
}

/** The text between two sentences, with a space added or left out where the scripts of the translations differ. */
export function spaced(before: string, between: string, after: string): string {
  if (/[^ \t\u3000]/.test(between) || before === '' || after === '') return between;
  const last = before.at(-1) ?? '';
  const isTight = tight.test(last) && tight.test(after.charAt(0));
  if (isTight) return '';
  return between === '' && !/\s/.test(last) && !tight.test(last) ? ' ' : between;
}
