/** Sets of characters, as the classes of a regular expression name them. */

import { refusePattern } from './pattern_error.js';

/** Whether a set holds a character, asked once for each. */
export class LetterClass {
  readonly #test: (letter: string) => boolean;
  readonly #pages: (Uint8Array | undefined)[] = [];

  constructor(test: (letter: string) => boolean) {
    this.#test = test;
  }

  has(code: number): boolean {
    const page = this.#pages[code >> 8] ?? new Uint8Array(256);
    this.#pages[code >> 8] = page;
    const known = page[code & 255] ?? 0;
    if (known > 0) return known === yes;
    const isIn = this.#test(String.fromCodePoint(code));
    page[code & 255] = isIn ? yes : no;
    return isIn;
  }
}

const no = 1;
const yes = 2;

/**
 * The sets of letters that have names besides Unicode's, as JavaScript's classes write them; found by trying all
 * characters. `\w` has some fractions outside of brackets, and not within them.
 */
const named: Readonly<Record<string, string>> = {
  alnum: '\\p{Alphabetic}\\p{Nd}',
  alpha: '\\p{Alphabetic}',
  any: '\\p{Any}',
  ascii: '\\p{ASCII}',
  blank: '\\p{Zs}\\t',
  cntrl: '\\p{Cc}',
  digit: '\\p{Nd}',
  lower: '\\p{Lowercase}',
  space: '\\p{White_Space}',
  bracketpunct: '\\p{P}\\p{S}',
  bracketword: '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}',
  upper: '\\p{Uppercase}',
  punct: '\\p{P}',
  word: '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u{b2}\\u{b3}\\u{b9}\\u{bc}-\\u{be}',
  xdigit: '\\da-fA-F',
};

const opposites: Readonly<Record<string, string>> = {
  graph: '\\p{White_Space}\\p{Cc}\\p{Cn}\\p{Cs}',
  print: '\\p{Cc}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}',
};

const sets = new Map<string, RegExp>();

/** The set of a property (`L`, `Han`), or of a POSIX bracket (`alpha`). @throws TransformerError `unsupported` */
export function lettersNamed(name: string): RegExp {
  const plain = name.toLowerCase().replace(/[\s_-]/g, '');
  const known = sets.get(name);
  if (known) return known;
  const sources = [
    ...(named[plain] ? [`[${named[plain]}]`] : []),
    ...(opposites[plain] ? [`[^${opposites[plain]}]`] : []),
    ...[name, `${name.charAt(0).toUpperCase()}${name.slice(1)}`].flatMap((one) => [
      `\\p{${one}}`,
      `\\p{Script=${one}}`,
    ]),
  ];
  for (const source of sources) {
    try {
      const made = new RegExp(`^${source}$`, 'u');
      sets.set(name, made);
      return made;
    } catch {
      // Unicode has no property of this form: the next one may be.
    }
  }
  return refusePattern(`names the unknown characters '${name.slice(0, 40)}'`);
}

/** Letters from one to another; `ignoresCase`: those that differ from one of these in case alone, too. */
export function lettersBetween(
  first: number,
  last: number,
  ignoresCase: boolean,
): (letter: string) => boolean {
  if (last < first) return refusePattern('has a range of letters in the wrong order');
  if (ignoresCase) {
    const range = new RegExp(`^[\\u{${first.toString(16)}}-\\u{${last.toString(16)}}]$`, 'iu');
    return (letter) => range.test(letter);
  }
  return (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return code >= first && code <= last;
  };
}
