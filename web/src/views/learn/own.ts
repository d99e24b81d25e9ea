/** The reader's own question. */

import { make } from '../../drawing/dom.js';
import { learnWords } from '../../words/learn_words.js';
import type { Example, Task } from './task.js';
import type { TaskName } from './variants.js';

export class Own {
  readonly element: HTMLElement;
  readonly #input = make('input', {
    type: 'text',
    id: 'learn-own',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  readonly #hint = make('span', { class: 'hint', id: 'learn-hint', 'aria-live': 'polite' });
  #task: Task | null = null;
  /** What was typed, if it can be asked. */
  example: Example | null = null;

  constructor(onChange: (example: Example | null) => void) {
    this.#input.setAttribute('aria-describedby', 'learn-hint');
    this.#input.addEventListener('input', () => {
      this.#read();
      onChange(this.example);
    });
    this.element = make(
      'div',
      { class: 'control' },
      make('label', { for: 'learn-own', class: 'name' }, learnWords.texts.own),
      this.#input,
      this.#hint,
    );
  }

  use(task: Task, name: TaskName): void {
    this.#task = task;
    this.#input.value = '';
    this.#hint.textContent = learnWords.hints[name];
    this.#read();
  }

  #read(): void {
    const text = this.#input.value;
    this.example = this.#task?.read(text) ?? null;
    this.#input.setAttribute('aria-invalid', `${text.trim() !== '' && !this.example}`);
  }
}
