/** Standard input as lines, a few at a time: as many as have arrived, so that nobody waits for more input. */

import { StringDecoder } from 'node:string_decoder';

/** The longest line, in UTF-16 units: one without an end must not fill the memory. */
const longestLine = 1 << 24;

/** A line with its number, from 1 on. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Whether its end was left out because it is too long. */
  readonly isCut: boolean;
}

/** Input that has arrived: whole lines, and the number of bytes so far. */
export interface Arrived {
  readonly lines: readonly Line[];
  readonly bytes: number;
}

/**
 * The lines of each piece of input that arrives; a carriage return at the end is not part of a line.
 *
 * @param first the number of the first line, which in a part of a corpus is its place in the whole
 */
export async function* linesOf(input: AsyncIterable<Buffer>, first = 1): AsyncGenerator<Arrived, void, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isCut = false;
  let number = first;
  let bytes = 0;
  let isBegun = false;
  const lineOf = (text: string): Line => {
    const line = { number: number++, text: text.replace(/\r$/, ''), isCut };
    isCut = false;
    return line;
  };
  for await (const piece of input) {
    bytes += piece.length;
    const text = decoder.write(piece);
    // Some programs begin a file with the mark of an encoding.
    const parts = (rest + (isBegun ? text : text.replace(/^\ufeff/, ''))).split('\n');
    isBegun ||= text !== '';
    rest = parts.pop() ?? '';
    if (rest.length > longestLine) {
      isCut = true;
      rest = rest.slice(0, longestLine);
    }
    if (parts.length > 0) yield { lines: parts.map((part) => lineOf(part)), bytes };
  }
  rest += decoder.end();
  if (rest !== '') yield { lines: [lineOf(rest)], bytes };
}
