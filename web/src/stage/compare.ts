/** Where nothing is to move: the loom before the swap, above the one after it. */

import { make } from '../drawing/dom.js';
import { chosenWord, type Reading } from '../reading/reading.js';
import type { Selection } from '../selection/selection.js';
import { words } from '../words/words.js';
import { Loom } from './loom.js';

export class Compare {
  readonly element = make('div', {
    class: 'former-loom',
    hidden: true,
    role: 'group',
    'aria-label': words.stage.beforeSwap,
  });
  #loom: Loom | null = null;
  #shown: Reading | null = null;

  /** Shows the former reading, or takes it away again. */
  toggle(former: Reading, selection: Selection): void {
    this.element.hidden = !this.element.hidden;
    if (!this.element.hidden) this.#draw(former, selection);
  }

  /** Follows the selection; goes when the sentence changes. */
  update(former: Reading | null, selection: Selection): void {
    if (former !== this.#shown) this.element.hidden = true;
    if (former && !this.element.hidden) this.#draw(former, selection);
  }

  #draw(former: Reading, { look, word }: Selection): void {
    if (!this.#loom) {
      this.#loom = new Loom({ onFrench: () => {} });
      this.element.append(this.#loom.element);
    }
    if (this.#shown !== former) this.#loom.show(former, { isWritten: false });
    this.#shown = former;
    this.#loom.select({ look, chosen: chosenWord(former, word), needs: former.needs ?? null });
  }
}
