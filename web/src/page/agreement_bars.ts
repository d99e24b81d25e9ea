/** Under a picture of attention: what was looked at and what was needed, token by token, and how far the two agree. */

import { centre } from '../drawing/centred.js';
import { make } from '../drawing/dom.js';
import { figures } from '../reading/figures.js';
import { strongest } from '../reading/reading.js';
import { percent } from '../reading/tokens.js';
import { words } from '../words/words.js';
import { AgreementNumber } from './agreement_number.js';

export interface AgreementRows {
  readonly names: readonly string[];
  readonly weights: ArrayLike<number> | null;
  readonly losses: ArrayLike<number> | null;
}

export class AgreementBars {
  readonly element: HTMLElement;
  readonly #number = new AgreementNumber();
  readonly #columns = make('div', { class: 'agreement-columns' });
  readonly #scroller: HTMLElement;

  constructor() {
    const labels = make(
      'div',
      { class: 'agreement-labels', 'aria-hidden': 'true' },
      make('span', { class: 'looked-label' }, words.page.lookedAt),
      make('span', { class: 'needed-label' }, words.page.needed),
    );
    this.#scroller = make(
      'div',
      { class: 'agreement-scroller', tabindex: 0, role: 'group', 'aria-label': words.page.bars },
      this.#columns,
    );
    this.element = make(
      'div',
      { class: 'agreement-bars', hidden: true },
      labels,
      this.#scroller,
      this.#number.element,
    );
  }

  /** @param rows `null` where the keys are not what is read: there is nothing that could be masked */
  show(rows: AgreementRows | null): void {
    this.element.hidden = rows === null;
    if (!rows) return;
    const { names, weights, losses } = rows;
    const most = Math.max(1, ...Array.from(losses ?? []));
    this.#columns.replaceChildren(
      ...names.map((name, i) => {
        const [weight, loss] = [weights?.[i] ?? 0, losses?.[i] ?? 0];
        const title = words.page.bar(name, percent(weight), figures(loss));
        return make(
          'span',
          { class: 'agreement-column', title },
          bar('looked', weight),
          bar('needed', loss < 0.01 ? 0 : loss / most),
          make('span', { class: 'agreement-name' }, name),
        );
      }),
    );
    centre(this.#scroller, this.#columns.children[strongest(Array.from(weights ?? []))]);
    this.#number.show(weights, losses);
  }
}

function bar(name: string, share: number): HTMLElement {
  const element = make('span', { class: `word-bar ${name}` });
  element.style.setProperty('--share', Math.sqrt(Math.min(1, Math.max(0, share))).toFixed(3));
  return element;
}
