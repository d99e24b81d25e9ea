/** Sets of code points as sorted ranges, and the UTF-8 bytes of their characters. */

/** `[first, last]`, in order, with gaps in between. */
export type CodePoints = readonly (readonly [number, number])[];

export const lastCodePoint = 0x10ffff;

/** All that UTF-8 can write: halves of surrogate pairs are no characters. */
export const everyCharacter: CodePoints = [
  [0, 0xd7ff],
  [0xe000, lastCodePoint],
];

export const single = (code: number): CodePoints => [[code, code]];

/** The set of ranges in any order. */
export function union(...sets: CodePoints[]): CodePoints {
  const sorted = sets.flat().sort(([a], [b]) => a - b);
  const made: [number, number][] = [];
  for (const [first, last] of sorted) {
    const open = made.at(-1);
    if (open && first <= open[1] + 1) open[1] = Math.max(open[1], last);
    else made.push([first, last]);
  }
  return made;
}

/** The characters that are not in a set. */
export function complement(set: CodePoints): CodePoints {
  const made: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) made.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= lastCodePoint) made.push([next, lastCodePoint]);
  return intersection(made, everyCharacter);
}

export function intersection(one: CodePoints, other: CodePoints): CodePoints {
  const made: [number, number][] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const [a, b] = [one[i] ?? [0, -1], other[j] ?? [0, -1]];
    const [first, last] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
    if (first <= last) made.push([first, last]);
    if (a[1] < b[1]) i++;
    else j++;
  }
  return made;
}

export const without = (set: CodePoints, other: CodePoints): CodePoints =>
  intersection(set, complement(other));

export const contains = (set: CodePoints, code: number): boolean =>
  set.some(([first, last]) => first <= code && code <= last);

const found = new Map<string, CodePoints>();

/** The code points that a test is true of; remembered by its name, since it is asked for all of them. */
export function codePointsThat(name: string, test: (letter: string) => boolean): CodePoints {
  const known = found.get(name);
  if (known) return known;
  const made: [number, number][] = [];
  for (const [begin, end] of everyCharacter) {
    for (let code = begin; code <= end; code++) {
      if (!test(String.fromCodePoint(code))) continue;
      const open = made.at(-1);
      if (open && open[1] === code - 1) open[1] = code;
      else made.push([code, code]);
    }
  }
  found.set(name, made);
  return made;
}

/** A range of bytes at each place of a character's encoding. */
export type ByteRanges = readonly (readonly [number, number])[];

const lengthLimits = [0x7f, 0x7ff, 0xffff, lastCodePoint];

/** The encodings of a set, as sequences of ranges of bytes. */
export function utf8Ranges(set: CodePoints): ByteRanges[] {
  const made: ByteRanges[] = [];
  for (const [first, last] of intersection(set, everyCharacter)) {
    let begin = first;
    for (const [i, limit] of lengthLimits.entries()) {
      if (begin > limit) continue;
      const end = Math.min(last, limit);
      if (begin <= end) made.push(...ofLength(i, begin, end));
      begin = limit + 1;
      if (begin > last) break;
    }
  }
  return made;
}

/** Of characters with so many bytes after the first, split where the later bytes are not all that there are. */
function ofLength(rest: number, first: number, last: number): ByteRanges[] {
  for (let places = 1; places <= rest; places++) {
    const span = 64 ** places;
    const [low, high] = [Math.floor(first / span), Math.floor(last / span)];
    if (low === high) continue;
    if (first % span !== 0)
      return [
        ...ofLength(rest, first, (low + 1) * span - 1),
        ...((low + 1) * span <= last ? ofLength(rest, (low + 1) * span, last) : []),
      ];
    if (last % span !== span - 1)
      return [...ofLength(rest, first, high * span - 1), ...ofLength(rest, high * span, last)];
  }
  const [low, high] = [bytesOf(first), bytesOf(last)];
  return [low.map((byte, i) => [byte, high[i] ?? byte] as const)];
}

const bytesOf = (code: number): number[] => Array.from(new TextEncoder().encode(String.fromCodePoint(code)));
