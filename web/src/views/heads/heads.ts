/** The heads of all layers, and the chosen one large: as a matrix or as lines. */

import { filled } from '../../drawing/filled.js';
import { words } from '../../words/words.js';
import './heads.css';
import { action } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import { HeatMap } from '../../drawing/heat_map.js';
import { Lines } from '../../drawing/lines.js';
import { AgreementBars } from '../../page/agreement_bars.js';
import type { Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { cellPercent } from '../../reading/figures.js';
import { chosenSource, comparedWith, needsOf } from '../../reading/needs.js';
import { chosenHead, chosenWord, type Needs, type Reading, strongest } from '../../reading/reading.js';
import { percent } from '../../reading/tokens.js';
import { type Head, headName } from '../../selection/heads.js';
import type { SelectionStore } from '../../selection/selection.js';
import { Wall } from '../../stage/wall.js';
import { codeFor, type Shown, shownOf } from './compute.js';
import { HeadControls } from './controls.js';
import { decisiveHeads } from './decisive.js';
import { countsOf, noteOf } from './decisive_note.js';
import { saveJson, savePng, saveSvg } from './save.js';

export class Heads {
  readonly #frame: Frame;
  readonly #selection: SelectionStore;
  readonly #controls: HeadControls;
  readonly #map = new HeatMap({
    label: words.heads.map,
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
    onHover: (head) => this.#note(head),
    pressed: (head) => this.#isChosen(head),
  });
  readonly #page: Page;
  readonly #agreement = new AgreementBars();
  readonly #aside = make('p', { class: 'spoken head-note' });
  readonly #toggle = action(words.heads.off, () => this.#switch());
  #changes: ReadonlyMap<string, string> = new Map();
  /** What `#changes` are of. */
  #decided: Reading | null = null;
  #state: State | null = null;
  #shown: Shown | null = null;

  constructor(frame: Frame, page: Page) {
    const { selection } = page;
    this.#page = page;
    this.#frame = frame;
    this.#selection = selection;
    this.#controls = new HeadControls(selection, {
      SVG: () => this.#shown && void saveSvg(this.#shown),
      PNG: () => this.#shown && void savePng(this.#map.canvas),
      JSON: () => this.#shown && saveJson(this.#shown),
    });
    frame.controls.append(this.#toggle, ...this.#controls.elements);
    const large = make('div', { class: 'large' }, this.#map.element, this.#lines.element);
    const wall = make('div', {}, this.#wall.element, this.#aside);
    frame.figure.append(make('div', { class: 'heads-view' }, wall, large), this.#agreement.element);
  }

  async draw(state: State): Promise<void> {
    this.#state = state;
    const { reading, selection } = state;
    const settings = this.#controls.settings();
    this.#wall.show(reading);
    this.#wall.fade(reading.off);
    const head = chosenHead(reading, selection.head);
    this.#showSwitch(head, reading.isRecurrent);
    const shown = shownOf(reading, head, settings);
    this.#shown = shown;
    this.#showWeights(head, shown, settings.asLines);
    const row = this.#chosenRow();
    this.#map.mark({ row, column: strongest(this.#row(row)) });
    this.#lines.mark(row);
    this.#sayChosen();
    this.#compare(state, null);
    this.#frame.table(() => ({
      caption: words.heads.table(shown.title),
      columns: shown.keys,
      rows: shown.queries.map((name, i) => ({ name, values: Array.from(this.#row(i), percent) })),
    }));
    this.#frame.code(codeFor(reading, head));
    await this.#measure(state);
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
      text: cellPercent,
      ...(kind === 'decoder' && {
        isEmpty: (row: number, column: number) => (shown.columns[column] ?? 0) > (shown.rows[row] ?? 0),
      }),
    });
    if (asLines) this.#lines.show(data);
  }

  #showSwitch(head: Head, isRecurrent: boolean): void {
    const isOff = this.#selection.current.off.includes(headName(head));
    this.#toggle.textContent = isOff ? words.heads.on : words.heads.off;
    // The one attention of a recurrent model cannot be switched off.
    this.#toggle.hidden = isRecurrent;
    const isGhost = isOff && !this.#controls.settings().isMean;
    for (const { element } of [this.#map, this.#lines]) element.classList.toggle('ghost', isGhost);
  }

  #switch(): void {
    const { off, head } = this.#selection.current;
    if (!this.#state) return;
    const name = headName(chosenHead(this.#state.reading, head));
    const next = off.includes(name) ? off.filter((other) => other !== name) : [...off, name];
    this.#selection.set({ off: next, prefix: [] });
  }

  /** What takes further passes: what the word needed, and which heads decide. */
  async #measure({ reading, selection, signal }: State): Promise<void> {
    const model = await this.#page.model();
    const needs = await needsOf(model, reading);
    if (signal.aborted) return;
    if (needs) this.#compare({ reading, selection }, needs);
    if (!reading.maps.cross || this.#decided === reading) return;
    this.#changes = await decisiveHeads(model, reading, selection.prefix, signal);
    this.#decided = reading;
    this.#wall.outline(this.#changes);
    this.#note(null);
  }

  /** The row of what was looked at beside that of what was needed. @param needs `null` until they are measured */
  #compare({ reading, selection }: Pick<State, 'reading' | 'selection'>, needs: Needs | null): void {
    const { rows, columns, keys } = this.#shown as Shown;
    const head = chosenHead(reading, selection.head);
    const row = this.#chosenRow();
    const losses = comparedWith(reading, needs, { kind: head.kind, query: rows[row] ?? 0, selection });
    const isOff = reading.off.includes(headName(head)) && !this.#controls.settings().isMean;
    this.#agreement.show(
      losses && {
        names: keys,
        weights: isOff ? null : this.#row(row),
        losses: losses === 'pending' ? null : columns.map((column) => losses[column] ?? 0),
      },
    );
  }

  /** @param head the one under the pointer; `null`: says how many decide */
  #note(head: Head | null): void {
    const { reading, selection } = this.#state ?? {};
    if (!reading || !selection) return;
    const change = head && this.#changes.get(headName(head));
    this.#aside.replaceChildren(
      ...(head
        ? noteOf(reading, head, { word: selection.word, change: change ?? undefined })
        : [countsOf(this.#changes.size, selection.off.length)]),
    );
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
    const asked = Number(this.#selection.setting('heads', 'row', '-1'));
    const isAsked = kind === 'encoder' && this.#shown?.rows.includes(asked);
    const source =
      kind === 'encoder' ? chosenSource(reading, selection) : chosenWord(reading, selection.word);
    return Math.max(0, this.#shown?.rows.indexOf(isAsked ? asked : source) ?? 0);
  }

  #select(row: number): void {
    const { reading, selection } = this.#state as State;
    const at = this.#shown?.rows[row] ?? row;
    if (chosenHead(reading, selection.head).kind === 'encoder')
      this.#selection.setSetting('heads', 'row', `${at}`);
    else this.#selection.set({ word: at });
  }

  #sayChosen(): void {
    const row = this.#chosenRow();
    this.#frame.say(...this.#sentence(row, strongest(this.#row(row))));
  }

  #sentence(row: number, column: number): (Node | string)[] {
    const { title, queries, keys } = this.#shown as Shown;
    return filled(words.heads.said, {
      title,
      query: make('b', { class: 'query' }, queries[row] ?? ''),
      key: make('b', { class: 'key' }, keys[column] ?? ''),
      weight: percent(this.#row(row)[column] ?? 0),
    });
  }

  #describe(row: number, column: number): string {
    return this.#sentence(row, column)
      .map((part) => (typeof part === 'string' ? part : part.textContent))
      .join('');
  }
}
