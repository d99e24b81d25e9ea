/** What opens below a figure: the numbers as a table, the code, something to try. */

import { make } from '../drawing/dom.js';
import { words } from '../words/words.js';
import { icon } from './icons.js';

export interface Sheet {
  readonly attempt: string;
  readonly question?: string;
  readonly answer?: string;
}

/** A button of the row, and what it opens below the figure. */
export class Fold {
  readonly button: HTMLButtonElement;
  readonly panel: HTMLElement;
  onOpen = () => {};

  constructor(name: Parameters<typeof icon>[0], label: string, content: readonly HTMLElement[] = []) {
    this.button = make(
      'button',
      { type: 'button', 'aria-label': label, title: label, 'aria-expanded': 'false', 'data-fold': name },
      icon(name),
    );
    this.panel = make('div', { class: `fold ${name}-fold`, hidden: true }, ...content);
    this.isOffered = content.length > 0;
    this.button.addEventListener('click', () => {
      this.panel.hidden = this.isOpen;
      this.button.setAttribute('aria-expanded', `${this.isOpen}`);
      if (this.isOpen) this.onOpen();
    });
  }

  get isOpen(): boolean {
    return !this.panel.hidden;
  }

  /** Whether there is anything to open. */
  set isOffered(isOffered: boolean) {
    this.button.hidden = !isOffered;
  }
}

export function sheetFold({ attempt, question, answer }: Sheet): Fold {
  const asked =
    question && answer
      ? [
          make('p', { class: 'sheet-question' }, question),
          make('details', {}, make('summary', {}, words.page.answer), make('p', {}, answer)),
        ]
      : [];
  const tried = make('p', { class: 'try' }, make('b', {}, words.page.try), attempt);
  return new Fold('sheet', words.page.sheet, [tried, ...asked]);
}
