/** The switch between the heads that the pictures are drawn from: what each choice is stands in words. */

import { make } from '../drawing/dom.js';
import { hasLooks } from '../reading/looks.js';
import type { Reading } from '../reading/reading.js';
import { type Look, lookNames } from '../selection/look.js';
import type { SelectionStore } from '../selection/selection.js';
import { words } from '../words/words.js';

/** What a look is, of a model of which so many heads were taught where to look. */
export function lookName(look: Look, taught: number): string {
  return look === 'taught' ? words.stage.lookNames.taught(taught) : words.stage.lookNames[look];
}

export class LookSwitch {
  readonly element: HTMLElement;
  readonly #buttons: readonly HTMLButtonElement[];

  constructor(selection: SelectionStore) {
    this.#buttons = lookNames.map((look) => {
      const button = make('button', { type: 'button', 'data-look': look });
      button.addEventListener('click', () => selection.set({ look }));
      return button;
    });
    this.element = make(
      'div',
      { class: 'look-switch', role: 'group', 'aria-labelledby': 'look-label' },
      make('span', { id: 'look-label' }, words.stage.looks),
      ...this.#buttons.flatMap((button, i) =>
        i === 0 ? [button] : [make('span', { 'aria-hidden': 'true' }, '·'), button],
      ),
    );
  }

  show(reading: Reading | null, look: Look): void {
    this.element.hidden = !reading || !hasLooks(reading);
    const taught = Object.keys(reading?.taught ?? {}).length;
    for (const button of this.#buttons) {
      const name = button.dataset.look as Look;
      button.textContent = lookName(name, taught);
      button.setAttribute('aria-pressed', `${name === look}`);
    }
  }
}
