/** Reads regular expressions in JavaScript's syntax (with the flag u), as JSON Schema has them too. */

import { fail, messageOf } from '../values/errors.js';
import { type CodePoints, codePointsThat, complement, everyCharacter, single, union } from './code_points.js';
import { choice, empty, type Form, ofSet, refuse, repeat, sequence } from './form.js';

const lineEnds: CodePoints = union(single(0x0a), single(0x0d), [[0x2028, 0x2029]]);
const digits: CodePoints = [[0x30, 0x39]];
const wordLetters: CodePoints = union(digits, [[0x41, 0x5a]], single(0x5f), [[0x61, 0x7a]]);
const spaces = () => codePointsThat('\\s', (letter) => /\s/u.test(letter));
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };
/** Repetitions of one part, in one quantifier. */
const mostTimes = 100_000;

/**
 * @param isWhole whether it describes the whole text; else it may stand anywhere within
 * @throws TransformerError `invalid_argument` for what is no expression, `unsupported` for what is not regular
 */
export function formOfRegex(source: string, isWhole: boolean): Form {
  try {
    new RegExp(source, 'u');
  } catch (error) {
    fail('invalid_argument', `constrain: the pattern ${source} is not valid: ${messageOf(error)}`);
  }
  return new RegexReader(source, isWhole).read();
}

const anything: Form = repeat(ofSet(everyCharacter), 0, Number.POSITIVE_INFINITY);

class RegexReader {
  #at = 0;

  constructor(
    private readonly source: string,
    private readonly isWhole: boolean,
  ) {}

  read(): Form {
    return this.#choice(true);
  }

  /** @param isOutermost where anchors may stand */
  #choice(isOutermost: boolean): Form {
    const parts = [this.#sequence(isOutermost)];
    while (this.source[this.#at] === '|') {
      this.#at++;
      parts.push(this.#sequence(isOutermost));
    }
    const [first] = parts;
    return parts.length === 1 && first ? first : choice(...parts);
  }

  #sequence(isOutermost: boolean): Form {
    const parts: Form[] = [];
    let begins = false;
    let ends = false;
    for (let next = this.source[this.#at]; next !== undefined && next !== '|' && next !== ')'; ) {
      if (ends || (next === '^' && (!isOutermost || parts.length > 0))) this.#refuseAnchor();
      if (next === '^') begins = true;
      else if (next === '$') ends = isOutermost || this.#refuseAnchor();
      else parts.push(this.#repeated(this.#single()));
      if (next === '^' || next === '$') this.#at++;
      next = this.source[this.#at];
    }
    if (!isOutermost || this.isWhole) return sequence(...parts);
    return sequence(begins ? empty : anything, ...parts, ends ? empty : anything);
  }

  #refuseAnchor(): never {
    return refuse(`the pattern ${this.source} has an anchor within, which is not supported`);
  }

  #repeated(part: Form): Form {
    const found = this.#take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y);
    if (!found) return part;
    const [whole, least, comma, most] = found;
    const sign = whole[0];
    const min = sign === '{' ? Number(least) : sign === '+' ? 1 : 0;
    const max =
      sign === '{' && !comma ? min : sign === '?' ? 1 : most ? Number(most) : Number.POSITIVE_INFINITY;
    const times = max === Number.POSITIVE_INFINITY ? min : max;
    if (times > mostTimes) refuse(`the pattern ${this.source} repeats a part more than ${mostTimes} times`);
    return repeat(part, min, max);
  }

  #single(): Form {
    if (this.source[this.#at] !== '(') return ofSet(this.#set());
    this.#take(/\((?:\?(?::|<[^=!][^>]*>))?/y);
    if (this.source[this.#at] === '?')
      refuse(`the pattern ${this.source} looks ahead or behind, or changes flags, which is not supported`);
    const part = this.#choice(false);
    this.#at++;
    return part;
  }

  /** A character, or one of a class. */
  #set(): CodePoints {
    const next = this.source[this.#at] ?? '';
    if (next === '.') {
      this.#at++;
      return complement(lineEnds);
    }
    if (next !== '[') return this.#named() ?? single(this.#code(false));
    const isNegative = this.#take(/\[(\^?)/y)?.[1] === '^';
    const sets: CodePoints[] = [];
    while (this.source[this.#at] !== ']') {
      const named = this.#named();
      if (named) {
        sets.push(named);
        continue;
      }
      const first = this.#code(true);
      const isRange = this.source[this.#at] === '-' && this.source[this.#at + 1] !== ']';
      if (isRange) this.#at++;
      sets.push([[first, isRange ? this.#code(true) : first]]);
    }
    this.#at++;
    return isNegative ? complement(union(...sets)) : union(...sets);
  }

  /** `\d`, `\p{L}`, ... */
  #named(): CodePoints | null {
    const found = this.#take(/\\(?:([dDsSwW])|([pP])\{([^}]*)\})/y);
    if (!found) return null;
    const [whole, short, sign, property = ''] = found;
    if (sign) {
      const test = new RegExp(`\\p{${property}}`, 'u');
      const set = codePointsThat(property, (letter) => test.test(letter));
      return sign === 'P' ? complement(set) : set;
    }
    const kind = whole.toLowerCase().at(-1);
    const set = kind === 'd' ? digits : kind === 'w' ? wordLetters : spaces();
    return short !== kind ? complement(set) : set;
  }

  #code(isInClass: boolean): number {
    const escaped = this.#take(
      /\\(?:x([\da-fA-F]{2})|u\{([\da-fA-F]+)\}|u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u([\da-fA-F]{4})|c([A-Za-z])|([\s\S]))/iy,
    );
    if (!escaped) {
      const code = this.source.codePointAt(this.#at) ?? 0;
      this.#at += code > 0xffff ? 2 : 1;
      return code;
    }
    const [, two, braced, high, low, four, control, letter = ''] = escaped;
    const hex = two ?? braced ?? four;
    if (hex) return Number.parseInt(hex, 16);
    if (high && low) return Number.parseInt(high, 16) * 1024 + Number.parseInt(low, 16) - 0x35fdc00;
    if (control) return (control.codePointAt(0) ?? 0) % 32;
    if (letter === 'b' && isInClass) return 8;
    if (/[bBk1-9]/.test(letter)) refuse(`the pattern ${this.source} has \\${letter}, which is not supported`);
    return controls[letter] ?? letter.codePointAt(0) ?? 0;
  }

  #take(expected: RegExp): RegExpExecArray | null {
    expected.lastIndex = this.#at;
    const found = expected.exec(this.source);
    if (found) this.#at += found[0].length;
    return found;
  }
}
