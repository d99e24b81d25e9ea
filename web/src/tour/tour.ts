/** "Read along": a guide in twelve steps, which moves the selection and highlights what it names. The step is in the address. */

import './tour.css';
import { action } from '../drawing/controls.js';
import { make } from '../drawing/dom.js';
import { holdInSight } from '../page/anchor.js';
import type { Reading } from '../reading/reading.js';
import type { SelectionStore } from '../selection/selection.js';
import { type TourStep, tourSteps } from './steps.js';

export class Tour {
  readonly element: HTMLElement;
  readonly #selection: SelectionStore;
  readonly #title = make('h2', { id: 'tour-title' });
  readonly #text = make('p');
  readonly #here = make('p', { class: 'here' });
  readonly #source = make('p', { class: 'note' });
  readonly #back = action('Back', () => this.#go(-1));
  readonly #next = action('Next', () => this.#go(1));
  /** One rule, for whatever a view draws: what is named may not be there yet, and is drawn anew with each change. */
  readonly #highlight = new CSSStyleSheet();
  #shown = 0;
  #reading: Reading | null = null;

  constructor(selection: SelectionStore) {
    this.#selection = selection;
    const close = action('Close', () => selection.set({ step: 0 }));
    this.element = make(
      'section',
      { class: 'tour', 'aria-labelledby': 'tour-title', hidden: true },
      make('div', { 'aria-live': 'polite' }, this.#title, this.#text, this.#here, this.#source),
      make('div', { class: 'controls' }, this.#back, this.#next, close),
    );
    this.element.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') selection.set({ step: 0 });
    });
    document.adoptedStyleSheets.push(this.#highlight);
  }

  /** Begins at the first step. */
  start(): void {
    this.#go(1 - this.#selection.current.step);
    this.#next.focus();
  }

  /** Shows the step of the selection. */
  show(reading: Reading | null): void {
    this.#reading = reading;
    const { current } = this.#selection;
    const step = tourSteps[current.step - 1];
    this.element.hidden = !step;
    document.body.classList.toggle('touring', step !== undefined);
    if (step) {
      this.#title.textContent = `${current.step} of ${tourSteps.length}: ${step.title}`;
      this.#text.textContent = step.text;
      this.#here.textContent = (reading && step.here?.(reading, current)) ?? '';
      this.#source.textContent = `In “Attention is all you need”: section ${step.section}`;
      this.#back.disabled = current.step === 1;
      this.#next.disabled = current.step === tourSteps.length;
    }
    if (current.step === this.#shown) return;
    this.#shown = current.step;
    this.#highlight.replaceSync(
      step
        ? `:is(${step.named}) { position: relative; z-index: 1; outline: 3px solid var(--focus); border-radius: 4px }`
        : '',
    );
    if (step) holdInSight(step.named, step.view);
  }

  #go(by: number): void {
    const { current } = this.#selection;
    const number = current.step + by;
    const step = tourSteps[number - 1];
    if (step) this.#selection.set({ step: number, view: step.view, ...this.#changeFor(step) });
  }

  #changeFor({ settings, head }: TourStep) {
    const { current } = this.#selection;
    const chosen = this.#reading && head?.(this.#reading);
    return {
      ...(settings && { settings: { ...current.settings, ...settings } }),
      ...(chosen && { head: chosen }),
    };
  }
}
