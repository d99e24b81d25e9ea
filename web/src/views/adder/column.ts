/** The sum as it is written by hand: each digit with the attention that it gets, and those of the sum to choose a step. */

import { cssColour, inkOn } from '../../drawing/colours.js';
import { make } from '../../drawing/dom.js';
import { cellPercent } from '../../reading/figures.js';
import { words } from '../../words/words.js';
import { added, equals, plus, type Sum, tokenName, width } from './sums.js';

export interface ColumnPicture {
  readonly sum: Sum;
  /** What the model writes, the lowest digit first. */
  readonly digits: readonly number[];
  /** The place that is being written. */
  readonly place: number;
  /** Attention weights of all tokens so far. */
  readonly weights: ArrayLike<number>;
}

export class Column {
  readonly element = make('div', { class: 'column', role: 'group', 'aria-label': words.adder.steps });
  readonly #onStep: (place: number) => void;

  constructor(onStep: (place: number) => void) {
    this.#onStep = onStep;
    this.element.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
      const chosen = this.element.querySelector<HTMLElement>('[aria-pressed="true"]');
      if (!step || !chosen || !(event.target instanceof HTMLButtonElement)) return;
      event.preventDefault();
      this.#onStep(Math.min(width - 1, Math.max(0, Number(chosen.dataset.place) + step)));
    });
  }

  show({ sum: { a, b }, digits, place, weights }: ColumnPicture): void {
    const hasFocus = this.element.contains(document.activeElement);
    const right = added({ a, b }).digits;
    const begins = [0, width + 1, 2 * width + 2] as const;
    const rowOf = (ids: readonly number[], begin: number) =>
      ids.map((id, i) => looked(`${id}`, weights[begin + i] ?? 0)).reverse();
    const sums = digits.map((digit, i) => {
      const button = make('button', {
        type: 'button',
        class: digit === right[i] ? 'digit-cell' : 'digit-cell wrong',
        'data-place': i,
        'aria-pressed': `${i === place}`,
        'aria-label': words.adder.stepOf(i + 1, tokenName(digit)),
        tabindex: i === place ? 0 : -1,
      });
      mark(button, tokenName(digit), i < place ? (weights[begins[2] + i] ?? 0) : 0);
      button.classList.toggle('to-come', i > place);
      button.addEventListener('click', () => this.#onStep(i));
      return button;
    });
    const symbol = (id: number, begin: number) => looked(tokenName(id), weights[begin - 1] ?? 0);
    this.element.replaceChildren(
      make('span', {}),
      ...rowOf(a, begins[0]),
      symbol(plus, begins[1]),
      ...rowOf(b, begins[1]),
      symbol(equals, begins[2]),
      ...sums.reverse(),
    );
    if (hasFocus) this.element.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
  }
}

function looked(text: string, weight: number): HTMLElement {
  const cell = make('span', { class: 'digit-cell' });
  mark(cell, text, weight);
  return cell;
}

function mark(cell: HTMLElement, text: string, weight: number): void {
  cell.replaceChildren(text, make('small', {}, cellPercent(weight)));
  cell.style.background = weight >= 0.005 ? cssColour('weight', weight) : '';
  cell.style.color = weight >= 0.005 ? inkOn('weight', weight) : '';
}
