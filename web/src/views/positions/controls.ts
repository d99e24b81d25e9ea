/** The controls of the position schemes. */

import { choice, slider } from '../../drawing/controls.js';
import type { SelectionStore } from '../../selection/selection.js';
import { words } from '../../words/words.js';
import { heads } from './compute.js';
import { length, type SchemeName, schemeNames } from './schemes.js';

const id = 'positions';

const isScheme = (name: string): name is SchemeName => Object.hasOwn(schemeNames, name);

export class PositionControls {
  readonly elements: readonly HTMLElement[];
  readonly #selection: SelectionStore;
  readonly #scheme = choice({
    label: words.positions.scheme,
    options: schemeNames,
    value: 'sinusoidal',
    onChange: (value) => this.set('scheme', value),
  });
  readonly #line = slider({
    label: words.positions.dimension,
    value: 8,
    min: 0,
    max: length - 1,
    step: 1,
    onChange: (value) => this.set('line', value - this.#first),
  });

  #isOfHeads = false;

  constructor(selection: SelectionStore) {
    this.#selection = selection;
    this.elements = [this.#scheme.element, this.#line.element];
  }

  /** What the slider calls the first of its lines: heads are counted from 1, as in the text beside them. */
  get #first(): number {
    return this.#isOfHeads ? 1 : 0;
  }

  set(name: 'scheme' | 'line' | 'seed', value: string | number): void {
    this.#selection.setSetting(id, name, `${value}`);
  }

  /** Shows the chosen scheme, and returns it. */
  scheme(): SchemeName {
    const name = this.#selection.setting(id, 'scheme', 'sinusoidal');
    const chosen = isScheme(name) ? name : 'sinusoidal';
    this.#scheme.set(chosen);
    return chosen;
  }

  /** The dimension or the head that the address asks for. */
  askedLine(): number {
    return Number(this.#selection.setting(id, 'line', '8')) || 0;
  }

  /** The seed of the order of the words. */
  seed(): number {
    return Number(this.#selection.setting(id, 'seed', '1')) || 1;
  }

  /** @param columns of the scheme's matrix */
  showLine(name: SchemeName, columns: number, chosen: number): void {
    const isAlibi = name === 'alibi';
    this.#isOfHeads = isAlibi;
    const { element } = this.#line;
    element.hidden = name === 'relative';
    const [label, range] = [element.querySelector('label'), element.querySelector('input')];
    if (label) label.textContent = isAlibi ? words.positions.head : words.positions.dimension;
    if (range) range.min = `${this.#first}`;
    if (range) range.max = `${isAlibi ? heads : columns - 1}`;
    this.#line.set(chosen + this.#first);
  }
}
