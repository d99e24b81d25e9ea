/**
 * Regular expressions in time proportional to the text: a search with backtracking, which remembers where each state
 * has failed, so that all matches of a text together try each state once at each offset. Without back references, what
 * follows a state depends on nothing else.
 *
 * Method: Davis, Servant and Lee, "Using Selective Memoization to Defeat Regular Expression Denial of Service", 2021.
 */

import { lettersNamed } from './letter_class.js';
import { refusePattern } from './pattern_error.js';
import { PatternStates, type State } from './pattern_states.js';
import { parsePattern } from './pattern_syntax.js';

/** Where a match begins and ends, in UTF-16 units. */
type Match = readonly [begin: number, end: number];

/** A regular expression as Oniguruma, on which the tokenizers' rules rest, understands it. */
export class LinearPattern {
  readonly #states: PatternStates;

  /** @throws TransformerError `unsupported` */
  constructor(source: string) {
    this.#states = new PatternStates(parsePattern(source));
  }

  /** The matches from left to right. An empty one is not where the one before it ends. */
  *in(text: string): Generator<Match> {
    const search = new Search(this.#states, text);
    let last = -1;
    for (let at = 0; at <= text.length; ) {
      const end = search.endFrom(at);
      if (end < 0 || (end === at && last === at)) at = after(text, at);
      else {
        yield [at, end];
        at = last = end;
      }
    }
  }
}

/** The offset after a code point. */
const after = (text: string, at: number) => at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** Offsets whose results are kept together, at most. */
const mostOnPage = 256;

/** Results kept at a time, in bytes. */
const mostKept = 1 << 28;

const failed = 1;
const succeeded = 2;

/** What is kept of a success: nothing of a match, whose end depends on the way to it. */
type Keeping = 'nothing' | 'success' | 'end';

/** The search in one text, whose matches are asked for from its begin to its end. */
class Search {
  readonly #states: PatternStates;
  readonly #text: string;
  readonly #pageLength: number;
  /** By page: for each state that is remembered and each offset, what came of it. */
  readonly #pages = new Map<number, Uint8Array>();
  /** Where what is not given back ends, by its state and its begin. */
  readonly #ends = new Map<number, number>();
  /** Where the last run of a state began and ended: one that begins within it ends there, too. */
  readonly #runs = new Map<State, { begin: number; end: number }>();
  #oldest = 0;

  constructor(states: PatternStates, text: string) {
    this.#states = states;
    this.#text = text;
    this.#pageLength = Math.min(mostOnPage, text.length + 1);
  }

  /** The end of the match that begins at an offset not before the last one; -1 if there is none. */
  endFrom(at: number): number {
    // Nothing before the offset is needed again, except by looking behind.
    const page = Math.floor(at / this.#pageLength);
    while (this.#oldest < page && !this.#states.looksBehind) this.#pages.delete(this.#oldest++);
    return this.#run(this.#states.first, at, 'nothing');
  }

  #run(first: State, begin: number, keeps: Keeping): number {
    const path: [State, number][] = []; // states that are remembered and have not failed yet
    const choices: [state: State | null, at: number, passed: number][] = [];
    let state: State | null = first;
    let at = begin;
    for (;;) {
      let known = 0;
      if (state && state.slot >= 0) {
        known = this.#result(state, at);
        if (known === 0) path.push([state, at]);
      }
      if (state && (state.kind === 'end' || known === succeeded)) {
        const end = known === succeeded ? (this.#ends.get(this.#key(state, at)) ?? at) : at;
        for (const [passed, place] of path) this.#succeed(passed, place, keeps, end);
        return end;
      }
      if (state?.kind === 'split' && known !== failed) {
        choices.push([state.other, at, path.length]);
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
      if (path.length > choice[2]) path.length = choice[2];
      [state, at] = choice;
    }
  }

  #succeed(state: State, at: number, keeps: Keeping, end: number): void {
    this.#result(state, at, keeps === 'nothing' ? 0 : succeeded);
    if (keeps === 'end') this.#ends.set(this.#key(state, at), end);
  }

  #key = ({ slot }: State, at: number) => slot * (this.#text.length + 1) + at;

  /** The offset after a state that is no choice; -1 if it fails. */
  #step(state: State, at: number): number {
    const text = this.#text;
    switch (state.kind) {
      case 'place':
        return this.#isPlace(state.place, at) ? at : -1;
      case 'look': {
        const found = state.other !== null && this.#run(state.other, at, 'success') >= 0;
        return found !== state.isNegative ? at : -1;
      }
      case 'atomic':
        return state.other ? this.#run(state.other, at, 'end') : at;
      case 'run':
        return this.#endOfRun(state, at);
      default: {
        if (!state.isBehind) {
          const code = text.codePointAt(at);
          return code !== undefined && state.set.has(code) ? at + (code > 0xffff ? 2 : 1) : -1;
        }
        const begin = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? at - 2 : at - 1;
        return at > 0 && state.set.has(text.codePointAt(begin) ?? 0) ? begin : -1;
      }
    }
  }

  #endOfRun(state: State, begin: number): number {
    const text = this.#text;
    const { set, min, max } = state;
    const known = this.#runs.get(state);
    const isKnown = max === Infinity && known !== undefined && begin >= known.begin && begin < known.end;
    let at = begin;
    for (let count = 0; count < max; count++) {
      if (isKnown && count >= min) return known.end;
      const code = text.codePointAt(at);
      if (code === undefined || !set.has(code)) {
        if (count < min) return -1;
        break;
      }
      at += code > 0xffff ? 2 : 1;
    }
    if (max === Infinity) this.#runs.set(state, { begin, end: at });
    return at;
  }

  #isPlace(place: string, at: number): boolean {
    const text = this.#text;
    const isEnd = at === text.length;
    if (place === 'A') return at === 0;
    if (place === 'z') return isEnd;
    if (place === 'Z') return isEnd || (at === text.length - 1 && text[at] === '\n');
    if (place === '^') return at === 0 || (text[at - 1] === '\n' && !isEnd);
    if (place === '$') return isEnd || text[at] === '\n';
    const isBefore = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? at - 2 : at - 1;
    return (isWord(text, isBefore) !== isWord(text, at)) === (place === 'b');
  }

  /** The result known for a state at an offset; from then on it is `becomes`: a failure, until it has succeeded. */
  #result({ slot }: State, at: number, becomes = failed): number {
    const number = Math.floor(at / this.#pageLength);
    let page = this.#pages.get(number);
    if (!page) {
      const bytes = this.#states.slots * this.#pageLength;
      if ((this.#pages.size + 1) * bytes > mostKept)
        refusePattern(`needs too much memory for a text of ${this.#text.length} characters`);
      page = new Uint8Array(bytes);
      this.#pages.set(number, page);
    }
    const place = slot * this.#pageLength + (at % this.#pageLength);
    const known = page[place] ?? 0;
    if (becomes !== failed || known === 0) page[place] = becomes;
    return known;
  }
}

const wordLetter = lettersNamed('word');

/** Whether the character at an offset can be part of a word. */
function isWord(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  return at >= 0 && code !== undefined && wordLetter.test(String.fromCodePoint(code));
}
