/** A menu whose options follow the sentence; another one takes its place when they change. */

import { type Control, menu } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';

export class Offered {
  readonly element = make('span', {});
  readonly #label: string;
  readonly #onChange: (value: string) => void;
  #offered: { readonly options: string; readonly control: Control<string> } | null = null;

  constructor(label: string, onChange: (value: string) => void) {
    this.#label = label;
    this.#onChange = onChange;
  }

  /** @param options from values to their names */
  offer(options: Readonly<Record<string, string>>, value: string): void {
    const all = JSON.stringify(options);
    if (this.#offered?.options === all) {
      this.#offered.control.set(value);
      return;
    }
    const control = menu({ label: this.#label, options, value, onChange: this.#onChange });
    this.#offered = { options: all, control };
    this.element.replaceChildren(control.element);
  }
}
