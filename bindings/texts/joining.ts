/** Puts translated sentences together to a text: what stood between their sources stands between them. */

import type { Span } from '../tokenizers/aligned_text.js';
import { summed, type TranslatedSentence, type Translation, translationOf } from './results.js';
import { later, withRanges } from './sentence_ranges.js';

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
    const placed: TranslatedSentence = {
      ...withRanges(sentence, { source: later(begin), target: later(at) }),
      source: [begin, end],
      target: [at, this.#text.length],
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
    return { ...summed(sentences), text, sentences };
  }
}

/** The text with each range replaced by its translation. */
export function join(
  source: string,
  parts: readonly { readonly span: Span; readonly text: string }[],
): string {
  let text = '';
  let end = 0;
  for (const [i, { span, text: part }] of parts.entries()) {
    const between = source.slice(end, span[0]);
    text += (i === 0 ? between : spaced(text, between, part)) + part;
    end = span[1];
  }
  return text + source.slice(end);
}

/** The text between two sentences, with a space added or left out where the scripts of the translations differ. */
export function spaced(before: string, between: string, after: string): string {
  if (/[^ \t\u3000]/.test(between) || before === '' || after === '') return between;
  const last = before.at(-1) ?? '';
  const isTight = tight.test(last) && tight.test(after.charAt(0));
  if (isTight) return '';
  return between === '' && !/\s/.test(last) && !tight.test(last) ? ' ' : between;
}
