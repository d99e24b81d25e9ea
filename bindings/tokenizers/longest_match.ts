/**
 * Finds the longest of a set of strings that begins at an offset of a text, in time proportional to the text, whatever
 * the strings are.
 *
 * Method: Aho and Corasick, "Efficient string matching", 1975, from the end of the text to its beginning: the state at
 * an offset then knows the strings that begin there.
 */

import { fail } from '../values/errors.js';

/** States of the strings together; published tokenizers need less than 100,000. */
const mostStates = 4_000_000;

export class LongestMatch {
  /** By state: the first letter that follows, and the state after it; most states have no other. */
  readonly #letters = [-1];
  readonly #first = [0];
  /** The state after a state and another letter. */
  readonly #others = new Map<number, number>();
  /** By state: that of the longest end of its letters that is a state itself. */
  readonly #shorter = [0];
  /** By state: the length of the longest string that is read there; 0 if there is none. */
  readonly #longest = [0];

  /** @throws TransformerError `unsupported` if the strings have too many letters */
  static of(texts: Iterable<string>): LongestMatch {
    return new LongestMatch([...new Set(texts)].filter((text) => text !== ''));
  }

  private constructor(texts: readonly string[]) {
    // All strings letter by letter together: a state needs those of shorter texts.
    let open = texts.map((text) => ({ text, state: 0 }));
    for (let length = 1; open.length > 0; length++) {
      for (const one of open) {
        one.state = this.#grown(one.state, one.text.charCodeAt(one.text.length - length));
        if (one.text.length === length) this.#longest[one.state] = length;
      }
      open = open.filter(({ text }) => text.length > length);
    }
  }

  /** For the offsets of a text: the longest string that begins there. */
  in(text: string): (begin: number) => string | null {
    if (this.#longest.length === 1) return () => null;
    const lengths = new Uint32Array(text.length + 1);
    let state = 0;
    for (let begin = text.length - 1; begin >= 0; begin--) {
      state = this.#after(state, text.charCodeAt(begin));
      lengths[begin] = this.#longest[state] ?? 0;
    }
    return (begin) => {
      const length = lengths[begin] ?? 0;
      return length > 0 ? text.slice(begin, begin + length) : null;
    };
  }

  /** The state of a letter before those of a state, made where there is none. */
  #grown(state: number, letter: number): number {
    const known = this.#next(state, letter);
    if (known !== undefined) return known;
    const made = this.#longest.length;
    if (made > mostStates) fail('unsupported', 'the added tokens have too many letters');
    const shorter = state === 0 ? 0 : this.#after(this.#shorter[state] ?? 0, letter);
    if (this.#letters[state] === -1) {
      this.#letters[state] = letter;
      this.#first[state] = made;
    } else this.#others.set(state * 0x10000 + letter, made);
    this.#letters.push(-1);
    this.#first.push(0);
    this.#shorter.push(shorter);
    this.#longest.push(this.#longest[shorter] ?? 0);
    return made;
  }

  #after(from: number, letter: number): number {
    for (let state = from; ; state = this.#shorter[state] ?? 0) {
      const next = this.#next(state, letter);
      if (next !== undefined) return next;
      if (state === 0) return 0;
    }
  }

  #next(state: number, letter: number): number | undefined {
    if (this.#letters[state] === letter) return this.#first[state];
    return this.#others.get(state * 0x10000 + letter);
  }
}
