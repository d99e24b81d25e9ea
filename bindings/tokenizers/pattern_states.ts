/** A regular expression as states that follow each other, for the search in `linear_pattern.ts`. */

import { LetterClass } from './letter_class.js';
import { refusePattern } from './pattern_error.js';
import type { Part, Place } from './pattern_syntax.js';

/** A step to take at an offset of the text, and the state after it. */
export interface State {
  /** Its number among those whose results are remembered; -1 for those that only one state leads to. */
  slot: number;
  kind: 'end' | 'letter' | 'run' | 'split' | 'look' | 'atomic' | 'place';
  next: State | null;
  /** `split`: what is tried if `next` fails. `look`, `atomic`: the first state of what is looked for. */
  other: State | null;
  /** `letter`, `run`: the characters that are accepted. */
  set: LetterClass;
  /** `run`: how many characters at least and at most; as many as there are, and none is given back. */
  min: number;
  max: number;
  /** The letter is before the offset; for `look`, its sign. */
  isBehind: boolean;
  isNegative: boolean;
  place: Place;
}

/** States of a pattern. Published patterns have less than 200. */
const mostStates = 2000;

const all = new LetterClass(() => true);

export class PatternStates {
  readonly first: State;
  /** States whose results are remembered. */
  slots = 0;
  looksBehind = false;
  #count = 0;

  /** @throws TransformerError `unsupported` if there are too many, or if what may be empty is repeated */
  constructor(part: Part) {
    this.first = this.#statesOf(part, this.#state('end', null), false);
  }

  #statesOf(part: Part, next: State, isBehind: boolean): State {
    switch (part.kind) {
      case 'letter':
        return Object.assign(this.#state('letter', next), { set: part.set, isBehind });
      case 'place':
        return Object.assign(this.#state('place', next), { place: part.place });
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
      case 'atomic': {
        if (isBehind) refusePattern('looks behind for what is not given back, which is not supported');
        const { part: inner } = part;
        if (inner.kind === 'repeat' && inner.part.kind === 'letter' && !inner.isLazy)
          return this.#run(inner, next);
        const other = this.#statesOf(inner, this.#state('end', null), false);
        const state = Object.assign(this.#state('atomic', next), { other });
        return this.#remember(other) && state;
      }
      case 'repeat':
        return this.#repeat(part, next, isBehind);
    }
  }

  #repeat(repeat: Extract<Part, { kind: 'repeat' }>, next: State, isBehind: boolean): State {
    const { part, min, max, isLazy } = repeat;
    // After the last letters nothing can fail, so that none is given back.
    if (part.kind === 'letter' && next.kind === 'end' && !isLazy && !isBehind) return this.#run(repeat, next);
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

  #run({ part, min, max }: Extract<Part, { kind: 'repeat' }>, next: State): State {
    // Each offset is asked for the fewest letters, and may be for the most.
    this.#count += min + (max === Infinity ? 0 : max);
    const { set } = part.kind === 'letter' ? part : { set: all };
    return Object.assign(this.#state('run', next), { set, min, max });
  }

  #split(next: State, other: State): State {
    return this.#remember(Object.assign(this.#state('split', next), { other }));
  }

  #state(kind: State['kind'], next: State | null): State {
    if (++this.#count > mostStates)
      refusePattern(`is too long: its repetitions make more than ${mostStates} states`);
    const rest = { isBehind: false, isNegative: false, place: '^' as const };
    return { slot: -1, kind, next, other: null, set: all, min: 0, max: 0, ...rest };
  }

  /** The end needs no result: whatever reaches it has succeeded. */
  #remember(state: State): State {
    if (state.slot < 0 && state.kind !== 'end') state.slot = this.slots++;
    return state;
  }
}

function mayBeEmpty(part: Part): boolean {
  if (part.kind === 'letter') return false;
  if (part.kind === 'sequence') return part.parts.every(mayBeEmpty);
  if (part.kind === 'choice') return part.parts.some(mayBeEmpty);
  if (part.kind === 'atomic') return mayBeEmpty(part.part);
  return part.kind !== 'repeat' || part.min === 0 || mayBeEmpty(part.part);
}
