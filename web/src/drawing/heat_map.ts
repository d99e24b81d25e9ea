/**
 * A matrix as a map with named rows and columns: one canvas, whatever its size, and two frames over it that move to the row
 * and the cell under the pointer. It takes one stop of the tabulator key; arrow keys move within it.
 */

import { words } from '../words/words.js';
import { colour, inkOn, onSchemeChange } from './colours.js';
import { make } from './dom.js';
import { type Matrix, paintPixels } from './pixels.js';
import { sized } from './sized.js';
import { onWidthChange } from './width.js';

export interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface MapData extends Matrix {
  readonly rowNames: readonly string[];
  readonly columnNames: readonly string[];
  /** The text of a cell, where there is room; default: none. */
  readonly text?: (value: number) => string;
  /** What is written into empty cells, where there is room. */
  readonly emptyText?: string;
}

export interface HeatMapOptions {
  /** What the map shows, for screen readers. */
  readonly label: string;
  /** The cell in words, for screen readers. */
  readonly describe: (cell: Cell) => string;
  /** The cell under the pointer; `null` when it leaves. */
  readonly onHover?: (cell: Cell | null) => void;
  /** A cell that is clicked, or reached with the arrow keys. */
  readonly onSelect?: (cell: Cell) => void;
  /** The colours of the names; default: rows are queries, columns are keys. */
  readonly colours?: { readonly rows: string; readonly columns: string };
  /** The largest side of a cell in pixels; default 34. */
  readonly largest?: number;
}

const fontSize = 12;
const gap = 8;
/** Cells of at least this side have a name each; below, names would overlap. */
const named = 12;
/** Cells of at least this side have their numbers, set closer where they are long. */
const numbered = 20;
/** And from this one on, empty cells have their text. */
const told = 14;

export class HeatMap {
  readonly element: HTMLElement;
  readonly #options: HeatMapOptions;
  readonly canvas = make('canvas');
  readonly #row = make('span', { class: 'frame-of-row', hidden: true });
  readonly #cell = make('span', { class: 'frame-of-cell', hidden: true });
  readonly #live = make('span', { class: 'visually-hidden', 'aria-live': 'polite' });
  #pixels: OffscreenCanvas | null = null;
  #data: MapData | null = null;
  #selected: Cell = { row: 0, column: 0 };
  #layout = { left: 0, top: 0, side: 0 };
  #width = 0;

  constructor(options: HeatMapOptions) {
    this.#options = options;
    this.element = make(
      'div',
      {
        class: 'heat-map',
        role: 'application',
        tabindex: 0,
        'aria-roledescription': words.page.map,
        'aria-label': options.label,
      },
      this.canvas,
      this.#row,
      this.#cell,
      this.#live,
    );
    this.element.addEventListener('pointermove', (event) => this.#hover(this.#cellAt(event)));
    this.element.addEventListener('pointerleave', () => this.#hover(null));
    this.element.addEventListener('click', (event) => {
      const cell = this.#cellAt(event);
      if (cell) this.#select(cell);
    });
    this.element.addEventListener('keydown', (event) => this.#move(event));
    onWidthChange(this.element, (width) => {
      this.#width = width;
      this.#draw();
    });
    onSchemeChange(() => this.#draw());
  }

  show(data: MapData): void {
    this.#data = data;
    // At once, so that the page does not grow when the observer reports the same width.
    if (this.#width === 0) this.#width = Math.floor(this.element.clientWidth);
    this.#draw();
  }

  /** Marks a cell and its row, as if it had been clicked, without calling back. */
  mark(cell: Cell): void {
    this.#selected = cell;
    this.#frame(cell);
  }

  #draw(): void {
    const data = this.#data;
    if (!data || this.#width === 0) return;
    const { rows, columns } = data;
    const context = this.canvas.getContext('2d') as CanvasRenderingContext2D;
    const font = `${fontSize}px ${getComputedStyle(this.element).fontFamily}`;
    context.font = font;
    const longest = (names: readonly string[]) =>
      Math.min(110, Math.max(0, ...names.map((name) => context.measureText(name).width)));
    const { largest = 34 } = this.#options;
    // With names first; where they leave too little room for cells, without.
    const above = areLetters(data.columnNames) ? fontSize : longest(data.columnNames);
    let [left, top] = [longest(data.rowNames) + gap, above + gap];
    let side = Math.min(largest, (this.#width - left) / columns);
    if (side < named) {
      [left, top] = [0, 0];
      side = Math.min(largest, this.#width / columns);
    }
    if (side >= 4) side = Math.floor(side);
    this.#layout = { left, top, side };
    const [width, height] = [Math.ceil(left + side * columns), Math.ceil(top + side * rows)];
    sized(this.canvas, context, [width, height]);
    this.canvas.style.setProperty('width', `${width}px`);
    this.canvas.style.setProperty('height', `${height}px`);
    this.#pixels ??= new OffscreenCanvas(1, 1);
    paintPixels(this.#pixels, data);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#pixels, left, top, side * columns, side * rows);
    if (side >= 8) this.#separate(context, width, height);
    context.font = font;
    if (left > 0) this.#names(context, data);
    if (side >= numbered && data.text) this.#texts(context, data, data.text);
    if (data.emptyText) this.#emptyCells(context, data, data.emptyText);
    this.#frame(this.#selected);
  }

  /** Thin lines of the page's colour between the cells. */
  #separate(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { left, top, side } = this.#layout;
    context.fillStyle = colour('--page');
    for (let x = left; x <= width; x += side) context.fillRect(x - 0.5, top, 1, height - top);
    for (let y = top; y <= height; y += side) context.fillRect(left, y - 0.5, width - left, 1);
  }

  #names(context: CanvasRenderingContext2D, data: MapData): void {
    const { left, top, side } = this.#layout;
    const { rows, columns } = this.#options.colours ?? { rows: '--query', columns: '--key' };
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillStyle = colour(rows);
    for (const [i, name] of data.rowNames.entries()) {
      context.fillText(fitted(context, name, left - gap), left - gap, top + (i + 0.5) * side);
    }
    context.fillStyle = colour(columns);
    if (areLetters(data.columnNames)) {
      context.textAlign = 'center';
      for (const [i, name] of data.columnNames.entries())
        context.fillText(name, left + (i + 0.5) * side, top - gap);
      return;
    }
    context.textAlign = 'left';
    for (const [i, name] of data.columnNames.entries()) {
      context.save();
      context.translate(left + (i + 0.5) * side, top - gap);
      context.rotate(-Math.PI / 2);
      context.fillText(fitted(context, name, top - gap), 0, 0);
      context.restore();
    }
  }

  #texts(context: CanvasRenderingContext2D, data: MapData, text: (value: number) => string): void {
    const { left, top, side } = this.#layout;
    const { scale = 'weight', limit = 1, isEmpty } = data;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.font = context.font.replace(/^\d+px/, '10px');
    for (let row = 0; row < data.rows; row++) {
      for (let column = 0; column < data.columns; column++) {
        if (isEmpty?.(row, column)) continue;
        const value = data.values[row * data.columns + column] ?? 0;
        context.fillStyle = inkOn(scale, value / limit);
        const [x, y] = [left + (column + 0.5) * side, top + (row + 0.5) * side];
        context.fillText(text(value), x, y, side - 3); // what is longer is set closer
      }
    }
  }

  /** Empty cells are struck out; where there is room, it is written what they are. */
  #emptyCells(context: CanvasRenderingContext2D, { rows, columns, isEmpty }: MapData, text: string): void {
    const { left, top, side } = this.#layout;
    [context.fillStyle, context.strokeStyle] = [colour('--ink-faint'), colour('--ink-faint')];
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.font = context.font.replace(/^\d+px/, `${fontSize}px`);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        if (!isEmpty?.(row, column)) continue;
        const [x, y] = [left + (column + 0.5) * side, top + (row + 0.5) * side];
        if (side >= told) context.fillText(text, x, y, side - 2);
        else context.strokeRect(x - 1, y, 2, 0);
      }
    }
  }

  #cellAt(event: MouseEvent): Cell | null {
    const { left, top, side } = this.#layout;
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - left) / side);
    const row = Math.floor((event.clientY - box.top - top) / side);
    const { rows = 0, columns = 0 } = this.#data ?? {};
    // On the names, a row or a column is meant: of it, the selected cell.
    const cell = {
      row: row < 0 ? this.#selected.row : row,
      column: column < 0 ? this.#selected.column : column,
    };
    return cell.row < rows && cell.column < columns ? cell : null;
  }

  #hover(cell: Cell | null): void {
    this.#frame(cell ?? this.#selected);
    // Where a cell has no room for its number, it is read here.
    this.element.title = cell ? this.#options.describe(cell) : '';
    this.#options.onHover?.(cell);
  }

  #select(cell: Cell): void {
    this.mark(cell);
    this.#live.textContent = this.#options.describe(cell);
    this.#options.onSelect?.(cell);
  }

  #frame({ row, column }: Cell): void {
    const { left, top, side } = this.#layout;
    const { rows = 0, columns = 0 } = this.#data ?? {};
    const isThere = row < rows && column < columns;
    for (const element of [this.#row, this.#cell]) element.hidden = !isThere;
    if (!isThere) return;
    place(this.#row, { x: left, y: top + row * side, width: side * columns, height: side });
    place(this.#cell, { x: left + column * side, y: top + row * side, width: side, height: side });
  }

  #move(event: KeyboardEvent): void {
    const { rows = 1, columns = 1 } = this.#data ?? {};
    const { row, column } = this.#selected;
    const targets: Record<string, Cell> = {
      ArrowUp: { row: Math.max(0, row - 1), column },
      ArrowDown: { row: Math.min(rows - 1, row + 1), column },
      ArrowLeft: { row, column: Math.max(0, column - 1) },
      ArrowRight: { row, column: Math.min(columns - 1, column + 1) },
      Home: { row: event.ctrlKey ? 0 : row, column: 0 },
      End: { row: event.ctrlKey ? rows - 1 : row, column: columns - 1 },
    };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    this.#select(target);
  }
}

function place(element: HTMLElement, box: { x: number; y: number; width: number; height: number }): void {
  element.style.setProperty('transform', `translate(${box.x}px, ${box.y}px)`);
  element.style.setProperty('width', `${box.width}px`);
  element.style.setProperty('height', `${box.height}px`);
}

/** Whether each name is one letter or digit: these stand upright, and need no more room than their height. */
const areLetters = (names: readonly string[]) => names.every((name) => [...name].length === 1);

/** The text, cut with an ellipsis to a width in pixels. */
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let cut = text;
  while (cut.length > 1 && context.measureText(`${cut}…`).width > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}
