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
  /** Its last letter, which nobody could ask a growing text for without copying the whole. */
  #last = '';
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
    const gap = this.#sentences.length === 0 ? between : spaced(this.#last, between, sentence.text);
    const at = this.#text.length + gap.length;
    const added = gap + sentence.text;
    this.#text += added;
    this.#last = added.at(-1) ?? this.#last;
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
  let last = '';
  let end = 0;
  for (const [i, { span, text: part }] of parts.entries()) {
    const between = source.slice(end, span[0]);
    const added = (i === 0 ? between : spaced(last, between, part)) + part;
    text += added;
    last = added.at(-1) ?? last;
    end = span[1];
  }
  return text + source.slice(end);
}

/**
 * The text between two sentences, with a space added or left out where the scripts of the translations differ.
 *
 * @param last letter of what stands before; empty for nothing
 */
export function spaced(last: string, between: string, after: string): string {
  if (/[^ \t\u3000]/.test(between) || last === '' || after === '') return between;
  const isTight = tight.test(last) && tight.test(after.charAt(0));
  if (isTight) return '';
  return between === '' && !/\s/.test(last) && !tight.test(last) ? ' ' : between;
}
