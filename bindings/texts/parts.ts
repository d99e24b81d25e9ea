/** Breaks a sentence that is too long for the model: where a clause ends if it can be, or else between words. */

import type { Span } from '../tokenizers/aligned_text.js';

/** Where a clause ends: after its mark, and the white space that follows it in scripts that have spaces. */
const clauseEnds = /[,;:–—)\]»”]\s+|\s(?=[–—(«“])|[，、；：）」』]/gu;

/** A boundary that lies this far from the middle, as a share of the length, is worth less than one between words. */
const clausesWithin = 0.3;

/** Scripts that do not put spaces between words. */
const withoutSpaces = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/**
 * Halves a range of a text near its middle, never inside of a word; `null` if it is a single word. White space at the
 * boundary is part of neither half.
 *
 * @param range begins and ends without white space
 */
export function halves(text: string, [begin, end]: Span): [Span, Span] | null {
  const part = text.slice(begin, end);
  const clauses = [...part.matchAll(clauseEnds)].map(({ index, 0: mark }) => index + mark.length);
  const clause = nearestToMiddle(part, clauses);
  const isNear = clause !== null && Math.abs(clause / part.length - 0.5) <= clausesWithin;
  const boundary = isNear ? clause : (nearestToMiddle(part, wordEnds(part)) ?? clause);
  if (boundary === null) return null;
  const [left, right] = [part.slice(0, boundary), part.slice(boundary)];
  return [
    [begin, begin + left.trimEnd().length],
    [end - right.trimStart().length, end],
  ];
}

/** Where words end. Only scripts without spaces need to know what a word is. */
function wordEnds(part: string): number[] {
  const spaces = [...part.matchAll(/\s+/gu)].map(({ index, 0: space }) => index + space.length);
  if (spaces.length > 0 || !withoutSpaces.test(part)) return spaces;
  const words = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(part);
  // Not within an address or a number between such words.
  return Array.from(words, ({ index }) => index).filter(
    (index) => withoutSpaces.test(part.charAt(index)) || withoutSpaces.test(part.charAt(index - 1)),
  );
}

/** Of the boundaries that leave something on both sides. */
function nearestToMiddle({ length }: string, boundaries: readonly number[]): number | null {
  const distance = (boundary: number) => Math.abs(boundary - length / 2);
  let nearest: number | null = null;
  for (const boundary of boundaries)
    if (boundary > 0 && boundary < length && (nearest === null || distance(boundary) < distance(nearest)))
      nearest = boundary;
  return nearest;
}
