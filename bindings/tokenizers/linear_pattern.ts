/**
 * Regular expressions in time proportional to the text: JavaScript's search with backtracking, which remembers where
 * each state has failed, so that all matches of a text together try each state once at each offset. Without back
 * references, what follows a state depends on nothing else.
 *
 * Method: Davis, Servant and Lee, "Using Selective Memoization to Defeat Regular Expression Denial of Service", 2021.
 */

import { PatternStates, type State } from './pattern_states.js';
import { parsePattern, refusePattern } from './pattern_syntax.js';

/** A match, as `String.prototype.matchAll` reports it. */
export type Match = readonly [string] & { readonly index: number };

/** Takes the place of a RegExp with the flags `gu` in `match`, `matchAll`, `replaceAll` and `split`; it has no groups. */
export class LinearPattern {
  readonly flags = 'gu';
  readonly #states: PatternStates;

  /**
   * @param source of a valid RegExp with the flag `u`
   * @throws TransformerError `unsupported`
   */
  constructor(source: string) {
    this.#states = new PatternStates(parsePattern(source));
  }

  *[Symbol.matchAll](text: string): Generator<Match> {
    const search = new Search(this.#states, text);
    for (let at = 0; at <= text.length; ) {
      const end = search.endFrom(at);
      if (end >= 0) yield Object.assign([text.slice(at, end)] as const, { index: at });
      at = end > at ? end : after(text, at);
    }
  }

  [Symbol.match](text: string): string[] | null {
    const matches = Array.from(this[Symbol.matchAll](text), ([match]) => match);
    return matches.length > 0 ? matches : null;
  }

  /** @param content `$$` stands for a dollar sign, as in any replacement */
  [Symbol.replace](text: string, content: string): string {
    const literal = content.replaceAll('$$', '$');
    let [made, end] = ['', 0];
    for (const { 0: match, index } of this[Symbol.matchAll](text)) {
      made += text.slice(end, index) + literal;
      end = index + match.length;
    }
    return made + text.slice(end);
  }

  [Symbol.split](text: string): string[] {
    const search = new Search(this.#states, text);
    if (text === '') return search.endFrom(0) < 0 ? [text] : [];
    const parts: string[] = [];
    let begin = 0;
    for (let at = 0; at < text.length; ) {
      const end = search.endFrom(at);
      if (end < 0 || end === begin) at = after(text, at);
      else {
        parts.push(text.slice(begin, at));
        begin = at = end;
      }
    }
    return [...parts, text.slice(begin)];
  }
}

/** The offset after a code point. */
const after = (text: string, at: number) => at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const word = /^\w$/;

/** Offsets whose results are kept together. */
const pageLength = 256;

/** Results kept at a time, in bytes. */
const mostKept = 1 << 28;

const failed = 1;
const succeeded = 2;

/** The search in one text, whose matches are asked for from its begin to its end. */
class Search {
  readonly #states: PatternStates;
  readonly #text: string;
  /** By page: for each state that is remembered and each offset, what came of it. */
  readonly #pages = new Map<number, Uint8Array>();
  #oldest = 0;

  constructor(states: PatternStates, text: string) {
    this.#states = states;
    this.#text = text;
  }

  /** The end of the match that begins at an offset not before the last one; -1 if there is none. */
  endFrom(at: number): number {
    // Nothing before the offset is needed again, except by looking behind.
    const page = Math.floor(at / pageLength);
    while (this.#oldest < page && !this.#states.looksBehind) this.#pages.delete(this.#oldest++);
    return this.#run(this.#states.first, at, 0);
  }

  /** @param result kept for the states on the way to a success: none for a match, whose end depends on the way */
  #run(first: State, begin: number, result: number): number {
    const path: [State, number][] = []; // states that are remembered and have not failed yet
    const choices: { state: State | null; at: number; passed: number }[] = [];
    let state: State | null = first;
    let at = begin;
    for (;;) {
      let known = 0;
      if (state && state.slot >= 0) {
        known = this.#result(state, at);
        if (known === 0) path.push([state, at]);
      }
      if (state && (state.kind === 'end' || known === succeeded)) {
        for (const [passed, place] of path) this.#result(passed, place, result);
        return at;
      }
      if (state?.kind === 'split' && known !== failed) {
        choices.push({ state: state.other, at, passed: path.length });
        state = state.next;
        continue;
      }
      const next: number = state && known !== failed ? this.#step(state, at) : -1;
      if (state && next >= 0) {
        [state, at] = [state.next, next];
        continue;
      }
      const choice = choices.pop();
      if (!choice) return -1;
      path.length = choice.passed;
      ({ state, at } = choice);
    }
  }

  /** The offset after a state that is no choice; -1 if it fails. */
  #step(state: State, at: number): number {
    const text = this.#text;
    if (state.kind === 'place') return this.#isPlace(state.place, at) ? at : -1;
    if (state.kind === 'look') {
      const found = state.other !== null && this.#run(state.other, at, succeeded) >= 0;
      return found !== state.isNegative ? at : -1;
    }
    if (!state.isBehind) {
      const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
      return at < text.length && state.accepts(letter) ? at + letter.length : -1;
    }
    const isPair = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
    const letter = text.slice(isPair ? at - 2 : Math.max(0, at - 1), at);
    return letter !== '' && state.accepts(letter) ? at - letter.length : -1;
  }

  #isPlace(place: string, at: number): boolean {
    if (place === '^') return at === 0;
    if (place === '$') return at === this.#text.length;
    const isBound = word.test(this.#text[at - 1] ?? '') !== word.test(this.#text[at] ?? '');
    return isBound === (place === '\\b');
  }

  /** The result known for a state at an offset; from then on it is `becomes`: a failure, until it has succeeded. */
  #result({ slot }: State, at: number, becomes = failed): number {
    const number = Math.floor(at / pageLength);
    let page = this.#pages.get(number);
    if (!page) {
      const bytes = this.#states.slots * pageLength;
      if ((this.#pages.size + 1) * bytes > mostKept)
        refusePattern(`needs too much memory for a text of ${this.#text.length} characters`);
      page = new Uint8Array(bytes);
      this.#pages.set(number, page);
    }
    const place = slot * pageLength + (at % pageLength);
    const known = page[place] ?? 0;
    if (becomes !== failed || known === 0) page[place] = becomes;
    return known;
  }
}
