/** Reads tokens one after the other. */

import type { Budget } from './budget.js';
import { TemplateError, type Token, type TokenKind } from './lexer.js';

export class TokenReader {
  #place = 0;
  #loops = 0;
  /** The names of the blocks so far. */
  readonly blocks = new Set<string>();

  constructor(
    readonly tokens: readonly Token[],
    readonly budget: Budget,
  ) {}

  get place(): number {
    return this.#place;
  }

  get isInLoop(): boolean {
    return this.#loops > 0;
  }

  insideLoop<T>(parse: () => T): T {
    return this.#within(this.#loops + 1, parse);
  }

  outsideOfLoops<T>(parse: () => T): T {
    return this.#within(0, parse);
  }

  #within<T>(loops: number, parse: () => T): T {
    const before = this.#loops;
    this.#loops = loops;
    try {
      return parse();
    } finally {
      this.#loops = before;
    }
  }

  get current(): Token {
    return this.tokens[this.#place] ?? { kind: 'end', text: '', line: 0 };
  }

  get next(): Token {
    return this.tokens[this.#place + 1] ?? this.current;
  }

  take(): Token {
    const token = this.current;
    this.#place++;
    return token;
  }

  is(kind: TokenKind, ...texts: readonly string[]): boolean {
    const { current } = this;
    return current.kind === kind && (texts.length === 0 || texts.includes(current.text));
  }

  /** Takes the current token if it is this operator. */
  skip(operator: string): boolean {
    return this.#skip('operator', operator);
  }

  skipName(name: string): boolean {
    return this.#skip('name', name);
  }

  #skip(kind: TokenKind, text: string): boolean {
    const found = this.is(kind, text);
    if (found) this.#place++;
    return found;
  }

  /** @throws TemplateError if the current token is another */
  expect(kind: TokenKind, text?: string): Token {
    if (!this.is(kind, ...(text === undefined ? [] : [text])))
      throw this.error(`expected ${text === undefined ? `a ${kind}` : `'${text}'`}, got ${this.shown()}`);
    return this.take();
  }

  name(): string {
    return this.expect('name').text;
  }

  shown(): string {
    const { kind, text } = this.current;
    return kind === 'end' ? 'the end of the template' : `'${text.slice(0, 40)}'`;
  }

  error(message: string): TemplateError {
    return new TemplateError(message, this.current.line);
  }
}
