/** Reads regular expressions in the syntax of Oniguruma, which Hugging Face's tokenizers use. */

import { LetterClass, lettersBetween, lettersNamed } from './letter_class.js';
import { refusePattern } from './pattern_error.js';

/** A part of a regular expression. */
export type Part =
  /** One code point. */
  | { kind: 'letter'; set: LetterClass }
  | { kind: 'sequence'; parts: Part[] }
  | { kind: 'choice'; parts: Part[] }
  | { kind: 'repeat'; part: Part; min: number; max: number; isLazy: boolean }
  /** What has matched is not given back. */
  | { kind: 'atomic'; part: Part }
  | { kind: 'look'; part: Part; isBehind: boolean; isNegative: boolean }
  | { kind: 'place'; place: Place };

/** Begin and end of a line, of the text, or of a word. `Z`: the text's end, or a line break there. */
export type Place = '^' | '$' | 'A' | 'z' | 'Z' | 'b' | 'B';

type Test = (letter: string) => boolean;

/** Groups within groups, and classes within classes; published patterns have three. */
const deepest = 50;

const quantifier = /(?:([*+?])|\{(\d*)(?:(,)(\d*))?\})([?+]?)/y;
const group = /\((?:\?(?:([:=!>])|<([=!])|<[^>=!][^>]*>|#[^)]*\)|([im]*(?:-[im]+)?)([:)])))?/y;
const classLetter = /\\(?:([dDsSwWhH])|([pP])\{(\^?)([^}]*)\})/y;
const escaped =
  /\\(?:x([\da-fA-F]{1,2})|[xu]\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|([0-7]{2,3}|0)|([^1-9A-Za-z]|[tnrfvae]))/suy;
const posix = /\[:(\^?)(\w+):\]/y;

const controls: Readonly<Record<string, string>> = {
  ...{ t: '\t', n: '\n', r: '\r', f: '\f', v: '\v' },
  ...{ a: '\x07', e: '\x1b' },
};
const classNames: Readonly<Record<string, string>> = { d: 'digit', s: 'space', h: 'xdigit' };

/** @throws TransformerError `unsupported` for what is not regular, such as back references, or not known */
export const parsePattern = (source: string): Part => new PatternParser(source).parse();

class PatternParser {
  readonly #source: string;
  readonly #sets = new Map<string, LetterClass>();
  #at = 0;
  #depth = 0;
  #ignoresCase = false;
  /** Whether a dot is a line break, too. */
  #isDotAll = false;

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
    const next = this.#source[this.#at] ?? '';
    const after = this.#source[this.#at + 1] ?? '';
    if (next === '^' || next === '$') {
      this.#at++;
      return { kind: 'place', place: next };
    }
    if (next === '\\' && 'AzZbB'.includes(after) && after !== '') {
      this.#at += 2;
      return { kind: 'place', place: after as Place };
    }
    if (next === '(') return this.#group();
    if ('*+?'.includes(next) || (next === '{' && this.#take(quantifier))) return this.#refuse();
    const begin = this.#at;
    const test = next === '[' ? this.#class() : this.#letter();
    const key = `${this.#ignoresCase ? 'i' : ''}${this.#isDotAll ? 'm' : ''}/${this.#source.slice(begin, this.#at)}`;
    const set = this.#sets.get(key) ?? new LetterClass(test);
    this.#sets.set(key, set);
    return { kind: 'letter', set };
  }

  #group(): Part {
    const opened = this.#take(group);
    if (!opened || this.#depth === deepest || this.#source[this.#at] === '?') return this.#refuse();
    const [whole, ahead, behind, flags, closing] = opened;
    if (whole.startsWith('(?#')) return { kind: 'sequence', parts: [] };
    const [ignoresCase, isDotAll] = [this.#ignoresCase, this.#isDotAll];
    this.#setFlags(flags ?? '');
    this.#depth++;
    // (?i) without a colon counts up to the end of the group around it, which is not consumed.
    const part = this.#choice();
    this.#depth--;
    [this.#ignoresCase, this.#isDotAll] = [ignoresCase, isDotAll];
    if (closing !== ')' && this.#source[this.#at++] !== ')') this.#refuse();
    const sign = ahead ?? behind ?? ':';
    if (sign === ':') return part;
    if (sign === '>') return { kind: 'atomic', part };
    return { kind: 'look', part, isBehind: behind !== undefined, isNegative: sign === '!' };
  }

  #setFlags(flags: string): void {
    const [on = '', off = ''] = flags.split('-');
    if (on.includes('i')) this.#ignoresCase = true;
    if (on.includes('m')) this.#isDotAll = true;
    if (off.includes('i')) this.#ignoresCase = false;
    if (off.includes('m')) this.#isDotAll = false;
  }

  /** A character outside of brackets. */
  #letter(): Test {
    if (this.#source[this.#at] === '.') {
      this.#at++;
      return this.#isDotAll ? () => true : (letter) => letter !== '\n';
    }
    return this.#namedClass() ?? this.#between(this.#code(), null);
  }

  /** `\d`, `\p{L}`, ... */
  #namedClass(word = 'word'): Test | null {
    const found = this.#take(classLetter);
    if (!found) return null;
    const [, short = '', property, opposite, name = ''] = found;
    const given = property ? name : (classNames[short.toLowerCase()] ?? word);
    const set = lettersNamed(/^word$/i.test(given) ? word : given);
    const isNegative = property ? (property === 'P') !== (opposite === '^') : short !== short.toLowerCase();
    return (letter) => set.test(letter) !== isNegative;
  }

  #between(first: number, last: number | null): Test {
    return lettersBetween(first, last ?? first, this.#ignoresCase);
  }

  /** The code point of a character, which may be written as an escape. */
  #code(): number {
    const found = this.#take(escaped);
    if (!found) {
      if (this.#source[this.#at] === '\\') return this.#refuse();
      const code = this.#source.codePointAt(this.#at) ?? 0;
      this.#at += code > 0xffff ? 2 : 1;
      return code;
    }
    const [, short, braced, four, octal, plain] = found;
    const digits = short ?? braced ?? four;
    const code = digits
      ? Number.parseInt(digits, 16)
      : octal
        ? Number.parseInt(octal, 8)
        : ((controls[plain ?? ''] ?? plain)?.codePointAt(0) ?? 0);
    return code <= 0x10ffff ? code : this.#refuse();
  }

  /** `[...]`, with classes within classes, and what several of them have in common: `[a-z&&[^x]]`. */
  #class(): Test {
    if (++this.#depth > deepest) this.#refuse();
    this.#at++;
    const isNegative = this.#source[this.#at] === '^';
    if (isNegative) this.#at++;
    const common: Test[][] = [[]];
    for (let isFirst = true; isFirst || this.#source[this.#at] !== ']'; isFirst = false) {
      if (this.#at >= this.#source.length) this.#refuse();
      if (this.#source.startsWith('&&', this.#at)) {
        this.#at += 2;
        common.push([]);
      } else common.at(-1)?.push(this.#classItem());
    }
    this.#at++;
    this.#depth--;
    return (letter) => common.every((tests) => tests.some((test) => test(letter))) !== isNegative;
  }

  #classItem(): Test {
    const bracket = this.#take(posix);
    if (bracket) {
      const name = bracket[2] ?? '';
      const set = lettersNamed(/^(?:word|punct)$/i.test(name) ? `bracket${name}` : name);
      return (letter) => set.test(letter) !== (bracket[1] === '^');
    }
    if (this.#source[this.#at] === '[') return this.#class();
    const known = this.#namedClass('bracketword');
    if (known) return known;
    const first = this.#classCode();
    const [dash, after] = [this.#source[this.#at], this.#source[this.#at + 1]];
    if (dash !== '-' || after === undefined || '[]'.includes(after)) return this.#between(first, null);
    this.#at++;
    return this.#between(first, this.#classCode());
  }

  /** In brackets `\b` is a backspace. */
  #classCode(): number {
    if (!this.#source.startsWith('\\b', this.#at)) return this.#code();
    this.#at += 2;
    return 8;
  }

  #repeated(part: Part): Part {
    let repeated = part;
    for (let times = 0; ; times++) {
      const at = this.#at;
      const found = this.#take(quantifier);
      if (!found) return repeated;
      if (times === deepest) this.#refuse();
      const [whole, sign, least = '', comma, most = '', last] = found;
      if (sign === undefined && least === '' && most === '') {
        this.#at = at;
        return repeated;
      }
      const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
      const written = comma === undefined ? min : most === '' ? Infinity : Number(most);
      const max = sign === undefined ? written : sign === '?' ? 1 : Infinity;
      if (max < min) this.#refuse();
      // After braces a plus repeats what is repeated: only after a sign it makes it keep what it has.
      if (sign === undefined && last === '+') this.#at = at + whole.length - 1;
      repeated = { kind: 'repeat', part: repeated, min, max, isLazy: last === '?' };
      if (sign !== undefined && last === '+') repeated = { kind: 'atomic', part: repeated };
    }
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
