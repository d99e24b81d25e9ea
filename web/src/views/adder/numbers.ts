/** Numbers in their places: a vector of a state, or weights as a grid that takes one stop of the tabulator key. */

import { cssColour, inkOn } from '../../drawing/colours.js';
import { make } from '../../drawing/dom.js';
import { cellFigures, figures } from '../../reading/figures.js';
import { words } from '../../words/words.js';
import type { Place, Weight } from './variant.js';

const strongest = (numbers: ArrayLike<number>) =>
  Math.max(1e-6, ...Array.from(numbers, (number) => Math.abs(number)).filter(Number.isFinite));

function paint(cell: HTMLElement, number: number, most: number): void {
  cell.textContent = cellFigures(number);
  cell.title = figures(number);
  // Paler than a map: the numbers are to be read.
  const shade = (number / most) * 0.6;
  cell.style.background = cssColour('signed', shade);
  cell.style.color = inkOn('signed', shade);
}

/** A state, as one row. @param name what it is, before it */
export function drawVector(name: string, numbers: ArrayLike<number>, label = name): HTMLElement {
  const most = strongest(numbers);
  const cells = Array.from(numbers, (number) => {
    const cell = make('span', { class: 'cell' });
    paint(cell, number, most);
    return cell;
  });
  return make(
    'div',
    { class: 'state', role: 'group', 'aria-label': label },
    make('span', { class: 'state-name' }, name),
    make('span', { class: 'cells' }, ...cells),
  );
}

export interface GridOptions {
  readonly name: string;
  /** How formulas call it: `W_Q`. */
  readonly symbol: string;
  readonly rowNames?: readonly string[];
  readonly onChoose: (place: Place) => void;
}

/** Weights, each of which can be chosen: with the pointer, or with arrow keys and Enter. */
export class WeightGrid {
  readonly element: HTMLElement;
  readonly #options: GridOptions;
  #cells: HTMLElement[][] = [];
  #current: readonly [number, number] = [0, 0];

  constructor(options: GridOptions) {
    this.#options = options;
    this.element = make('div', { class: 'weights' });
    this.element.addEventListener('keydown', (event) => this.#move(event));
  }

  /** @param trained as it was trained: what differs is marked @param chosen of it, the cell whose weight is being changed */
  show(weight: Weight, trained: Weight, { chosen, row = -1 }: { chosen: Place | null; row?: number }): void {
    if (this.#cells.length !== weight.rows) this.#build(weight);
    const most = strongest(trained.data);
    for (const [i, cells] of this.#cells.entries())
      for (const [j, cell] of cells.entries()) {
        const at = i * weight.columns + j;
        paint(cell, weight.data[at] ?? 0, most);
        cell.classList.toggle('changed', weight.data[at] !== trained.data[at]);
        const isChosen = chosen?.name === this.#options.name && chosen.row === i && chosen.column === j;
        cell.setAttribute('aria-selected', `${isChosen}`);
        cell.parentElement?.classList.toggle('read', i === row);
      }
  }

  #build({ rows, columns }: Weight): void {
    const { name, symbol, rowNames, onChoose } = this.#options;
    this.#cells = Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, column) => {
        const tabindex = row === 0 && column === 0 ? 0 : -1;
        const cell = make('td', { class: 'cell', role: 'gridcell', tabindex });
        cell.addEventListener('click', () => {
          this.#focus(row, column);
          onChoose({ name, row, column });
        });
        return cell;
      }),
    );
    const body = this.#cells.map((cells, row) =>
      make('tr', {}, ...(rowNames ? [make('th', { scope: 'row' }, rowNames[row] ?? '')] : []), ...cells),
    );
    const label = words.adder.weightsOf(symbol);
    const table = make('table', { role: 'grid', 'aria-label': label }, make('tbody', {}, ...body));
    this.element.replaceChildren(make('span', { class: 'symbol' }, symbol), table);
  }

  #move(event: KeyboardEvent): void {
    const [row, column] = this.#current;
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, (this.#cells[row]?.length ?? 1) - 1],
    };
    const to = steps[event.key];
    if (to) this.#focus(...to);
    else if (event.key === 'Enter' || event.key === ' ')
      this.#options.onChoose({ name: this.#options.name, row, column });
    else return;
    event.preventDefault();
  }

  #focus(row: number, column: number): void {
    const cell = this.#cells[row]?.[column];
    if (!cell) return;
    const [before, after] = this.#current;
    this.#cells[before]?.[after]?.setAttribute('tabindex', '-1');
    cell.setAttribute('tabindex', '0');
    this.#current = [row, column];
    cell.focus();
  }
}
