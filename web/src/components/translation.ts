/** The translation as it is written, its speed, and errors. */

import { find, make } from '../dom.js';
import type { Message } from '../messages.js';

export class Translation {
  readonly #root: HTMLElement;
  readonly #output: HTMLElement;
  readonly #note: HTMLElement;
  readonly #progress: HTMLProgressElement;
  /** Announces the finished translation to screen readers, which could not follow single tokens. */
  readonly #spoken: HTMLElement;
  readonly #alert: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#output = find('.output', root);
    this.#note = find('.note', root);
    this.#progress = find<HTMLProgressElement>('progress', root);
    this.#spoken = find('[role=status]', root);
    this.#alert = find('[role=alert]', root);
  }

  /** @param share of the weights that is loaded; `null` if unknown */
  showLoading(share: number | null): void {
    this.#progress.hidden = false;
    if (share === null) this.#progress.removeAttribute('value');
    else this.#progress.value = share;
    this.#note.textContent =
      share === null
        ? 'Loading the engine and the model …'
        : `Loading the model: ${Math.round(share * 100)} %`;
  }

  /** Clears the previous translation. */
  begin(): void {
    this.#progress.hidden = true;
    this.#root.setAttribute('aria-busy', 'true');
    this.#output.replaceChildren();
    this.#alert.replaceChildren();
    this.#note.textContent = '';
  }

  /** Appends the text of a token. */
  add(piece: string): void {
    if (piece === '') return;
    const isUnknown = piece.includes('<unk>');
    this.#output.append(make('span', { class: isUnknown ? 'piece unknown' : 'piece' }, piece));
  }

  /** @param milliseconds the time for encoding and decoding */
  end(text: string, tokens: number, milliseconds: number): void {
    this.#root.removeAttribute('aria-busy');
    this.#spoken.replaceChildren('French: ', make('span', { lang: 'fr' }, text));
    const speed = Math.round((tokens / milliseconds) * 1000).toLocaleString('en');
    const took = milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0);
    this.#note.textContent = `Translated in ${took} ms: ${tokens} tokens, ${speed} per second`;
  }

  /** Clears the translation when there is nothing to translate. */
  clear(): void {
    this.begin();
    this.#root.removeAttribute('aria-busy');
    this.#spoken.replaceChildren();
  }

  /** @param retry offered to the visitor as a button, if trying again may help */
  showError({ text, detail }: Message, retry?: () => void): void {
    this.clear();
    const details = make('details', {}, make('summary', {}, 'Details'), make('p', {}, detail));
    this.#alert.replaceChildren(make('p', {}, text), details);
    if (!retry) return;
    const button = make('button', { type: 'button' }, 'Try again');
    button.addEventListener('click', retry);
    this.#alert.append(button);
  }
}
