/** Moves the ranges of a sentence: from what the model read to the text, and from what it wrote to the translation. */

import type { Span } from '../tokenizers/aligned_text.js';
import type { TranslatedSentence } from './results.js';

type Move = (span: Span) => Span;

/** @param text of the translation, where that changes with its ranges */
export function withRanges(
  sentence: TranslatedSentence,
  {
    source,
    target,
    text = sentence.text,
  }: { readonly source: Move; readonly target: Move; readonly text?: string },
): TranslatedSentence {
  const { alignment, changed } = sentence;
  return {
    ...sentence,
    text,
    sourceOffsets: sentence.sourceOffsets.map((span) => {
      const own = span && source(span);
      // What stands before the text has no range in it.
      return own && (own[0] < own[1] || span[0] === span[1]) ? own : null;
    }),
    ...(sentence.sourceSpans && { sourceSpans: sentence.sourceSpans.map(source) }),
    ...(sentence.targetSpans && { targetSpans: sentence.targetSpans.map(target) }),
    ...(alignment && {
      alignment: {
        ...alignment,
        sourceWords: alignment.sourceWords.map(source),
        targetWords: alignment.targetWords.map(target),
      },
    }),
    ...(changed && {
      changed: changed.map((one) => ({ ...one, source: source(one.source), target: target(one.target) })),
    }),
  };
}

/** A range that begins so much later. */
export const later =
  (by: number): Move =>
  ([begin, end]) => [begin + by, end + by];

export const unmoved: Move = (span) => span;
