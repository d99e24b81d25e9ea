/** A position scheme as a matrix, how alike its positions are, and one line of it as a curve. */

import { Tensor } from 'transformer-wasm';
import { make } from '../../drawing/dom.js';
import { type Cell, HeatMap } from '../../drawing/heat_map.js';
import { figures } from '../../reading/figures.js';
import { words } from '../../words/words.js';
import { type Line, largestOf } from './compute.js';
import { Curve } from './curve.js';
import type { Scheme } from './schemes.js';

const names = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);

const numberAt = (tensor: Tensor | null | undefined, { row, column }: Cell) =>
  figures(tensor?.data[row * (tensor.shape[1] ?? 0) + column] ?? 0);

export class SchemeMaps {
  readonly element: HTMLElement;
  readonly #matrix: HeatMap;
  readonly #similarity: HeatMap;
  readonly #alike: HTMLElement;
  readonly #curve = new Curve();
  readonly #curveTitle = make('h3');
  #shown: Scheme | null = null;

  /** @param onSelect called with the dimension that is clicked */
  constructor(onSelect: (dimension: number) => void) {
    const colours = { rows: '--ink-soft', columns: '--ink-soft' };
    this.#matrix = new HeatMap({
      label: words.positions.asMatrix,
      colours,
      describe: (cell) =>
        `${this.#shown?.rows} ${cell.row}${words.marks.comma}${this.#shown?.columns} ${cell.column}${words.marks.colon}${this.#shown?.isCausal && cell.column > cell.row ? words.positions.hidden : numberAt(this.#shown?.matrix, cell)}`,
      onSelect: ({ column }) => this.#shown?.similarity && onSelect(column),
    });
    this.#similarity = new HeatMap({
      label: words.positions.alike,
      colours,
      describe: (cell) =>
        words.positions.pair(cell.row, cell.column, numberAt(this.#shown?.similarity, cell)),
    });
    const titled = (title: HTMLElement, { element }: HeatMap | Curve) => make('div', {}, title, element);
    const alike = make('h3', {}, words.positions.alikeProduct);
    this.#alike = titled(alike, this.#similarity);
    this.element = make(
      'div',
      { class: 'position-maps' },
      titled(make('h3', {}, words.positions.theScheme), this.#matrix),
      this.#alike,
      titled(this.#curveTitle, this.#curve),
    );
  }

  /** Keeps the places of the maps until there is one to show. */
  expect(rows: number, columns: number): void {
    if (this.#shown) return;
    const nothing = new Tensor(new Float32Array(rows * columns), [rows, columns]);
    for (const map of [this.#matrix, this.#similarity]) showMap(map, nothing);
    this.#curveTitle.textContent = '…';
  }

  show(scheme: Scheme, line: Line): void {
    this.#shown = scheme;
    this.#alike.hidden = scheme.similarity === null;
    showMap(this.#matrix, scheme.matrix, scheme.isCausal);
    if (scheme.similarity) showMap(this.#similarity, scheme.similarity);
    this.#curveTitle.textContent = line.name;
    this.#curve.show(line);
  }
}

function showMap(map: HeatMap, { data, shape: [rows = 0, columns = 0] }: Tensor, isCausal = false): void {
  const axes = { rows, columns, rowNames: names(rows), columnNames: names(columns) };
  const isEmpty = (row: number, column: number) => isCausal && column > row;
  map.show({ ...axes, values: data, scale: 'signed', limit: largestOf(data), isEmpty });
}
