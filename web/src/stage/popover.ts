/** The popover at a word: other words in its place, each with its pronoun, and what else can be done with the sentence. */

import { make } from '../drawing/dom.js';
import { words } from '../words/words.js';

export class Popover {
  readonly element: HTMLElement;
  #home: HTMLElement | null = null;

  /** @param content what is offered */
  constructor(...content: HTMLElement[]) {
    this.element = make(
      'div',
      { class: 'popover', role: 'group', 'aria-label': words.stage.change },
      ...content,
    );
    this.element.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.close();
    });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  open(): void {
    this.element.hidden = false;
  }

  close(): void {
    this.element.hidden = true;
  }

  /** Stands in another element, which places it; `null`: at its word again. */
  moveTo(place: HTMLElement | null): void {
    this.#home ??= this.element.parentElement;
    (place ?? this.#home)?.append(this.element);
    if (place) this.element.removeAttribute('style');
  }

  /** Puts its tip above a word. */
  place(word: HTMLElement | undefined): void {
    const frame = this.element.parentElement;
    if (!word || !frame || this.element.hidden || frame !== (this.#home ?? frame)) return;
    const [outer, inner] = [frame.getBoundingClientRect(), word.getBoundingClientRect()];
    const { offsetWidth } = this.element;
    const middle = (inner.left + inner.right) / 2 - outer.left;
    const left = Math.max(0, Math.min(outer.width - offsetWidth, middle - offsetWidth / 2));
    const { style } = this.element;
    style.setProperty('left', `${left}px`);
    style.setProperty('bottom', `${outer.bottom - inner.top + 14}px`);
    style.setProperty('--tip', `${Math.max(20, Math.min(offsetWidth - 20, middle - left))}px`);
  }
}
