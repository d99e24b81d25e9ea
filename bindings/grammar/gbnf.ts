/** Reads GBNF, the grammars of llama.cpp: rules of literals, classes, groups and repetitions. */

import { fail } from '../values/errors.js';
import { type CodePoints, complement, everyCharacter, union } from './code_points.js';
import {
  choice,
  type Form,
  literal,
  ofSet,
  optional,
  type Rules,
  refuse,
  repeat,
  rule,
  sequence,
} from './form.js';

const deepest = 200;
const mostTimes = 100_000;
const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Adds the rules of a grammar; texts have the form of its rule `root`.
 *
 * @throws TransformerError `invalid_argument` for what is no grammar, with the line; `unsupported` for tokens in it
 */
export function formOfGbnf(source: string, rules: Rules): Form {
  new GbnfReader(source, rules).read();
  if (!rules.has('root')) fail('invalid_argument', 'constrain.gbnf has no rule root');
  return rule('root');
}

class GbnfReader {
  #at = 0;
  #depth = 0;
  readonly #asked = new Map<string, number>();

  constructor(
    private readonly source: string,
    private readonly rules: Rules,
  ) {}

  read(): void {
    this.#space(true);
    while (this.#at < this.source.length) {
      const name = this.#take(/[a-zA-Z0-9_-]+/y) ?? this.#wrong('a rule');
      this.#space(false);
      if (this.#take(/::=/y) === null) this.#wrong('::=');
      this.#space(true);
      if (this.rules.has(name)) this.#wrong(`no second rule ${name}`);
      this.rules.set(name, this.#choice(false));
      this.#space(false);
      if (this.#at < this.source.length && this.#take(/\r?\n/y) === null) this.#wrong('the end of the line');
      this.#space(true);
    }
    for (const [name, at] of this.#asked)
      if (!this.rules.has(name)) {
        this.#at = at;
        this.#wrong(`a rule ${name}`);
      }
  }

  #choice(isNested: boolean): Form {
    const parts = [this.#sequence(isNested)];
    while (this.#take(/\|/y) !== null) {
      this.#space(true);
      parts.push(this.#sequence(isNested));
    }
    return choice(...parts);
  }

  #sequence(isNested: boolean): Form {
    const parts: Form[] = [];
    for (;;) {
      const part = this.#single();
      if (!part) return sequence(...parts);
      parts.push(this.#repeated(part, isNested));
    }
  }

  #single(): Form | null {
    const next = this.source[this.#at] ?? '';
    if (next === '"') return this.#text();
    if (next === '[') return ofSet(this.#set());
    if (next === '<' || next === '!') return refuse('gbnf has tokens, which are not supported');
    if (next === '.') {
      this.#at++;
      return ofSet(everyCharacter);
    }
    if (next === '(') {
      if (this.#depth++ > deepest) refuse(`gbnf has more than ${deepest} groups in each other`);
      this.#at++;
      this.#space(true);
      const part = this.#choice(true);
      if (this.#take(/\)/y) === null) this.#wrong(')');
      this.#depth--;
      return part;
    }
    const at = this.#at;
    const name = this.#take(/[a-zA-Z0-9_-]+/y);
    if (name === null) return null;
    if (!this.#asked.has(name)) this.#asked.set(name, at);
    return rule(name);
  }

  #repeated(given: Form, isNested: boolean): Form {
    let part = given;
    for (;;) {
      this.#space(isNested);
      const sign = this.#take(/[*+?]|\{\s*\d+\s*(?:,\s*\d*\s*)?\}/y);
      if (sign === null) return part;
      if (sign === '?') part = optional(part);
      else if (sign === '*' || sign === '+')
        part = repeat(part, sign === '+' ? 1 : 0, Number.POSITIVE_INFINITY);
      else {
        const [min = '', max] = sign
          .slice(1, -1)
          .split(',')
          .map((text) => text.trim());
        const most = max === undefined ? Number(min) : max === '' ? Number.POSITIVE_INFINITY : Number(max);
        if (most < Number(min)) this.#wrong('a range in order');
        if (Math.max(Number(min), most === Number.POSITIVE_INFINITY ? 0 : most) > mostTimes)
          refuse(`gbnf repeats a part more than ${mostTimes} times`);
        part = repeat(part, Number(min), most);
      }
    }
  }

  #text(): Form {
    this.#at++;
    let text = '';
    while (this.source[this.#at] !== '"') text += this.#letter();
    this.#at++;
    return literal(text);
  }

  #set(): CodePoints {
    this.#at++;
    const isNegative = this.#take(/\^/y) !== null;
    const sets: CodePoints[] = [];
    while (this.source[this.#at] !== ']') {
      const first = this.#letter().codePointAt(0) ?? 0;
      const isRange = this.source[this.#at] === '-' && this.source[this.#at + 1] !== ']';
      if (isRange) this.#at++;
      const last = isRange ? (this.#letter().codePointAt(0) ?? 0) : first;
      if (last < first) this.#wrong('a range of letters in order');
      sets.push([[first, last]]);
    }
    this.#at++;
    return isNegative ? complement(union(...sets)) : union(...sets);
  }

  /** A character of a text or a class, which may be written as an escape. */
  #letter(): string {
    const escaped = this.#take(/\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[nrt"\\[\]])/y);
    if (escaped !== null) {
      const kind = escaped[1] ?? '';
      if (!'xuU'.includes(kind)) return controls[kind] ?? kind;
      const code = Number.parseInt(escaped.slice(2), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : this.#wrong('a character');
    }
    const code = this.source.codePointAt(this.#at);
    if (code === undefined || code === 0x5c || code === 0x0a) return this.#wrong('a character');
    this.#at += code > 0xffff ? 2 : 1;
    return String.fromCodePoint(code);
  }

  /** White space and comments. */
  #space(takesLines: boolean): void {
    this.#take(takesLines ? /(?:\s|#[^\n]*)+/y : /(?:[ \t]|#[^\n]*)+/y);
  }

  #take(expected: RegExp): string | null {
    expected.lastIndex = this.#at;
    const found = expected.exec(this.source)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  #wrong(wanted: string): never {
    const line = this.source.slice(0, this.#at).split('\n').length;
    const rest = JSON.stringify(this.source.slice(this.#at, this.#at + 12));
    return fail('invalid_argument', `constrain.gbnf: line ${line} needs ${wanted} at ${rest}`);
  }
}
