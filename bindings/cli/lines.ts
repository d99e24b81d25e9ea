/** Standard input as lines, a few at a time: as many as have arrived, so that nobody waits for more input. */

import { isUtf8 } from 'node:buffer';

/** The longest line, in bytes: one without an end must not fill the memory. */
const longestLine = 1 << 24;

/** A line with its number, from 1 on. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Whether its end was left out because it is too long. */
  readonly isCut: boolean;
  /** Whether its bytes are UTF-8; in the text of others, some are replaced. */
  readonly isText: boolean;
}

/** Input that has arrived: whole lines, and the number of bytes so far. */
interface Arrived {
  readonly lines: readonly Line[];
  readonly bytes: number;
}

/**
 * The lines of each piece of input that arrives; a carriage return at the end is not part of a line.
 *
 * @param first the number of the first line, which in a part of a corpus is its place in the whole
 */
export async function* linesOf(input: AsyncIterable<Buffer>, first = 1): AsyncGenerator<Arrived, void, void> {
  const open = new OpenLine(first);
  let bytes = 0;
  for await (const piece of input) {
    bytes += piece.length;
    const lines: Line[] = [];
    let begin = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, begin)) {
      open.add(piece.subarray(begin, end));
      lines.push(open.end());
      begin = end + 1;
    }
    open.add(piece.subarray(begin));
    if (lines.length > 0) yield { lines, bytes };
  }
  if (!open.isEmpty) yield { lines: [open.end()], bytes };
}

const newline = 10;

/** Of UTF-8: some programs begin a file with it. */
const mark = Buffer.from('\ufeff');

/** The line that is being read. */
class OpenLine {
  #number: number;
  #pieces: Buffer[] = [];
  #size = 0;
  #isFirst = true;

  constructor(number: number) {
    this.#number = number;
  }

  get isEmpty(): boolean {
    return this.#size === 0 || (this.#isFirst && mark.equals(Buffer.concat(this.#pieces)));
  }

  add(piece: Buffer): void {
    const room = longestLine - this.#size;
    if (room > 0) this.#pieces.push(piece.subarray(0, room));
    this.#size += piece.length;
  }

  end(): Line {
    const bytes = Buffer.concat(this.#pieces);
    const text = bytes.toString().replace(/\r$/, '');
    const line: Line = {
      number: this.#number++,
      text: this.#isFirst ? text.replace(/^\ufeff/, '') : text,
      isCut: this.#size > longestLine,
      isText: isUtf8(bytes),
    };
    this.#isFirst = false;
    this.#pieces = [];
    this.#size = 0;
    return line;
  }
}
