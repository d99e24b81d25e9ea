/**
 * A matrix of attention weights as a table: a row for each query, a column for each key, darker for larger weights. One
 * cell has the cursor; arrow keys move it, and a screen reader announces its row, its column and its number.
 */

import { make } from '../dom.js';
import { shadeClass } from '../shades.js';
import { type Token, tokenText } from '../tokens.js';

export interface Cell {
  readonly query: number;
  readonly key: number;
}

interface Listener {
  /** The pointer is over a cell, or over none (`null`). */
  hover(cell: Cell | null): void;
  /** A cell was clicked, tapped or reached by keyboard. */
  select(cell: Cell): void;
}

export interface HeatMapOptions {
  readonly label: string;
  /** Whether a query sees only the keys up to its own position. */
  readonly isCausal: boolean;
}

/** The number of cells beyond which layout becomes slow. */
const large = 1000;

export class HeatMap {
  readonly element: HTMLElement;
  readonly #table: HTMLTableElement;
  readonly #options: HeatMapOptions;
  #queries: readonly Token[] = [];
  #keys: readonly Token[] = [];
  #cells: HTMLTableCellElement[][] = [];
  #cursor: Cell = { query: 0, key: 0 };

  constructor(options: HeatMapOptions, listener: Listener) {
    this.#options = options;
    this.#table = make('table', { role: 'grid', 'aria-label': options.label });
    this.element = make('div', { class: 'heat-map' }, make('div', {}, this.#table));
    this.#table.addEventListener('keydown', (event) => this.#move(event));
    this.#table.addEventListener('focusin', (event) => {
      const cell = cellOf(event);
      if (cell) listener.select(cell);
    });
    this.#table.addEventListener('pointerover', (event) => listener.hover(cellOf(event)));
    this.#table.addEventListener('pointerleave', () => listener.hover(null));
    // A click on a row's label selects that row. (A click on a cell focuses the cell, which selects it.)
    this.#table.addEventListener('click', (event) => {
      const row = (event.target as Element).closest('tbody th')?.closest('tr');
      if (row) this.#cells[row.rowIndex - 1]?.[this.#cursor.key]?.focus();
    });
  }

  /** Draws the weights, [queries, keys]. If the tokens are the same as before, only the cells are updated. */
  show(queries: readonly Token[], keys: readonly Token[], weights: Float32Array): void {
    if (queries !== this.#queries || keys !== this.#keys) this.#build(queries, keys);
    for (const [query, row] of this.#cells.entries()) {
      for (const [key, cell] of row.entries()) {
        if (this.#isAhead(query, key)) continue;
        const weight = weights[query * keys.length + key] ?? 0;
        cell.className = shadeClass(weight);
        cell.textContent = `${Math.round(weight * 100)}`;
      }
    }
  }

  /** Moves the cursor to a cell without moving the focus. */
  select(cell: Cell): void {
    this.#cells[this.#cursor.query]?.[this.#cursor.key]?.setAttribute('tabindex', '-1');
    this.#cells[cell.query]?.[cell.key]?.setAttribute('tabindex', '0');
    this.#cursor = cell;
  }

  /** Highlights the row and the column of a cell. */
  mark({ query, key }: Cell): void {
    for (const marked of this.#table.querySelectorAll('.marked')) marked.classList.remove('marked');
    this.#table.tBodies[0]?.rows[query]?.classList.add('marked');
    this.#table.tHead?.rows[0]?.cells[key + 1]?.classList.add('marked');
    this.#cells[query]?.[key]?.classList.add('marked');
  }

  #build(queries: readonly Token[], keys: readonly Token[]): void {
    this.#queries = queries;
    this.#keys = keys;
    this.#cursor = { query: 0, key: 0 };
    this.element.classList.toggle('large', queries.length * keys.length > large);
    this.element.style.setProperty('--columns', `${keys.length}`);
    this.element.style.setProperty('--rows', `${queries.length}`);
    const columns = keys.map((key) => make('th', { scope: 'col' }, tokenText(key)));
    const empty = make('tr', {}, ...keys.map(() => make('td', { tabindex: -1 })));
    const rows = queries.map((query) => {
      const row = empty.cloneNode(true) as HTMLTableRowElement;
      row.prepend(make('th', { scope: 'row' }, tokenText(query)));
      return row;
    });
    this.#cells = rows.map((row) => [...row.querySelectorAll('td')]);
    for (const [query, cells] of this.#cells.entries()) {
      for (const [key, cell] of cells.entries()) if (this.#isAhead(query, key)) cell.className = 'ahead';
    }
    this.#table.replaceChildren(
      make('thead', {}, make('tr', {}, make('td', { class: 'corner' }), ...columns)),
      make('tbody', {}, ...rows),
    );
  }

  #isAhead(query: number, key: number): boolean {
    return this.#options.isCausal && key > query;
  }

  #move(event: KeyboardEvent): void {
    const { query, key } = this.#cursor;
    const last = { query: this.#queries.length - 1, key: this.#keys.length - 1 };
    const targets: Record<string, Cell> = {
      ArrowUp: { query: Math.max(0, query - 1), key },
      ArrowDown: { query: Math.min(last.query, query + 1), key },
      ArrowLeft: { query, key: Math.max(0, key - 1) },
      ArrowRight: { query, key: Math.min(last.key, key + 1) },
      Home: event.ctrlKey ? { query: 0, key: 0 } : { query, key: 0 },
      End: event.ctrlKey ? last : { query, key: last.key },
    };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    this.#cells[target.query]?.[target.key]?.focus();
  }
}

function cellOf(event: Event): Cell | null {
  const cell = (event.target as Element).closest<HTMLTableCellElement>('tbody td');
  const row = cell?.closest('tr');
  return cell && row ? { query: row.rowIndex - 1, key: cell.cellIndex - 1 } : null;
}
