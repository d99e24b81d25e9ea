/** The heads of all layers, and the chosen one large: as a matrix or as lines. */

import './heads.css';
import { action, check, choice } from '../../controls.js';
import { make } from '../../dom.js';
import { HeatMap } from '../../drawing/heat_map.js';
import { Lines } from '../../drawing/lines.js';
import type { Frame } from '../../frame.js';
import { attentionPath, type Head, headLabel, headName, layerLabel } from '../../heads.js';
import { chosenHead, chosenWord, type Reading, strongest } from '../../reading.js';
import type { SelectionStore } from '../../selection.js';
import { Wall } from '../../stage/wall.js';
import { percent, type Token } from '../../tokens.js';
import type { Draw, Page, State } from '../../view.js';
import { type Picture, saveJson, savePng, saveSvg } from './save.js';

const view = 'heads';

export function mount(frame: Frame, { selection }: Page): Draw {
  const heads = new Heads(frame, selection);
  return (state) => heads.draw(state);
}

/** What is shown: a head or the mean of its layer, perhaps without the special tokens. */
interface Shown extends Picture {
  /** Indices of the shown queries among all. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

class Heads {
  readonly #frame: Frame;
  readonly #selection: SelectionStore;
  readonly #map: HeatMap;
  readonly #lines: Lines;
  readonly #wall: Wall;
  readonly #as;
  readonly #mean;
  readonly #special;
  #state: State | null = null;
  #shown: Shown | null = null;

  constructor(frame: Frame, selection: SelectionStore) {
    this.#frame = frame;
    this.#selection = selection;
    const setting = (name: string, isOn: boolean) => selection.setSetting(view, name, isOn ? '1' : null);
    this.#as = choice({
      label: 'Show as',
      options: { matrix: 'Matrix', lines: 'Lines' },
      value: 'matrix',
      onChange: (value) => selection.setSetting(view, 'as', value === 'matrix' ? null : value),
    });
    this.#mean = check({
      label: 'Mean of the layer',
      value: false,
      onChange: (isOn) => setting('mean', isOn),
    });
    this.#special = check({
      label: 'Without start and end',
      value: false,
      onChange: (isOn) => setting('bare', isOn),
    });
    this.#map = new HeatMap({
      label: 'Attention weights: a row for each query, a column for each key',
      describe: ({ row, column }) => this.#describe(row, column),
      onHover: (cell) => {
        if (cell) frame.say(...this.#sentence(cell.row, cell.column));
        else this.#sayChosen();
      },
      onSelect: ({ row }) => this.#select(row),
    });
    this.#lines = new Lines((row) => this.#select(row));
    this.#wall = new Wall({
      onClick: (head) => selection.set({ head }),
      pressed: (head) => {
        const { reading } = this.#state ?? {};
        return (
          reading !== undefined && headName(chosenHead(reading, selection.current.head)) === headName(head)
        );
      },
    });
    const save = (label: string, write: (shown: Shown) => void) =>
      action(label, () => this.#shown && write(this.#shown));
    frame.controls.append(
      this.#as.element,
      this.#mean.element,
      this.#special.element,
      make(
        'div',
        { class: 'choice', role: 'group', 'aria-label': 'Save as' },
        make('span', { class: 'name' }, 'Save as'),
        save('SVG', (shown) => void saveSvg(shown)),
        save('PNG', () => void savePng(this.#map.canvas)),
        save('JSON', saveJson),
      ),
    );
    frame.figure.append(
      make(
        'div',
        { class: 'heads-view' },
        this.#wall.element,
        make('div', { class: 'large' }, this.#map.element, this.#lines.element),
      ),
    );
  }

  draw(state: State): void {
    this.#state = state;
    const { reading, selection } = state;
    const setting = (name: string) => this.#selection.setting(view, name, '') === '1';
    const asLines = this.#selection.setting(view, 'as', 'matrix') === 'lines';
    this.#as.set(asLines ? 'lines' : 'matrix');
    this.#mean.set(setting('mean'));
    this.#special.set(setting('bare'));
    this.#wall.show(reading);
    const head = chosenHead(reading, selection.head);
    const shown = shownOf(reading, head, { isMean: setting('mean'), isBare: setting('bare') });
    this.#shown = shown;
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
      ...(head.kind === 'decoder' && {
        isEmpty: (row: number, column: number) => (shown.columns[column] ?? 0) > (shown.rows[row] ?? 0),
      }),
    });
    if (asLines) this.#lines.show(data);
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

function shownOf(
  reading: Reading,
  head: Head,
  { isMean, isBare }: { isMean: boolean; isBare: boolean },
): Shown {
  const map = reading.maps[head.kind];
  if (!map) return { title: '', queries: [], keys: [], weights: new Float32Array(), rows: [], columns: [] };
  const all = map.of(head.layer, isMean ? 'mean' : head.head);
  const kept = (tokens: readonly Token[]) =>
    [...tokens.keys()].filter((i) => !isBare || !tokens[i]?.isSpecial);
  const [rows, columns] = [kept(map.queries), kept(map.keys)];
  const weights = rows.flatMap((row) => columns.map((column) => all[row * map.keys.length + column] ?? 0));
  return {
    title: isMean ? `${layerLabel(head.kind, head.layer)}, mean of ${map.heads} heads` : headLabel(head),
    queries: rows.map((row) => map.queries[row]?.label ?? ''),
    keys: columns.map((column) => map.keys[column]?.label ?? ''),
    weights: Float32Array.from(weights),
    rows,
    columns,
  };
}

function codeFor({ text }: Reading, { kind, layer, head }: Head) {
  const list = { encoder: 'encoderAttentions', decoder: 'decoderAttentions', cross: 'crossAttentions' }[kind];
  const theirs = { encoder: 'encoder_attentions', decoder: 'decoder_attentions', cross: 'cross_attentions' }[
    kind
  ];
  return {
    ours: `const model = await loadModel('models/en-fr');
const result = await model.translate(${JSON.stringify(text)}, { outputAttentions: true });
const { data, shape: [, heads, queries, keys] } = result.${list}[${layer}];
const head = data.subarray(${head} * queries * keys, ${head + 1} * queries * keys);
// the same, traced: '${attentionPath(kind, layer)}.weights'`,
    pytorch: `inputs = tokenizer(${JSON.stringify(text)}, return_tensors="pt")
ids = model.generate(**inputs)
out = model(**inputs, decoder_input_ids=ids[:, :-1], output_attentions=True)
head = out.${theirs}[${layer}][0, ${head}]   # [queries, keys]`,
  };
}
