/** Puts translated sentences together to a text: what stood between their sources stands between them. */

import type { Span } from '../tokenizers/aligned_text.js';
import { summed, type TranslatedSentence, type Translation, translationOf } from './results.js';
import { later, withRanges } from './sentence_ranges.js';

/** Letters and marks of scripts that put no space between sentences. */
const tight = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uffef]/u;

/** A text that grows part by part, with what stood between their sources between them. */
class GrowingText {
  readonly #source: string;
  #text = '';
  /** Its last letter, which nobody could ask a growing text for without copying the whole. */
  #last = '';
  /** How much of the source is done; -1 before the first part. */
  #end = -1;

  constructor(source: string) {
    this.#source = source;
  }

  /** @returns where the part stands in the text */
  add(part: string, [begin, end]: Span): Span {
    const isFirst = this.#end < 0;
    const between = this.#source.slice(Math.max(0, this.#end), begin);
    const gap = isFirst ? between : spaced(this.#last, between, part);
    const at = this.#text.length + gap.length;
    const added = gap + part;
    this.#text += added;
    this.#last = added.at(-1) ?? this.#last;
    this.#end = end;
    return [at, this.#text.length];
  }

  /** The whole, after the last part. */
  finish(): string {
    return this.#text + this.#source.slice(Math.max(0, this.#end));
  }
}

/** One text, whose sentences are added in order. */
export class Joining {
  readonly #sentences: TranslatedSentence[] = [];
  readonly #text: GrowingText;

  constructor(source: string) {
    this.#text = new GrowingText(source);
  }

  /**
   * @param sentence whose ranges and offsets are those of its source alone
   * @param source where its source stands in the text
   * @returns it with the ranges of the whole text
   */
  add(sentence: TranslatedSentence, source: Span): TranslatedSentence {
    const target = this.#text.add(sentence.text, source);
    const placed: TranslatedSentence = {
      ...withRanges(sentence, { source: later(source[0]), target: later(target[0]) }),
      source: [...source],
      target: [...target],
    };
    this.#sentences.push(placed);
    return placed;
  }

  /** The whole, after the last sentence. */
  finish(): Translation {
    const sentences = this.#sentences;
    const text = this.#text.finish();
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
  const whole = new GrowingText(source);
  for (const { span, text } of parts) whole.add(text, span);
  return whole.finish();
}

/**
 * The text between two sentences, with a space added or left out where the scripts of the translations differ.
 *
 * @param last letter of what stands before; empty for nothing
 */
function spaced(last: string, between: string, after: string): string {
  if (/[^ \t\u3000]/.test(between) || last === '' || after === '') return between;
  const isTight = tight.test(last) && tight.test(after.charAt(0));
  if (isTight) return '';
  return between === '' && !/\s/.test(last) && !tight.test(last) ? ' ' : between;
}
