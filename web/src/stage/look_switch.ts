/** The switch between the heads that the pictures are drawn from, which says what each choice is. */

import { make } from '../drawing/dom.js';
import { hasLooks } from '../reading/looks.js';
import type { Reading } from '../reading/reading.js';
import { type Look, lookNames } from '../selection/look.js';
import type { SelectionStore } from '../selection/selection.js';
import { words } from '../words/words.js';

/** What each look is, of a model with so many heads between its stacks. */
export function lookTitles(heads: number): Record<Look, string> {
  return {
    taught: words.stage.titles.taught,
    found: words.stage.titles.found(heads - 1),
    mean: words.stage.titles.mean(heads),
  };
}

export class LookSwitch {
  readonly element: HTMLElement;
  readonly #buttons: readonly HTMLButtonElement[];
  readonly #title = make('p', { class: 'look-title', id: 'look-title', role: 'status' });

  constructor(selection: SelectionStore) {
    this.#buttons = lookNames.map((look) => {
      const button = make('button', { type: 'button', 'data-look': look }, words.stage.lookNames[look]);
      button.addEventListener('click', () => selection.set({ look }));
      for (const event of ['pointerenter', 'focus']) button.addEventListener(event, () => this.#say(button));
      for (const event of ['pointerleave', 'blur']) button.addEventListener(event, () => this.#say(null));
      return button;
    });
    const group = make(
      'div',
      { class: 'look-switch', role: 'group', 'aria-label': words.stage.looks },
      ...this.#buttons,
    );
    this.element = make('div', { class: 'look' }, group, this.#title);
  }

  show(reading: Reading | null, look: Look): void {
    this.element.hidden = !reading || !hasLooks(reading);
    const { layers = 0, heads = 0 } = reading?.maps.cross ?? {};
    const titles = lookTitles(layers * heads);
    for (const button of this.#buttons) {
      const name = button.dataset.look as Look;
      button.title = titles[name];
      button.setAttribute('aria-pressed', `${name === look}`);
    }
  }

  #say(button: HTMLButtonElement | null): void {
    this.#title.textContent = button?.title ?? '';
  }
}
