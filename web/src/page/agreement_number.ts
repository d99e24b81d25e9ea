/** The agreement of a picture of attention with causes: a number that explains itself when it is clicked. */

import { make } from '../drawing/dom.js';
import { agreement, agreementText, explanation } from '../reading/agreement.js';
import { words } from '../words/words.js';

let count = 0;

export class AgreementNumber {
  readonly element: HTMLElement;
  readonly #number = make('b');
  readonly #explanation: HTMLElement;

  constructor() {
    const id = `agreement-${++count}`;
    this.#explanation = make('span', { class: 'explanation', id, hidden: true }, explanation);
    const button = make(
      'button',
      { type: 'button', class: 'agreement-button', 'aria-expanded': 'false', 'aria-controls': id },
      this.#number,
      ' ',
      make('span', {}, words.page.agreement),
    );
    button.addEventListener('click', () => {
      this.#explanation.hidden = !this.#explanation.hidden;
      button.setAttribute('aria-expanded', `${!this.#explanation.hidden}`);
    });
    this.element = make('span', { class: 'agreement' }, button, this.#explanation);
  }

  /**
   * @param weights how much each token was looked at; `null`: by no head that is on
   * @param losses what the word needed; `null` while that is not known
   */
  show(weights: ArrayLike<number> | null, losses: ArrayLike<number> | null): void {
    const value = weights && losses ? agreement(weights, losses) : null;
    this.#number.textContent = agreementText(value);
  }
}
