/** The sentence to translate: typed, or chosen from the examples. */

import { find, make } from '../dom.js';

/** How long after the last keystroke a sentence is translated, in milliseconds. */
const pause = 400;

export class Sentence {
  readonly #form: HTMLFormElement;
  readonly #source: HTMLTextAreaElement;
  readonly #note: HTMLElement;
  readonly #onSentence: (text: string) => void;
  #timer: number | undefined;

  /** @param onSentence called with the sentence to translate, which may be empty */
  constructor(form: HTMLFormElement, onSentence: (text: string) => void) {
    this.#form = form;
    this.#source = find<HTMLTextAreaElement>('textarea', form);
    this.#note = find('.note', form);
    this.#onSentence = onSentence;
    this.#source.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#submit(), pause);
    });
    this.#source.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
      if (this.text === '') this.#source.focus();
    });
  }

  get text(): string {
    return this.#source.value.trim();
  }

  /** Enters a sentence and translates it. */
  set text(text: string) {
    this.#source.value = text;
    this.#submit();
  }

  addExamples(list: HTMLElement, examples: readonly string[]): void {
    for (const text of examples) {
      const button = make('button', { type: 'button' }, text);
      button.addEventListener('click', () => {
        this.text = text;
      });
      list.append(make('li', {}, button));
    }
  }

  /** Lists the words that are not in the vocabulary. */
  showUnknown(words: readonly string[]): void {
    const names = [...new Set(words)].flatMap((word, i) => [i === 0 ? '' : ', ', make('b', {}, word)]);
    this.#form.classList.toggle('has-unknown', names.length > 0);
    this.#note.replaceChildren(...(names.length > 0 ? ['Not in the vocabulary: ', ...names] : []));
  }

  showEmpty(): void {
    this.#note.replaceChildren('Type a sentence or choose an example.');
  }

  #submit(): void {
    clearTimeout(this.#timer);
    this.#onSentence(this.text);
  }
}
