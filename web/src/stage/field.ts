/** The English row as a field: where the visitor writes. */

import { make } from '../drawing/dom.js';
import { examples } from '../reading/examples.js';
import type { SelectionStore } from '../selection/selection.js';
import { words } from '../words/words.js';
import { setSentence } from './set_sentence.js';

/** How long after the last keystroke a sentence is translated, in milliseconds. */
const pause = 150;

export class Field {
  readonly element: HTMLElement;
  readonly #selection: SelectionStore;
  readonly #text = make('textarea', {
    id: 'source',
    rows: 1,
    spellcheck: false,
    autocomplete: 'off',
    'aria-label': words.stage.english,
    'aria-describedby': 'honesty',
  });
  #timer: number | undefined;
  #home: HTMLElement | null = null;
  /** What had the focus before. */
  #back: HTMLElement | null = null;
  /** Takes the focus where what had it before is gone. */
  onClosed: () => void = () => {};
  /** Whether what is written now is already an entry of the history. */
  #isEntered = false;

  constructor(selection: SelectionStore) {
    this.#selection = selection;
    const list = make(
      'select',
      { 'aria-label': words.stage.examples },
      make('option', { value: '' }, words.stage.examples),
      ...examples.map((text) => make('option', { value: text, lang: 'en' }, text)),
    );
    list.addEventListener('change', () => {
      if (list.value === '') return;
      this.#text.value = list.value;
      list.value = '';
      this.#submit();
    });
    const done = make('button', { type: 'button' }, words.stage.done);
    done.addEventListener('click', () => this.close());
    this.element = make('div', { class: 'field', hidden: true }, this.#text, list, done);
    this.#listen();
  }

  /** Turns the English row into the field. @param place where it opens instead; it goes back when it is closed */
  open(place: HTMLElement | null = null): void {
    this.#home ??= this.element.parentElement;
    (place ?? this.#home)?.append(this.element);
    this.#back = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    this.element.hidden = false;
    this.#isEntered = false;
    this.#text.value = this.#selection.current.text;
    this.#text.focus();
    this.#text.select();
  }

  close(): void {
    if (this.element.hidden) return;
    this.#submit();
    // Without a sentence there is nothing to click on: the field stays.
    this.element.hidden = this.#text.value.trim() !== '';
    if (!this.element.hidden) return;
    this.#home?.append(this.element);
    // What it was opened with may be gone by now.
    if (this.#back?.isConnected && this.#back.checkVisibility()) this.#back.focus();
    else this.onClosed();
  }

  /** Shows the text of the selection, unless the visitor is writing. */
  show(text: string): void {
    if (document.activeElement !== this.#text && this.#text.value !== text) this.#text.value = text;
    if (text === '') this.element.hidden = false;
  }

  #listen(): void {
    this.#text.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#submit(), pause);
    });
    this.#text.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
  }

  /** What is written in one go is one entry of the history. */
  #submit(): void {
    clearTimeout(this.#timer);
    const text = this.#text.value.trim();
    if (text === this.#selection.current.text) return;
    setSentence(this.#selection, text, { entry: this.#isEntered ? 'replace' : 'push' });
    this.#isEntered = true;
  }
}
