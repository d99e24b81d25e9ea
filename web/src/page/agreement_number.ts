/** "Looked at = needed?": the agreement of a picture of attention with causes, in a word that explains itself when it is clicked. */

import { agreement } from 'transformer-wasm';
import { make } from '../drawing/dom.js';
import { agreementText, agreementWord, explanation } from '../reading/agreement.js';
import { words } from '../words/words.js';

let count = 0;

export class AgreementNumber {
  readonly element: HTMLElement;
  readonly #word = make('b');
  readonly #number = make('span');
  readonly #button: HTMLButtonElement;
  readonly #explanation: HTMLElement;

  constructor() {
    const id = `agreement-${++count}`;
    this.#explanation = make('span', { class: 'explanation', id, hidden: true }, explanation);
    this.#button = make(
      'button',
      { type: 'button', class: 'agreement-button', 'aria-expanded': 'false', 'aria-controls': id },
      words.page.agreement,
      ' ',
      this.#word,
      ' ',
      this.#number,
    );
    this.#button.addEventListener('click', () => this.#open(this.#explanation.hidden === true));
    this.element = make('span', { class: 'agreement' }, this.#button, this.#explanation);
    this.element.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#open(false);
    });
  }

  /**
   * @param weights how much each token was looked at; `null`: by no head that is on
   * @param losses what the word needed; `null` while that is not known
   */
  show(weights: ArrayLike<number> | null, losses: ArrayLike<number> | null): void {
    const value = weights && losses ? agreement(weights, losses) : null;
    this.#word.textContent = agreementWord(value);
    this.#number.textContent = value === null ? '' : `(${words.page.agreementRank(agreementText(value))})`;
  }

  #open(isOpen: boolean): void {
    if (isOpen === !this.#explanation.hidden) return;
    this.#explanation.hidden = !isOpen;
    this.#button.setAttribute('aria-expanded', `${isOpen}`);
    if (isOpen) document.addEventListener('pointerdown', this.#elsewhere);
    else document.removeEventListener('pointerdown', this.#elsewhere);
  }

  /** A click elsewhere closes what explains. */
  readonly #elsewhere = ({ target }: Event) => {
    if (!this.element.contains(target as Node)) this.#open(false);
  };
}
