/** Changes one weight: a slider and a field beside the numbers, and the way back to the trained one. */

import { make } from '../../drawing/dom.js';
import { figures } from '../../reading/figures.js';
import { words } from '../../words/words.js';
import type { Place } from './variant.js';

export interface Edited {
  readonly place: Place;
  readonly symbol: string;
  readonly value: number;
  readonly trained: number;
}

export class Editor {
  readonly element: HTMLElement;
  readonly #onChange: (place: Place, value: number | null) => void;
  readonly #name = make('b', {});
  readonly #slider = make('input', { type: 'range', step: 'any', 'aria-label': words.adder.weight });
  readonly #field = make('input', { type: 'number', step: 'any', 'aria-label': words.adder.weight });
  readonly #back = make('button', { type: 'button' });
  #place: Place | null = null;

  constructor(onChange: (place: Place, value: number | null) => void) {
    this.#onChange = onChange;
    this.element = make(
      'div',
      { class: 'editor', hidden: true },
      this.#name,
      this.#slider,
      this.#field,
      this.#back,
    );
    for (const input of [this.#slider, this.#field])
      input.addEventListener(input === this.#slider ? 'input' : 'change', () => {
        const value = input.valueAsNumber;
        if (this.#place && Number.isFinite(value)) this.#onChange(this.#place, value);
      });
    this.#back.addEventListener('click', () => {
      if (this.#place) this.#onChange(this.#place, null);
    });
  }

  show(edited: Edited | null): void {
    this.element.hidden = !edited;
    const isOther = JSON.stringify(this.#place) !== JSON.stringify(edited?.place ?? null);
    this.#place = edited?.place ?? null;
    if (!edited) return;
    const { symbol, place, value, trained } = edited;
    this.#name.textContent = `${symbol}[${place.row + 1}, ${place.column + 1}]`;
    const reach = Math.max(1, 2 * Math.abs(trained));
    if (isOther) {
      this.#slider.min = `${-reach}`;
      this.#slider.max = `${reach}`;
    }
    if (document.activeElement !== this.#slider || isOther) this.#slider.value = `${value}`;
    this.#slider.setAttribute('aria-valuetext', figures(value));
    this.#field.value = `${Number(value.toPrecision(6))}`;
    this.#back.textContent = words.adder.back(figures(trained));
    this.#back.disabled = value === trained;
  }
}
