/** Attention as lines from the queries on the left to the keys on the right: the thicker, the more attention. */

import { make } from './dom.js';
import { node } from './svg.js';

const rowHeight = 26;
const [width, left, right] = [420, 130, 290];

/** A weight below this has no line. */
const thinnest = 0.05;

export interface LinesData {
  readonly rowNames: readonly string[];
  readonly columnNames: readonly string[];
  readonly values: ArrayLike<number>;
}

export class Lines {
  readonly element = make('div', { class: 'lines' });
  readonly #onSelect: (row: number) => void;
  #words: SVGTextElement[] = [];
  #lines: { readonly row: number; readonly line: SVGLineElement }[] = [];

  constructor(onSelect: (row: number) => void) {
    this.#onSelect = onSelect;
  }

  show({ rowNames, columnNames, values }: LinesData): void {
    const height = Math.max(rowNames.length, columnNames.length) * rowHeight;
    const picture = node('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
    const columns = columnNames.length;
    this.#lines = rowNames.flatMap((_, row) =>
      columnNames.flatMap((__, column) => {
        const weight = values[row * columns + column] ?? 0;
        if (weight < thinnest) return [];
        const [y1, y2] = [middle(row), middle(column)];
        const line = node('line', { x1: left + 6, y1, x2: right - 6, y2, 'stroke-width': 0.5 + 4 * weight });
        line.setAttribute('stroke-opacity', weight.toFixed(3));
        return [{ row, line }];
      }),
    );
    this.#words = rowNames.map((name, i) => {
      const word = text(name, { x: left, y: middle(i), 'text-anchor': 'end', class: 'query' });
      word.addEventListener('click', () => this.#onSelect(i));
      word.addEventListener('pointerenter', () => this.mark(i));
      return word;
    });
    const keys = columnNames.map((name, i) => text(name, { x: right, y: middle(i), class: 'key' }));
    picture.append(...this.#lines.map(({ line }) => line), ...this.#words, ...keys);
    this.element.replaceChildren(picture);
  }

  /** Highlights the lines of one query. */
  mark(row: number): void {
    for (const one of this.#lines) one.line.classList.toggle('marked', one.row === row);
    for (const [i, word] of this.#words.entries()) word.classList.toggle('marked', i === row);
  }
}

const middle = (row: number) => (row + 0.5) * rowHeight;

function text(content: string, attributes: Record<string, string | number>): SVGTextElement {
  const made = node('text', { ...attributes, 'dominant-baseline': 'central' });
  made.textContent = content.length > 16 ? `${content.slice(0, 15)}…` : content;
  return made;
}
