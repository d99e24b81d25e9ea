/** A regular expression as states that follow each other, for the search in `linear_pattern.ts`. */

import { type Part, refusePattern } from './pattern_syntax.js';

/** A step to take at an offset of the text, and the state after it. */
export interface State {
  /** Its number among those whose results are remembered; -1 for those that only one state leads to. */
  slot: number;
  kind: 'end' | 'letter' | 'split' | 'look' | 'place';
  next: State | null;
  /** `split`: what is tried if `next` fails. `look`: the first state of what is looked for. */
  other: State | null;
  /** `letter`: whether it accepts a character. */
  accepts: (letter: string) => boolean;
  /** The letter is before the offset; for `place`, its sign. */
  isBehind: boolean;
  isNegative: boolean;
  place: string;
}

/** States of a pattern. Published patterns have less than 200. */
const mostStates = 2000;

const always = () => true;

export class PatternStates {
  readonly first: State;
  /** States whose results are remembered. */
  slots = 0;
  looksBehind = false;
  #count = 0;
  readonly #tests = new Map<string, (letter: string) => boolean>();

  /** @throws TransformerError `unsupported` if there are too many, or if what may be empty is repeated */
  constructor(part: Part) {
    this.first = this.#statesOf(part, this.#state('end', null), false);
  }

  #statesOf(part: Part, next: State, isBehind: boolean): State {
    switch (part.kind) {
      case 'letter':
        return Object.assign(this.#state('letter', next), { accepts: this.#test(part.source), isBehind });
      case 'place':
        return Object.assign(this.#state('place', next), { place: part.source });
      case 'sequence': {
        const last = isBehind ? part.parts : [...part.parts].reverse();
        return last.reduce((after, inner) => this.#statesOf(inner, after, isBehind), next);
      }
      case 'choice': {
        this.#remember(next);
        const branches = part.parts.map((inner) => this.#statesOf(inner, next, isBehind));
        return branches.reduceRight((rest, branch) => this.#split(branch, rest));
      }
      case 'look': {
        this.looksBehind ||= part.isBehind;
        const other = this.#statesOf(part.part, this.#state('end', null), part.isBehind);
        const state = Object.assign(this.#state('look', next), { other, isNegative: part.isNegative });
        return this.#remember(other) && state;
      }
      case 'repeat':
        return this.#repeat(part, next, isBehind);
    }
  }

  #repeat(
    { part, min, max, isLazy }: Extract<Part, { kind: 'repeat' }>,
    next: State,
    isBehind: boolean,
  ): State {
    if (max > min && mayBeEmpty(part)) refusePattern('repeats what may be empty, which is not supported');
    let state = next;
    if (max === Infinity) {
      const loop = this.#remember(this.#state('split', null));
      const body = this.#statesOf(part, loop, isBehind);
      [loop.next, loop.other] = isLazy ? [next, body] : [body, next];
      state = loop;
    } else if (max > min) this.#remember(next);
    for (let i = min; i < max && max !== Infinity; i++) {
      const body = this.#statesOf(part, state, isBehind);
      state = isLazy ? this.#split(next, body) : this.#split(body, next);
    }
    for (let i = 0; i < min; i++) state = this.#statesOf(part, state, isBehind);
    return state;
  }

  #split(next: State, other: State): State {
    return this.#remember(Object.assign(this.#state('split', next), { other }));
  }

  #state(kind: State['kind'], next: State | null): State {
    if (++this.#count > mostStates)
      refusePattern(`is too long: its repetitions make more than ${mostStates} states`);
    const rest = { other: null, accepts: always, isBehind: false, isNegative: false, place: '' };
    return { slot: -1, kind, next, ...rest };
  }

  #remember(state: State): State {
    if (state.slot < 0) state.slot = this.slots++;
    return state;
  }

  /** JavaScript's own classes of characters, each asked once per character. */
  #test(source: string): (letter: string) => boolean {
    const known = this.#tests.get(source);
    if (known) return known;
    const one = new RegExp(`^${source}$`, 'u');
    const results = new Map<string, boolean>();
    const test = (letter: string) => {
      const result = results.get(letter) ?? one.test(letter);
      results.set(letter, result);
      return result;
    };
    this.#tests.set(source, test);
    return test;
  }
}

function mayBeEmpty(part: Part): boolean {
  if (part.kind === 'letter') return false;
  if (part.kind === 'sequence') return part.parts.every(mayBeEmpty);
  if (part.kind === 'choice') return part.parts.some(mayBeEmpty);
  return part.kind !== 'repeat' || part.min === 0 || mayBeEmpty(part.part);
}
