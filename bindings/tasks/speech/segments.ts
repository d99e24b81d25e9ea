/** Cuts the tokens of a window into segments, at the timestamps that the model wrote. */

import type { SpeechSettings } from './settings.js';

/** Times in seconds, from the beginning of the window. */
export interface Piece {
  readonly ids: readonly number[];
  /** The place of the first of them among the window's ids. */
  readonly first: number;
  readonly start: number;
  readonly end: number;
}

export interface Cut {
  readonly pieces: readonly Piece[];
  /** Frames by which the next window begins later. */
  readonly advance: number;
}

/**
 * A segment ends where one timestamp follows another. What follows the last such pair is unfinished: the next window
 * begins there, unless this one is the `last`, or nothing but silence follows.
 *
 * @param ids generated ids, without the end token
 * @param frames frames of the window
 */
export function cutSegments(
  ids: readonly number[],
  { firstTimestamp, timeStep, framesPerStep }: SpeechSettings,
  { frames, isLast }: { frames: number; isLast: boolean },
): Cut {
  const isTime = (id: number | undefined) => id !== undefined && id >= firstTimestamp;
  const timeOf = (id: number | undefined) => ((id ?? firstTimestamp) - firstTimestamp) * timeStep;
  const breaks = ids.flatMap((id, i) => (i > 0 && isTime(id) && isTime(ids[i - 1]) ? [i] : []));
  const endsInOne = isTime(ids.at(-1)) && !isTime(ids.at(-2)) && ids.length >= 2;
  if (breaks.length === 0) {
    const last = ids.filter((id) => isTime(id) && id !== firstTimestamp).at(-1);
    const end = last === undefined ? (frames / framesPerStep) * timeStep : timeOf(last);
    return { pieces: [{ ids, first: 0, start: 0, end }], advance: frames };
  }
  const isWhole = endsInOne || (isLast && (breaks.at(-1) ?? 0) < ids.length - 1);
  const ends = isWhole ? [...breaks, ids.length] : breaks;
  const soundEnd = (frames / framesPerStep) * timeStep;
  let [first, previousEnd] = [0, 0];
  const pieces = ends.map((end) => {
    const piece = ids.slice(first, end);
    const times = piece.filter(isTime);
    const isOpen = end === ids.length && !isTime(piece.at(-1));
    // A model may begin a segment after the end of the sound, where an open one ends.
    const endTime = isOpen ? Math.max(soundEnd, previousEnd) : timeOf(piece.at(-1));
    const made: Piece = { ids: piece, first, start: Math.min(timeOf(times[0]), endTime), end: endTime };
    [first, previousEnd] = [end, endTime];
    return made;
  });
  if (isWhole) return { pieces, advance: frames };
  const lastTime = ids[(breaks.at(-1) ?? 1) - 1] ?? firstTimestamp;
  return { pieces, advance: (lastTime - firstTimestamp) * framesPerStep };
}
