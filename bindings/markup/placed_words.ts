/** The words of a translation, each with the part of the source that it stands for. */

import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import type { Item, Segment } from './segment.js';

/** The fields of a `Translation` that are needed. */
export interface AlignedText {
  readonly text: string;
  readonly sentences: readonly AlignedSentence[];
}

export interface AlignedSentence {
  readonly source: Readonly<Span>;
  readonly target: Readonly<Span>;
  readonly alignment?: {
    readonly sourceWords: readonly Readonly<Span>[];
    readonly targetWords: readonly Readonly<Span>[];
    /** [targetWords, sourceWords] */
    readonly weights: { readonly data: ArrayLike<number> };
    readonly links: readonly (number | null)[];
  };
}

/** A range of the translation, and the place of the segment's item that it stands for. */
export interface PlacedWord {
  readonly begin: number;
  readonly end: number;
  readonly item: number;
}

const isWritten =
  ({ text }: { text: string }) =>
  (item: Item<unknown>) =>
    !item.isPoint && text.slice(item.begin, item.end).trim() !== '';

/** Whether tags may come to stand elsewhere than before or after the whole text. */
export const needsAlignment = (segment: Segment<unknown>): boolean =>
  segment.items.filter(isWritten(segment)).length > 1;

/** @throws TransformerError `unsupported` without an alignment. */
export function wordsOf(segment: Segment<unknown>, { text, sentences }: AlignedText): PlacedWord[] {
  if (!needsAlignment(segment)) {
    const item = segment.items.findIndex(isWritten(segment));
    const begin = text.length - text.trimStart().length;
    return text.trim() === '' || item < 0 ? [] : [{ begin, end: text.trimEnd().length, item }];
  }
  const parts: PlacedWord[][] = [];
  let [source, target] = [0, 0];
  for (const sentence of sentences) {
    parts.push(keptWords(segment, [source, sentence.source[0]], target, text));
    parts.push(sentenceWords(segment, sentence, text));
    [source, target] = [sentence.source[1], sentence.target[1]];
  }
  parts.push(keptWords(segment, [source, segment.text.length], target, text));
  return parts.flat();
}

function sentenceWords(segment: Segment<unknown>, sentence: AlignedSentence, text: string): PlacedWord[] {
  const { source, target, alignment } = sentence;
  if (segment.text.slice(...source) === text.slice(...target))
    return keptWords(segment, source, target[0], text);
  if (!alignment || (alignment.targetWords.length > 0 && alignment.links.every((link) => link === null)))
    return fail(
      'unsupported',
      'the translation is not aligned with its source, so that the tags of the markup cannot be put back',
    );
  let item = itemAt(segment.items, source[0], source[0] + 1);
  return alignment.targetWords.map(([begin, end], i) => {
    const word = alignment.sourceWords[alignment.links[i] ?? -1];
    if (word) item = itemAt(segment.items, ...word);
    return { begin, end, item };
  });
}

/** Untranslated text stands for itself: list marks between sentences, and copied sentences. */
function keptWords(
  { items, text: own }: Segment<unknown>,
  [from, to]: Readonly<Span>,
  target: number,
  text: string,
): PlacedWord[] {
  if (own.slice(from, to).trim() === '') return [];
  const words: PlacedWord[] = [];
  for (let i = itemAt(items, from, from + 1); i < items.length && (items[i]?.begin ?? to) < to; i++) {
    const item = items[i];
    if (!item || item.isPoint) continue;
    const begin = Math.max(item.begin, from) - from + target;
    const piece = text.slice(begin, Math.min(item.end, to) - from + target);
    const indent = piece.length - piece.trimStart().length;
    if (piece.trim() !== '')
      words.push({ begin: begin + indent, end: begin + piece.trimEnd().length, item: i });
  }
  return words;
}

/** The last text that `[begin, end)` of the segment overlaps. */
function itemAt(items: readonly Item<unknown>[], begin: number, end: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.begin ?? 0) < end) low = middle + 1;
    else high = middle;
  }
  let last = low - 1;
  const overlaps = (item: Item<unknown> | undefined) => item && !item.isPoint && item.end > item.begin;
  while (last > 0 && !overlaps(items[last])) last--;
  if (overlaps(items[last]) && (items[last]?.end ?? 0) > begin) return last;
  const after = items.findIndex((item) => overlaps(item) && item.end > begin);
  return after < 0 ? Math.max(last, 0) : after;
}
