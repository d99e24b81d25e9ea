/** Tells apart what a model writes: its answer, what it thinks before, and the calls of tools. */

import type { JsonObject } from '../files/json_object.js';
import { JsonCalls } from './json_calls.js';
import { type ToolFormat, type ToolKind, thinking, toolKinds } from './kinds.js';
import { jsonOf, Quotes } from './literals.js';

export interface ToolCall {
  /** Nine digits, as some templates demand. */
  id: string;
  name: string;
  arguments: JsonObject;
}

/** A piece of an answer. Texts, reasoning and arguments concatenate. */
export type AnswerPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** A call begins: the first has the index 0. */
  | { type: 'begin'; index: number; name: string }
  /** A piece of its arguments, in JSON. */
  | { type: 'arguments'; index: number; text: string }
  | { type: 'call'; index: number; call: ToolCall }
  /** A call that had begun is none; what was written follows as text. */
  | { type: 'invalid'; index: number };

export interface ParserOptions {
  format: ToolFormat;
  /** The tools' names: an answer in JSON that begins without a mark is a call if it names one of them. */
  names?: ReadonlySet<string> | undefined;
  /** The text that the model continues, which may have begun to think. */
  prompt?: string;
  /** The number of calls in the conversation so far, from which ids count on. */
  callsBefore?: number;
}

export class AnswerParser {
  readonly #kind: ToolKind;
  readonly #options: ParserOptions;
  readonly #openings: readonly string[];
  #parts: AnswerPart[] = [];
  /** The mark that ends what the model thinks. */
  #thought: string | null;
  #body: { readonly json: JsonCalls; readonly quotes: Quotes | null; readonly isBare: boolean } | null = null;
  /** What may be the beginning of a mark, and white space that may stand before one. */
  #held = '';
  #space = '';
  #isEmpty = true;
  #hasMarks = false;
  /** What the body has so far, after its last whole call, and that with its mark. */
  #text = '';
  #raw = '';
  /** What stood before the body, which is given back if it is none. */
  #before = { space: '', isEmpty: true };
  #index = 0;
  #hasBegun = false;
  #isPlain = false;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#kind = toolKinds[options.format];
    const { open, alsoOpen } = this.#kind;
    this.#openings = [open, alsoOpen].filter((mark) => typeof mark === 'string');
    const [, thought = null] = thinking.find(([mark]) => options.prompt?.trimEnd().endsWith(mark)) ?? [];
    this.#thought = thought;
  }

  /** The call that is being written, from after its mark on: once it is sure to be one. */
  get callSoFar(): string | null {
    const isSure = this.#body && (!this.#body.isBare || this.#hasBegun);
    return isSure ? this.#text + this.#held : null;
  }

  push(text: string): AnswerPart[] {
    for (const letter of text) this.#read(letter);
    return this.#given();
  }

  end(): AnswerPart[] {
    if (this.#body) this.#close('');
    else this.#release(this.#held.length);
    if (!this.#hasMarks) this.#emit('text', this.#space);
    return this.#given();
  }

  #given(): AnswerPart[] {
    return this.#parts.splice(0);
  }

  #read(letter: string): void {
    const body = this.#body;
    if (body?.json.isOpen || body?.quotes?.isOpen) {
      this.#inBody(letter);
      return;
    }
    if (!body && this.#kind.open === null && this.#mayBeBare(letter)) {
      this.#enter(letter, '');
      return;
    }
    this.#held += letter;
    const marks = this.#marks();
    while (this.#held !== '' && !marks.some((mark) => mark.startsWith(this.#held))) this.#release(1);
    if (marks.includes(this.#held)) {
      const mark = this.#held;
      this.#held = '';
      this.#pass(mark);
    }
  }

  #mayBeBare(letter: string): boolean {
    return (
      this.#isEmpty && !this.#isPlain && this.#thought === null && this.#held === '' && /[{[]/.test(letter)
    );
  }

  #marks(): readonly string[] {
    if (this.#body) return this.#kind.close === undefined ? this.#openings : [this.#kind.close];
    if (this.#thought !== null) return [this.#thought];
    return [...this.#openings, ...(this.#isEmpty ? thinking.map(([open]) => open) : [])];
  }

  /** So many letters that are held are no mark. */
  #release(count: number): void {
    const letters = this.#held.slice(0, count);
    this.#held = this.#held.slice(count);
    for (const letter of letters) {
      if (this.#body) this.#inBody(letter);
      else this.#say(letter);
    }
  }

  /** White space beside calls and thoughts is not part of the text. */
  #say(letter: string): void {
    if (/\s/.test(letter)) {
      this.#space += letter;
      return;
    }
    const isFirst = this.#isEmpty && (this.#thought !== null || this.#hasMarks);
    if (!isFirst) this.#emit(this.#thought === null ? 'text' : 'reasoning', this.#space);
    this.#space = '';
    this.#emit(this.#thought === null ? 'text' : 'reasoning', letter);
    this.#isEmpty = false;
  }

  #pass(mark: string): void {
    const before = { space: this.#space, isEmpty: this.#isEmpty };
    this.#hasMarks = true;
    this.#space = '';
    this.#isEmpty = true;
    if (this.#body) {
      const isNext = this.#kind.close === undefined;
      this.#close(isNext ? '' : mark);
      if (isNext) this.#enter('', mark);
      return;
    }
    if (this.#thought !== null) {
      this.#thought = null;
      return;
    }
    const [, thought] = thinking.find(([open]) => open === mark) ?? [];
    this.#thought = thought ?? null;
    if (thought !== undefined) return;
    this.#enter('', mark, before);
  }

  #enter(letter: string, mark: string, before = { space: this.#space, isEmpty: this.#isEmpty }): void {
    const isBare = mark === '';
    this.#text = '';
    this.#raw = mark;
    this.#before = before;
    this.#hasBegun = false;
    const { form } = this.#kind;
    this.#body = { json: this.#jsonCalls(isBare), quotes: form ? new Quotes(form.style) : null, isBare };
    if (letter !== '') this.#inBody(letter);
  }

  #inBody(letter: string): void {
    this.#text += letter;
    this.#raw += letter;
    if (this.#kind.form) this.#body?.quotes?.push(letter);
    else this.#body?.json.push(letter);
    if (this.#isPlain) this.#reject();
  }

  #jsonCalls(isBare: boolean): JsonCalls {
    const { names, callsBefore = 0 } = this.#options;
    return new JsonCalls({
      begun: (name) => {
        this.#isPlain = isBare && names !== undefined && !names.has(name);
        if (this.#isPlain) return;
        this.#hasBegun = true;
        this.#parts.push({ type: 'begin', index: this.#index, name });
      },
      more: (text) => {
        if (!this.#isPlain) this.#emit('arguments', text);
      },
      ended: (name, args) => {
        if (this.#isPlain) return;
        const id = `${callsBefore + this.#index}`.padStart(9, '0');
        this.#parts.push({ type: 'call', index: this.#index++, call: { id, name, arguments: args } });
        this.#hasBegun = false;
        this.#raw = '';
        this.#text = '';
        this.#before = { space: '', isEmpty: true };
      },
    });
  }

  #close(mark: string): void {
    for (const letter of this.#held) this.#inBody(letter);
    this.#held = '';
    if (!this.#body) return;
    const { json } = this.#body;
    const raw = this.#raw + mark;
    if (this.#kind.form) for (const letter of jsonOf(this.#text) ?? '') json.push(letter);
    if (!json.end()) {
      this.#raw = raw;
      this.#reject();
    }
    this.#body = null;
  }

  /** What was written as a call is none. */
  #reject(): void {
    if (this.#hasBegun) this.#parts.push({ type: 'invalid', index: this.#index });
    this.#body = null;
    this.#space = this.#before.space;
    this.#isEmpty = this.#before.isEmpty;
    for (const letter of this.#raw) this.#say(letter);
    this.#raw = '';
    this.#hasBegun = false;
  }

  /** Pieces of the same kind that follow each other are one. */
  #emit(type: 'text' | 'reasoning' | 'arguments', text: string): void {
    if (text === '') return;
    const last = this.#parts.at(-1);
    if (last?.type === type && 'text' in last) last.text += text;
    else if (type === 'arguments') this.#parts.push({ type, index: this.#index, text });
    else this.#parts.push({ type, text });
  }
}
