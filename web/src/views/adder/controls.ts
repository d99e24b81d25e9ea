/** What can be set: the numbers, the base of the rotation, the bits, a head. The address has it all. */

import { action, choice, slider } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { SelectionStore } from '../../selection/selection.js';
import { grouped } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { digitsOf, numberOf, places, type Sum, width } from './sums.js';
import type { Bits, Change, Place } from './variant.js';
import { parseChanges, parsePlace } from './weights_text.js';

export const view = 'adder';

export interface Settings {
  readonly sum: Sum;
  /** Of the sum, from 0 for the lowest digit. */
  readonly place: number;
  readonly base: number;
  readonly bits: Bits;
  readonly head: keyof typeof heads;
  readonly weights: readonly Change[];
  readonly chosen: Place | null;
}

type Set = (name: string, value: string | null) => void;

/** A carry goes through all places but the lowest. */
const usual = { a: '9357684026', b: '642315978', place: '3' };
/** As it was trained. */
const usualBase = 3;
/** 10,000 is the base of the paper, and of many models. */
const bases = [2, 2.5, 2.9, 2.97, 2.98, 2.99, 3, 3.01, 3.02, 3.03, 3.1, 3.5, 4, 10, 100, 10_000];
const allBits = { f32: '32', int8: '8', int4: '4' } as const;
const heads = { both: words.adder.bothHeads, first: words.adder.head(1), second: words.adder.head(2) };

/** What there is, whatever the address asks for. */
export function settingsOf(selection: SelectionStore): Settings {
  const of = (name: string, otherwise = '') => selection.setting(view, name, otherwise);
  const [bits, head, base] = [of('bits', 'f32'), of('head', 'both'), Number(of('base', `${usualBase}`))];
  return {
    sum: { a: digitsOf(of('a', usual.a)), b: digitsOf(of('b', usual.b)) },
    place: Math.min(width - 1, Math.max(0, Math.floor(Number(of('place', usual.place))) || 0)),
    base: bases.includes(base) ? base : usualBase,
    bits: Object.hasOwn(allBits, bits) ? (bits as Bits) : 'f32',
    head: Object.hasOwn(heads, head) ? (head as Settings['head']) : 'both',
    weights: parseChanges(of('w')),
    chosen: parsePlace(of('chosen')),
  };
}

export class AdderControls {
  readonly #set: Set;
  readonly #base = slider({
    label: words.adder.base,
    value: bases.indexOf(usualBase),
    min: 0,
    max: bases.length - 1,
    step: 1,
    show: (at) => grouped(bases[at] ?? usualBase),
    onChange: (at) => this.#set('base', bases[at] === usualBase ? null : `${bases[at]}`),
  });
  readonly #bits = choice({
    label: words.adder.bits,
    options: allBits,
    value: 'f32',
    onChange: (bits) => this.#set('bits', bits === 'f32' ? null : bits),
  });
  readonly #head = choice({
    label: words.adder.looks,
    options: heads,
    value: 'both',
    onChange: (head) => this.#set('head', head === 'both' ? null : head),
  });
  readonly #reset = action(words.adder.reset, () => {
    for (const name of ['base', 'bits', 'w']) this.#set(name, null);
  });
  readonly #a = this.#input('a', words.adder.first);
  readonly #b = this.#input('b', words.adder.second);
  readonly elements = [this.#base.element, this.#bits.element, this.#head.element, this.#reset];
  /** The two numbers. */
  readonly typed = make('div', { class: 'typed' }, this.#a.label, this.#b.label);

  constructor(set: Set) {
    this.#set = set;
  }

  show({ sum, base, bits, head, weights }: Settings): void {
    this.#base.set(bases.indexOf(base));
    this.#bits.set(bits);
    this.#head.set(head);
    this.#reset.disabled = base === usualBase && bits === 'f32' && weights.length === 0;
    for (const [input, digits] of [
      [this.#a.input, sum.a],
      [this.#b.input, sum.b],
    ] as const)
      if (document.activeElement !== input) input.value = numberOf(digits);
  }

  #input(name: 'a' | 'b', text: string) {
    const input = make('input', {
      type: 'text',
      inputmode: 'numeric',
      maxlength: places,
      autocomplete: 'off',
    });
    input.addEventListener('input', () => {
      const number = numberOf(digitsOf(input.value));
      this.#set(name, number === usual[name] ? null : number);
    });
    return { input, label: make('label', {}, make('span', { class: 'name' }, text), input) };
  }
}
