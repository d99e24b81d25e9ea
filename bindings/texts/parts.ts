/** Breaks a sentence that is too long for the model: where a clause ends if it can be, or else between words. */

import type { Span } from '../tokenizers/aligned_text.js';
import { isSpaceless } from './scripts.js';

/** Where a clause ends: after its mark, and the white space that follows it in scripts that have spaces. */
const clauseEnds = /[,;:–—)\]»”]\s+|\s(?=[–—(«“])|[，、；：）」』]/gu;

/** A boundary that lies this far from the middle, as a share of the length, is worth less than one between words. */
const clausesWithin = 0.3;

/**
 * Halves a range of a text near its middle, never inside of a word; `null` if it is a single word. White space at the
 * boundary is part of neither half.
 *
 * @param range begins and ends without white space
 */
export function halves(text: string, [begin, end]: Span): [Span, Span] | null {
  // Only around the middle, and farther only where nothing is there: each half of a long text is halved again.
  for (let reach = 1000; ; reach *= 2) {
    const middle = (begin + end) >> 1;
    const [from, to] = [Math.max(begin, middle - reach), Math.min(end, middle + reach)];
    const boundary = boundaryIn(text.slice(from, to));
    if (boundary !== null) {
      const at = from + boundary;
      return [
        [begin, begin + text.slice(begin, at).trimEnd().length],
        [end - text.slice(at, end).trimStart().length, end],
      ];
    }
    if (from === begin && to === end) return null;
  }
}

/** Where a text is best broken. */
function boundaryIn(part: string): number | null {
  const clauses = [...part.matchAll(clauseEnds)].map(({ index, 0: mark }) => index + mark.length);
  const clause = nearestToMiddle(part, clauses);
  const isNear = clause !== null && Math.abs(clause / part.length - 0.5) <= clausesWithin;
  return isNear ? clause : (nearestToMiddle(part, wordEnds(part)) ?? clause);
}

/** Where words end. Only scripts without spaces need to know what a word is. */
function wordEnds(part: string): number[] {
  const spaces = [...part.matchAll(/\s+/gu)].map(({ index, 0: space }) => index + space.length);
  if (spaces.length > 0 || !isSpaceless(part)) return spaces;
  const words = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(part);
  // Not within an address or a number between such words.
  return Array.from(words, ({ index }) => index).filter(
    (index) => isSpaceless(part.charAt(index)) || isSpaceless(part.charAt(index - 1)),
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
