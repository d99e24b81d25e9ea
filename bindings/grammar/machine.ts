/** Forms without rules as states over characters, which can be intersected. */

import { type CodePoints, intersection } from './code_points.js';
import { type Form, type Machine, ofSet, refuse } from './form.js';

interface Edge {
  readonly set: CodePoints;
  readonly target: number;
}

/** States over characters; the first one is where a text begins. */
export interface CharacterMachine {
  readonly edges: readonly (readonly Edge[])[];
  readonly ends: readonly boolean[];
}

/** A machine or a product has fewer: the work before is at most about as much. */
const mostStates = 2000;

/**
 * The states of a form: one for each of its characters (Glushkov 1961), so that no step is empty.
 *
 * @throws TransformerError `unsupported` for one that needs too many
 */
export function machineOf(form: Form): CharacterMachine {
  const sets: CodePoints[] = [[]];
  const follow: Set<number>[] = [new Set()];
  const { first, last, mayBeEmpty } = partsOf(form, sets, follow);
  for (const state of first) follow[0]?.add(state);
  const ends = sets.map((_, state) => (state === 0 ? mayBeEmpty : last.has(state)));
  const edges = follow.map((states) => Array.from(states, (target) => ({ set: sets[target] ?? [], target })));
  return { edges, ends };
}

interface Ends {
  readonly first: ReadonlySet<number>;
  readonly last: ReadonlySet<number>;
  readonly mayBeEmpty: boolean;
}

const none: Ends = { first: new Set(), last: new Set(), mayBeEmpty: true };

function partsOf(form: Form, sets: CodePoints[], follow: Set<number>[]): Ends {
  switch (form.kind) {
    case 'set': {
      if (sets.length >= mostStates) refuse(`a pattern has more than ${mostStates} states`);
      const state = new Set([sets.length]);
      sets.push(form.set);
      follow.push(new Set());
      return { first: state, last: state, mayBeEmpty: false };
    }
    case 'sequence':
      return form.parts.reduce((before, part) => joined(before, partsOf(part, sets, follow), follow), none);
    case 'choice': {
      const all = form.parts.map((part) => partsOf(part, sets, follow));
      return {
        first: new Set(all.flatMap(({ first }) => [...first])),
        last: new Set(all.flatMap(({ last }) => [...last])),
        mayBeEmpty: all.some(({ mayBeEmpty }) => mayBeEmpty),
      };
    }
    case 'repeat': {
      const { part, min, max } = form;
      let whole = none;
      const copies = max === Number.POSITIVE_INFINITY ? Math.max(min, 1) : max;
      // From the last one on, so that each copy is followed by the next alone: x(x(x)?)?
      for (let i = copies - 1; i >= 0; i--) {
        const copy = partsOf(part, sets, follow);
        if (max === Number.POSITIVE_INFINITY && i === copies - 1) joined(copy, copy, follow);
        whole = joined(copy, whole, follow);
        if (i >= min) whole = { ...whole, mayBeEmpty: true };
      }
      return whole;
    }
    default:
      return refuse('a rule cannot be part of a pattern');
  }
}

function joined(before: Ends, after: Ends, follow: Set<number>[]): Ends {
  for (const state of before.last) for (const next of after.first) follow[state]?.add(next);
  return {
    first: before.mayBeEmpty ? new Set([...before.first, ...after.first]) : before.first,
    last: after.mayBeEmpty ? new Set([...before.last, ...after.last]) : after.last,
    mayBeEmpty: before.mayBeEmpty && after.mayBeEmpty,
  };
}

/**
 * What both take.
 *
 * @throws TransformerError `unsupported` if it has too many states
 */
export function product(one: CharacterMachine, other: CharacterMachine): CharacterMachine {
  const numbers = new Map([['0 0', 0]]);
  const states: [number, number][] = [[0, 0]];
  const edges: Edge[][] = [];
  for (const [a, b] of states) {
    const made: Edge[] = [];
    for (const left of one.edges[a] ?? []) {
      for (const right of other.edges[b] ?? []) {
        const set = intersection(left.set, right.set);
        if (set.length === 0) continue;
        const key = `${left.target} ${right.target}`;
        let target = numbers.get(key);
        if (target === undefined) {
          target = states.length;
          if (target >= mostStates)
            refuse(`patterns and lengths together have more than ${mostStates} states`);
          numbers.set(key, target);
          states.push([left.target, right.target]);
        }
        made.push({ set, target });
      }
    }
    edges.push(made);
  }
  return { edges, ends: states.map(([a, b]) => (one.ends[a] ?? false) && (other.ends[b] ?? false)) };
}

/** The machine as a form, with each set of characters written in some way. */
export function written({ edges, ends }: CharacterMachine, write: (set: CodePoints) => Form = ofSet): Form {
  const parts = new Map<CodePoints, Form>();
  const partOf = (set: CodePoints) => {
    const known = parts.get(set) ?? write(set);
    parts.set(set, known);
    return known;
  };
  const machine: Machine = {
    edges: edges.map((list) => list.map(({ set, target }) => ({ part: partOf(set), target }))),
    ends,
  };
  return { kind: 'machine', machine };
}

/** Whether a machine takes a text. */
export function takes({ edges, ends }: CharacterMachine, text: string): boolean {
  let states = new Set([0]);
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    const next = new Set<number>();
    for (const state of states)
      for (const { set, target } of edges[state] ?? [])
        if (set.some(([first, last]) => first <= code && code <= last)) next.add(target);
    states = next;
  }
  return [...states].some((state) => ends[state]);
}
