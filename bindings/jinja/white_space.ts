/** Python's white space, which differs from JavaScript's: it lacks U+FEFF, and has U+001C to U+001F and U+0085. */

const pythonsOwn = '\x1c\x1d\x1e\x1f\x85';

export const isSpace = (character: string): boolean =>
  character !== '\ufeff' && (/\s/.test(character) || pythonsOwn.includes(character));

/**
 * Removes characters from the ends, in time proportional to the text, where a regular expression would take its square.
 *
 * @param begin whether from the beginning
 * @param removes which characters; white space if omitted
 */
export function strip(
  text: string,
  { begin = true, end = true, removes = isSpace }: StripOptions = {},
): string {
  let from = 0;
  let to = text.length;
  if (begin) while (from < to && removes(text[from] ?? '')) from++;
  if (end) while (to > from && removes(text[to - 1] ?? '')) to--;
  return text.slice(from, to);
}

interface StripOptions {
  readonly begin?: boolean;
  readonly end?: boolean;
  readonly removes?: (character: string) => boolean;
}

export const stripEnd = (text: string): string => strip(text, { begin: false });

/** Python's `split()`: the words between white space. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let begin = -1;
  for (let i = 0; i <= text.length; i++) {
    const isGap = i === text.length || isSpace(text[i] ?? '');
    if (isGap && begin >= 0) words.push(text.slice(begin, i));
    if (isGap) begin = -1;
    else if (begin < 0) begin = i;
  }
  return words;
}
