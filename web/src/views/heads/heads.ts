/** The heads of all layers, and the chosen one large: as a matrix or as lines. */

import './heads.css';
import { make } from '../../drawing/dom.js';
import { HeatMap } from '../../drawing/heat_map.js';
import { Lines } from '../../drawing/lines.js';
import type { Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { chosenHead, chosenWord, strongest } from '../../reading/reading.js';
import { percent } from '../../reading/tokens.js';
import { type Head, headName } from '../../selection/heads.js';
import type { SelectionStore } from '../../selection/selection.js';
import { Wall } from '../../stage/wall.js';
import { codeFor, type Shown, shownOf } from './compute.js';
import { HeadControls } from './controls.js';
import { saveJson, savePng, saveSvg } from './save.js';

export class Heads {
  readonly #frame: Frame;
  readonly #selection: SelectionStore;
  readonly #controls: HeadControls;
  readonly #map = new HeatMap({
    label: 'Attention weights: a row for each query, a column for each key',
    describe: ({ row, column }) => this.#describe(row, column),
    onHover: (cell) => {
      if (cell) this.#frame.say(...this.#sentence(cell.row, cell.column));
      else this.#sayChosen();
    },
    onSelect: ({ row }) => this.#select(row),
  });
  readonly #lines = new Lines((row) => this.#select(row));
  readonly #wall = new Wall({
    onClick: (head) => this.#selection.set({ head }),
    pressed: (head) => this.#isChosen(head),
  });
  #state: State | null = null;
  #shown: Shown | null = null;

  constructor(frame: Frame, { selection }: Page) {
    this.#frame = frame;
    this.#selection = selection;
    this.#controls = new HeadControls(selection, {
      SVG: () => this.#shown && void saveSvg(this.#shown),
      PNG: () => this.#shown && void savePng(this.#map.canvas),
      JSON: () => this.#shown && saveJson(this.#shown),
    });
    frame.controls.append(...this.#controls.elements);
    const large = make('div', { class: 'large' }, this.#map.element, this.#lines.element);
    frame.figure.append(make('div', { class: 'heads-view' }, this.#wall.element, large));
  }

  draw(state: State): void {
    this.#state = state;
    const { reading, selection } = state;
    const settings = this.#controls.settings();
    this.#wall.show(reading);
    const head = chosenHead(reading, selection.head);
    const shown = shownOf(reading, head, settings);
    this.#shown = shown;
    this.#showWeights(head, shown, settings.asLines);
    const row = this.#chosenRow();
    this.#map.mark({ row, column: strongest(this.#row(row)) });
    this.#lines.mark(row);
    this.#sayChosen();
    this.#frame.table(() => ({
      caption: `${shown.title}: attention in percent`,
      columns: shown.keys,
      rows: shown.queries.map((name, i) => ({ name, values: Array.from(this.#row(i), percent) })),
    }));
    this.#frame.code(codeFor(reading, head));
  }

  #showWeights({ kind }: Head, shown: Shown, asLines: boolean): void {
    this.#map.element.hidden = asLines;
    this.#lines.element.hidden = !asLines;
    const data = {
      values: shown.weights,
      rows: shown.queries.length,
      columns: shown.keys.length,
      rowNames: shown.queries,
      columnNames: shown.keys,
    };
    this.#map.show({
      ...data,
      text: (value) => `${Math.round(value * 100)}`,
      ...(kind === 'decoder' && {
        isEmpty: (row: number, column: number) => (shown.columns[column] ?? 0) > (shown.rows[row] ?? 0),
      }),
    });
    if (asLines) this.#lines.show(data);
  }

  #isChosen(head: Head): boolean {
    const { reading } = this.#state ?? {};
    if (!reading) return false;
    return headName(chosenHead(reading, this.#selection.current.head)) === headName(head);
  }

  #row(row: number): Float32Array {
    const { weights, keys } = this.#shown as Shown;
    return weights.subarray(row * keys.length, (row + 1) * keys.length);
  }

  #chosenRow(): number {
    const { reading, selection } = this.#state as State;
    const { kind } = chosenHead(reading, selection.head);
    const word = kind === 'encoder' ? 0 : chosenWord(reading, selection.word);
    return Math.max(0, this.#shown?.rows.indexOf(word) ?? 0);
  }

  #select(row: number): void {
    const { reading, selection } = this.#state as State;
    if (chosenHead(reading, selection.head).kind === 'encoder') {
      this.#lines.mark(row);
      this.#frame.say(...this.#sentence(row, strongest(this.#row(row))));
    } else this.#selection.set({ word: this.#shown?.rows[row] ?? row });
  }

  #sayChosen(): void {
    const row = this.#chosenRow();
    this.#frame.say(...this.#sentence(row, strongest(this.#row(row))));
  }

  #sentence(row: number, column: number): (Node | string)[] {
    const { title, queries, keys } = this.#shown as Shown;
    return [
      `${title}: `,
      make('b', { class: 'query' }, queries[row] ?? ''),
      ' looks at ',
      make('b', { class: 'key' }, keys[column] ?? ''),
      `: ${percent(this.#row(row)[column] ?? 0)}`,
    ];
  }

  #describe(row: number, column: number): string {
    return this.#sentence(row, column)
      .map((part) => (typeof part === 'string' ? part : part.textContent))
      .join('');
  }
}
