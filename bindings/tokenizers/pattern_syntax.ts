/** Reads the regular expressions of the tokenizer library, which are JavaScript's with the flag `u`. */

import { fail } from '../values/errors.js';

/** A part of a regular expression. */
export type Part =
  /** One code point, which the expression `source` accepts. */
  | { kind: 'letter'; source: string }
  | { kind: 'sequence'; parts: Part[] }
  | { kind: 'choice'; parts: Part[] }
  | { kind: 'repeat'; part: Part; min: number; max: number; isLazy: boolean }
  | { kind: 'look'; part: Part; isBehind: boolean; isNegative: boolean }
  /** A place: `^`, `$`, `\b` or `\B`. */
  | { kind: 'place'; source: string };

/** @throws TransformerError `unsupported` */
export const refusePattern = (why: string): never =>
  fail('unsupported', `tokenizer.json: a regular expression ${why}`);

/** Groups within groups; published patterns have three. */
const deepest = 50;

const letter =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[^k1-9])|\[(?:\\.|[^\]\\])*\]|[^\\[\](){}*+?|^$]/suy;
const place = /\\[bB]|[\^$]/y;
const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\??)/y;
const group = /\((?:\?(?:([:=!])|<([=!])|<[^>=!][^>]*>))?/y;

/**
 * @param source of a valid RegExp with the flag `u`
 * @throws TransformerError `unsupported` if it has back references or flags of its own
 */
export function parsePattern(source: string): Part {
  return new PatternParser(source).parse();
}

class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Part {
    const part = this.#choice();
    if (this.#at < this.#source.length) this.#refuse();
    return part;
  }

  #choice(): Part {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'choice', parts };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? ''))
      parts.push(this.#repeated(this.#single()));
    return { kind: 'sequence', parts };
  }

  #single(): Part {
    const [anchor] = this.#take(place) ?? [];
    if (anchor !== undefined) return { kind: 'place', source: anchor };
    const [one] = this.#take(letter) ?? [];
    if (one !== undefined) return { kind: 'letter', source: one };
    const opened = this.#take(group);
    if (!opened || this.#depth === deepest) return this.#refuse();
    this.#depth++;
    const part = this.#choice();
    this.#depth--;
    if (this.#source[this.#at++] !== ')') this.#refuse();
    const [, ahead, behind] = opened;
    const sign = ahead ?? behind ?? ':';
    if (sign === ':') return part;
    return { kind: 'look', part, isBehind: behind !== undefined, isNegative: sign === '!' };
  }

  #repeated(part: Part): Part {
    const found = this.#take(quantifier);
    if (!found) return part;
    const [, sign, least = '', comma, most = '', lazy] = found;
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
    const written = comma === undefined ? min : most === '' ? Infinity : Number(most);
    const max = sign === undefined ? written : sign === '?' ? 1 : Infinity;
    return { kind: 'repeat', part, min, max, isLazy: lazy === '?' };
  }

  #take(expected: RegExp): RegExpExecArray | null {
    expected.lastIndex = this.#at;
    const found = expected.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }

  #refuse(): never {
    const rest = this.#source.slice(this.#at, this.#at + 12);
    if (/^\\[k1-9]/.test(rest)) return refusePattern('has a back reference, which may take exponential time');
    return refusePattern(`contains '${rest}', which is not supported`);
  }
}
