/**
 * White space around points: pictures, code and the like stand off from words in a translation as they did in the
 * source.
 */

import type { Item, Segment } from './segment.js';
import { isSpaceless } from './segment_writer.js';

/** A range between two words of the translation. */
interface Gap {
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

/** The white space before each of the items that are put into a gap, and after the last. */
export function spacesAround(segment: Segment<unknown>, items: readonly Item<unknown>[], gap: Gap): string[] {
  const space = gap.text.slice(gap.begin, gap.end);
  if (items.length === 0) return [space];
  const offset = offsetInSource(segment, items, gap);
  if (offset !== undefined)
    return splitAt(
      space,
      items.map(({ begin }) => begin - offset),
    );
  const wanted = wantedSpaces(segment.text, items);
  if (!wanted.includes(true)) return [space, ...items.map(() => '')];
  const before = gap.text[gap.begin - 1] ?? '';
  const usual = space === '' && (before === '' || isSpaceless(before)) ? '' : ' ';
  const [first, last] = [wanted.indexOf(true), wanted.lastIndexOf(true)];
  // Spaces that the source had on both sides came through as one gap.
  const others = wanted.filter(Boolean).length - 1;
  const rest = first < last && space.length > 1 ? space.slice(0, Math.max(1, space.length - others)) : space;
  return wanted.map((isWanted, i) => (isWanted ? (i === first && rest) || usual : ''));
}

/**
 * Where the white space at the beginning or the end of the text is that of the source, its place there, if all items
 * are in it: then they stay where they are.
 */
function offsetInSource(
  { text }: Segment<unknown>,
  items: readonly Item<unknown>[],
  gap: Gap,
): number | undefined {
  const space = gap.text.slice(gap.begin, gap.end);
  const first = items[0]?.begin ?? 0;
  const last = items.at(-1)?.end ?? 0;
  const indent = text.length - text.trimStart().length;
  if (gap.begin === 0 && last <= indent && space === text.slice(0, indent)) return 0;
  const end = text.trimEnd().length;
  if (gap.end === gap.text.length && first >= end && space === text.slice(end)) return end;
  return undefined;
}

function splitAt(text: string, places: readonly number[]): string[] {
  return [...places, text.length].map((place, i) => text.slice(i === 0 ? 0 : places[i - 1], place));
}

/** Where the source has white space: before each item, and after the last. An element without its words has none. */
function wantedSpaces(text: string, items: readonly Item<unknown>[]): boolean[] {
  const isSpace = (begin: number, end: number) => /\s/.test(text.slice(Math.max(begin, 0), end));
  const first = items.find(({ isPoint }) => isPoint);
  const last = items.filter(({ isPoint }) => isPoint).at(-1);
  const before = items.map((item, i) => {
    if (!item.isPoint) return false;
    return item === first ? isSpace(item.begin - 1, item.begin) : isSpace(items[i - 1]?.end ?? 0, item.begin);
  });
  return [...before, last !== undefined && isSpace(last.end, last.end + 1)];
}
