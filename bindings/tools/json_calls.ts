/**
 * Calls in JSON, letter by letter: `{"name": ..., "arguments": {...}}`, several of them, or Mistral's
 * `name[ARGS]{...}`.
 */

import { isJsonObject, type JsonObject } from '../files/json_object.js';

/** What becomes of a call while it is written. */
export interface CallSink {
  begun(name: string): void;
  /** A piece of its arguments in JSON. */
  more(text: string): void;
  ended(name: string, args: JsonObject): void;
}

/** The beginning of a call up to its arguments, in the usual order; in any other, the call begins where it ends. */
const usual =
  /^\{\s*(?:"(?:type|id)"\s*:\s*"[^"\\]*"\s*,\s*)*"name"\s*:\s*("(?:[^"\\]|\\.)+")\s*,\s*"(?:arguments|parameters)"\s*:\s*\{$/;
const longestBeginning = 1000;
const deepest = 500;

export class JsonCalls {
  readonly #sink: CallSink;
  /** Objects and lists of the call that are open. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The call so far, and what stands before it. */
  #raw = '';
  #outside = '';
  /** The name before a call's arguments, which are the whole object then. */
  #before: string | null = null;
  #name: string | null = null;
  /** The depth within the arguments that are told piece by piece; 0: not now. */
  #told = 0;
  #calls = 0;
  #isBroken = false;

  constructor(sink: CallSink) {
    this.#sink = sink;
  }

  /** Whether a call is open, so that no mark can end it. */
  get isOpen(): boolean {
    return this.#depth > 0 && !this.#isBroken;
  }

  push(letter: string): void {
    if (this.#isBroken) return;
    if (this.#depth === 0 && letter !== '{') {
      this.#outside += letter;
      return;
    }
    if (this.#depth === 0) this.#begin();
    this.#raw += letter;
    if (!this.#isInString && /[{[]/.test(letter) && ++this.#depth > deepest) this.#isBroken = true;
    if (!this.#isInString && /[}\]]/.test(letter)) this.#depth--;
    this.#quote(letter);
    if (this.#name === null && letter === '{' && this.#raw.length < longestBeginning) this.#findName();
    if (this.#told > 0) this.#sink.more(letter);
    if (this.#depth < this.#told) this.#told = 0;
    if (this.#depth === 0) this.#end();
  }

  /** Whether all that was pushed are calls. */
  end(): boolean {
    return !this.#isBroken && this.#depth === 0 && this.#calls > 0 && /^[\s,;\]]*$/.test(this.#outside);
  }

  #begin(): void {
    const [, name] = /^[\s,;]*([\w.-]+)(?:\[CALL_ID\]\w+)?\[ARGS\]\s*$/.exec(this.#outside) ?? [];
    this.#isBroken = name === undefined && !/^[\s,;[]*$/.test(this.#outside);
    this.#outside = '';
    this.#raw = '';
    this.#before = name ?? null;
    this.#name = null;
  }

  #quote(letter: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString && letter === '\\') this.#isEscaped = true;
    else if (letter === '"') this.#isInString = !this.#isInString;
  }

  #findName(): void {
    const [, quoted] = usual.exec(this.#raw) ?? [];
    const name = this.#before ?? (quoted === undefined ? null : parsed(quoted));
    if (typeof name !== 'string') return;
    this.#name = name;
    this.#told = this.#depth;
    this.#sink.begun(name);
  }

  #end(): void {
    const call = parsed(this.#raw);
    if (!isJsonObject(call)) {
      this.#isBroken = true;
      return;
    }
    const given = this.#before === null ? (call.arguments ?? call.parameters ?? {}) : call;
    // Some write the arguments as a text.
    const args = typeof given === 'string' ? parsed(given) : given;
    const name = this.#before ?? call.name;
    this.#isBroken = typeof name !== 'string' || name === '' || !isJsonObject(args);
    if (typeof name !== 'string' || !isJsonObject(args)) return;
    if (this.#name === null) {
      this.#sink.begun(name);
      this.#sink.more(typeof given === 'string' ? given : JSON.stringify(args));
    }
    this.#calls++;
    this.#sink.ended(name, args);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
