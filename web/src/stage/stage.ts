/** The first screen: a sentence, its translation, and where the model looked for each word. */

import { find, make } from '../dom.js';
import { type Message, translateMessage } from '../messages.js';
import type { Reading } from '../reading.js';
import type { Outcome } from '../readings.js';
import type { Loading, Session } from '../session.js';
import type { Page } from '../view.js';

/** How long after the last keystroke a sentence is translated, in milliseconds. */
const pause = 150;

export class Stage {
  readonly #page: Page;
  readonly #field = make('textarea', { id: 'source', rows: 1, spellcheck: false, autocomplete: 'off' });
  readonly #french = make('p', { id: 'translation', lang: 'fr' });
  readonly #note = make('p', { class: 'note', role: 'status' });
  readonly #alert = make('div', { class: 'message', role: 'alert' });
  #timer: number | undefined;

  constructor(root: HTMLElement, page: Page) {
    this.#page = page;
    this.#field.value = page.selection.current.text;
    this.#field.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#submit(), pause);
    });
    root.append(
      make('label', { for: 'source' }, 'English'),
      this.#field,
      this.#french,
      this.#note,
      this.#alert,
    );
  }

  showLoading({ loaded, total }: Loading): void {
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
    this.#note.textContent = `Loading the model: ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ''} MB`;
  }

  showReady({ engine }: Session): void {
    find('.bar .facts').textContent = `runs in this tab · ${engine.info.threads} threads · nothing leaves it`;
  }

  showError({ text }: Message, retry: () => void): void {
    const button = make('button', { type: 'button' }, 'Try again');
    button.addEventListener('click', retry);
    this.#alert.replaceChildren(make('p', {}, text), button);
  }

  show(reading: Reading | null, outcome: Outcome): void {
    this.#alert.replaceChildren(
      ...(outcome.kind === 'failed' ? [make('p', {}, translateMessage(outcome.error).text)] : []),
    );
    this.#french.textContent = reading?.translation ?? '';
    this.#note.textContent =
      outcome.kind === 'read' && outcome.milliseconds !== null
        ? `${Math.round(outcome.milliseconds)} ms`
        : '';
  }

  /** Shows the selection. */
  select(): void {
    const { text } = this.#page.selection.current;
    if (document.activeElement !== this.#field) this.#field.value = text;
  }

  #submit(): void {
    this.#page.selection.set({ text: this.#field.value, sentence: 0, word: null, prefix: [] });
  }
}
