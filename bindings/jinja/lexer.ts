/**
 * Splits a template into tokens, with the settings `trim_blocks` and `lstrip_blocks`. In time proportional to its
 * length.
 */

import { withoutEscapes } from './escapes.js';
import { strip, stripEnd } from './white_space.js';

export type TokenKind =
  | 'text'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'open'
  | 'close'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** A string's content; as written otherwise. */
  readonly text: string;
  readonly line: number;
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

const number =
  /(?:(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)|0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*)/iy;
const name = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const operator = /\/\/|\*\*|[=!<>]=|[-+*/%~[\](){}<>=.:|,;]/y;

export class TemplateError extends Error {
  constructor(message: string, line: number) {
    super(`${message} (line ${line})`);
  }
}

export function tokenize(template: string): Token[] {
  // Jinja drops one newline at the end.
  return new Lexer(template.replace(/\r\n?/g, '\n').replace(/\n$/, '')).tokens();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #place = 0;
  #line = 1;
  #counted = 0;

  constructor(source: string) {
    this.#source = source;
  }

  tokens(): Token[] {
    let stripNext = false;
    while (this.#place < this.#source.length) stripNext = this.#textAndTag(stripNext);
    this.#add('end', '');
    return this.#tokens;
  }

  /** Text up to a tag, and the tag. Returns whether white space after it is removed. */
  #textAndTag(stripBegin: boolean): boolean {
    const begin = this.#place;
    const at = this.#nextTag(begin);
    const kind = this.#source[at + 1] ?? '';
    const sign = this.#source[at + 2];
    let text = this.#source.slice(begin, at);
    if (stripBegin) text = strip(text, { end: false });
    if (sign === '-') text = stripEnd(text);
    else if (sign !== '+' && kind !== '{' && kind !== '') text = this.#withoutIndentation(text, begin);
    this.#add('text', text);
    if (at >= this.#source.length) {
      this.#place = at;
      return false;
    }
    this.#place = at + (sign === '-' || sign === '+' ? 3 : 2);
    if (kind === '#') return this.#comment();
    const raw = kind === '%' ? this.#matchHere(/\s*raw\s*(-?)%\}/y) : null;
    if (raw) return this.#raw(raw[1] === '-');
    this.#add('open', `{${kind}`);
    return this.#expression(kind === '{' ? '}}' : '%}');
  }

  #nextTag(begin: number): number {
    for (let at = this.#source.indexOf('{', begin); at >= 0; at = this.#source.indexOf('{', at + 1))
      if ('{%#'.includes(this.#source[at + 1] ?? ' ')) return at;
    return this.#source.length;
  }

  /** Removes spaces between the beginning of a line and a tag. */
  #withoutIndentation(text: string, begin: number): string {
    const lineBegin = text.lastIndexOf('\n') + 1;
    const beginsLine = lineBegin > 0 || begin === 0 || this.#source[begin - 1] === '\n';
    const stripped = stripEnd(text);
    return beginsLine && stripped.length <= lineBegin ? text.slice(0, lineBegin) : text;
  }

  #comment(): boolean {
    const end = this.#source.indexOf('#}', this.#place);
    if (end < 0) throw this.#error('a comment is not closed');
    const sign = end > this.#place ? this.#source[end - 1] : '';
    this.#place = end + 2;
    return this.#afterBlock(sign);
  }

  #raw(stripBegin: boolean): boolean {
    const end = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
    end.lastIndex = this.#place;
    const found = end.exec(this.#source);
    if (!found && this.#place === this.#source.length) return false;
    if (!found) throw this.#error('raw is not closed');
    let text = this.#source.slice(this.#place, found.index);
    if (stripBegin) text = strip(text, { end: false });
    if (found[1] === '-') text = stripEnd(text);
    else if (found[1] !== '+') text = this.#withoutIndentation(text, this.#place);
    this.#add('text', text);
    this.#place = found.index + found[0].length;
    return this.#afterBlock(found[2]);
  }

  /** A newline after a block's end is dropped (trim_blocks). */
  #afterBlock(sign: string | undefined): boolean {
    if (sign !== '-' && sign !== '+' && this.#source[this.#place] === '\n') this.#place++;
    return sign === '-';
  }

  #expression(close: string): boolean {
    const open: string[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#place >= this.#source.length) throw this.#error(`${close} is missing`);
      if (open.length === 0) {
        const sign = this.#source[this.#place];
        const signed = sign === '-' || (sign === '+' && close === '%}') ? 1 : 0;
        if (this.#source.startsWith(close, this.#place + signed)) {
          this.#add('close', close);
          this.#place += signed + 2;
          const given = signed ? sign : '';
          return close === '}}' ? given === '-' : this.#afterBlock(given);
        }
      }
      this.#token(open);
    }
  }

  #token(open: string[]): void {
    const first = this.#source[this.#place] ?? '';
    if (first === '"' || first === "'") {
      this.#string(first);
      return;
    }
    const digits = this.#matchHere(number);
    const isFraction = this.#tokens.at(-1)?.text === '.';
    if (digits) {
      const [written] = isFraction ? (/^\d+/.exec(digits[0]) ?? ['']) : digits;
      this.#place += written.length - digits[0].length;
      const isFloat = /^[\d_]+(\.|e)/i.test(written);
      this.#add(isFloat ? 'float' : 'integer', written.replaceAll('_', ''));
      return;
    }
    const word = this.#matchHere(name);
    if (word) {
      this.#add('name', word[0]);
      return;
    }
    const [sign] = this.#matchHere(operator) ?? [];
    if (sign === undefined) throw this.#error(`unexpected ${JSON.stringify(first)}`);
    const closer = closers[sign];
    if (closer) open.push(closer);
    else if (')]}'.includes(sign) && open.pop() !== sign) throw this.#error(`unexpected '${sign}'`);
    this.#add('operator', sign);
  }

  #string(quote: string): void {
    const begin = this.#place + 1;
    let end = begin;
    while (end < this.#source.length && this.#source[end] !== quote)
      end += this.#source[end] === '\\' ? 2 : 1;
    if (end >= this.#source.length) throw this.#error('a string is not closed');
    this.#place = end + 1;
    this.#add('string', withoutEscapes(this.#source.slice(begin, end)));
  }

  #skipSpace(): void {
    this.#matchHere(/\s*/y);
  }

  #matchHere(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#place;
    const found = pattern.exec(this.#source);
    if (found) this.#place += found[0].length;
    return found;
  }

  #add(kind: TokenKind, text: string): void {
    if (kind === 'text' && text === '') return;
    this.#tokens.push({ kind, text, line: this.#currentLine() });
  }

  #currentLine(): number {
    for (; this.#counted < this.#place; this.#counted++)
      if (this.#source[this.#counted] === '\n') this.#line++;
    return this.#line;
  }

  #error(message: string): TemplateError {
    return new TemplateError(message, this.#currentLine());
  }
}
