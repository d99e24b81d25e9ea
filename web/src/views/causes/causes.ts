/** What causes it: states of the sentence, copied one by one from a sentence that differs in one word. */

import './causes.css';
import type { Model } from 'transformer-wasm';
import { choice } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import { type Cell, HeatMap } from '../../drawing/heat_map.js';
import type { CodeSample, Frame, NumberTable } from '../../page/frame.js';
import { frenchWord } from '../../page/french_word.js';
import type { Page, State } from '../../page/view.js';
import { plainFigures } from '../../reading/figures.js';
import { chosenHead, chosenWord, type Reading, strongest } from '../../reading/reading.js';
import { percent } from '../../reading/tokens.js';
import { headLabel } from '../../selection/heads.js';
import { words } from '../../words/words.js';
import {
  cellsOf,
  copied,
  type OwnHead,
  othersOf,
  type Pair,
  pairOf,
  type Row,
  type SweepMap,
  strongestHead,
  sweepOf,
  type What,
  whyThere,
} from './compute.js';
import { Offered } from './offered.js';
import { WhyThere } from './why_there.js';

const view = 'causes';

export class Causes {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #map = new HeatMap({
    label: words.causes.map,
    describe: (cell) => this.#describe(cell),
    onSelect: (cell) => void this.#copy(cell),
  });
  readonly #said = make('p', { class: 'spoken', 'aria-live': 'polite' });
  readonly #why = new WhyThere();
  readonly #with = new Offered(words.causes.from, (value) => this.#set('with', value));
  readonly #head = new Offered(words.causes.of, (value) => this.#set('head', value));
  readonly #what = choice({
    label: words.causes.copy,
    options: { states: words.causes.states, heads: words.causes.heads, cells: words.causes.cells },
    value: 'states',
    onChange: (value) => this.#set('what', value === 'states' ? null : value),
  });
  #shown: {
    readonly model: Model;
    readonly reading: Reading;
    readonly pair: Pair;
    readonly map: SweepMap;
  } | null = null;

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.code(code);
    frame.controls.append(this.#with.element, this.#what.element, this.#head.element);
    frame.figure.append(this.#map.element, this.#said, this.#why.element);
  }

  #set(name: string, value: string | null): void {
    this.#page.selection.setSetting(view, name, value);
  }

  async draw({ reading, selection, signal }: State): Promise<void> {
    const model = await this.#page.model();
    const others = reading.stacks === 'both' ? othersOf(model, reading) : [];
    const what = this.#page.selection.setting(view, 'what', 'states') as What;
    this.#what.set(what);
    const place = chosenWord(reading, selection.word);
    const asked = this.#page.selection.setting(view, 'with', '');
    const pair = await this.#pair(model, reading, { others, asked, place });
    if (signal.aborted) return;
    this.#with.offer(Object.fromEntries(others.map((one) => [one, one])), pair?.word ?? '');
    for (const part of [this.#map.element, this.#said, this.#why.element]) part.hidden = !pair;
    this.#head.element.hidden = !pair || what !== 'cells';
    this.#frame.say(...(pair ? [] : [words.causes.none(reading.written[place]?.label ?? '')]));
    if (!pair) {
      this.#shown = null;
      return;
    }
    const map = await this.#sweep(model, reading, { pair, what, signal });
    const chosen = chosenHead(reading, selection.head);
    const head = chosen.kind === 'cross' ? chosen : { kind: 'cross' as const, layer: 0, head: 0 };
    const looks = reading.maps.cross?.of(head.layer, head.head);
    const width = reading.source.length;
    const key = looks ? strongest(looks.slice(place * width, (place + 1) * width)) : 0;
    const why = await whyThere(model, pair, { head, key });
    if (signal.aborted) return;
    this.#shown = { model, reading, pair, map };
    this.#show(reading, map);
    this.#why.show(why, { reading, place, key, name: headLabel(head) });
    const best = strongest(map.shares);
    await this.#copy({ row: Math.floor(best / width), column: best % width });
  }

  /** The word that is asked for, or else the first that makes a difference. */
  async #pair(
    model: Model,
    reading: Reading,
    {
      others,
      asked,
      place,
    }: { readonly others: readonly string[]; readonly asked: string; readonly place: number },
  ): Promise<Pair | null> {
    for (const word of others.includes(asked) ? [asked] : others) {
      const pair = await pairOf(model, reading, { word, place });
      if (pair) return pair;
    }
    return null;
  }

  /** Of weights one by one, those of the head that the reader chose, or else of the one that leads furthest. */
  async #sweep(
    model: Model,
    { maps }: Reading,
    { pair, what, signal }: { readonly pair: Pair; readonly what: What; readonly signal: AbortSignal },
  ): Promise<SweepMap> {
    const { layers = 1, heads = 1 } = maps.encoder ?? {};
    if (what !== 'cells') return sweepOf(model, pair, { what, heads, signal });
    const all = Array.from({ length: layers * heads }, (_, i): OwnHead => {
      return { layer: Math.floor(i / heads), head: i % heads };
    });
    const asked = this.#page.selection.setting(view, 'head', '');
    const head =
      all.find((one) => keyOf(one) === asked) ?? (await strongestHead(model, pair, { heads, signal }));
    const options = all.map((one) => [keyOf(one), words.causes.head(one.layer + 1, one.head + 1)]);
    this.#head.offer(Object.fromEntries(options), keyOf(head));
    return cellsOf(model, pair, { ...head, signal });
  }

  #show(reading: Reading, { rows, shares }: SweepMap): void {
    const columns = reading.source.map(({ label }) => label);
    const rowNames = rows.map((row) => wordOf(row, reading) ?? nameOf(row));
    const [first] = rows;
    const label = first && first.query !== null ? words.causes.mapOfHead(nameOf(first)) : words.causes.map;
    this.#map.element.setAttribute('aria-label', label);
    this.#map.show({
      values: shares,
      rows: rows.length,
      columns: columns.length,
      rowNames,
      columnNames: columns,
      scale: 'signed',
      text: (value) => (Math.abs(value) < 0.005 ? '' : `${Math.round(value * 100)}`),
    });
    this.#frame.table(
      (): NumberTable => ({
        caption: label,
        columns,
        rows: rowNames.map((name, i) => ({
          name,
          values: [...shares.slice(i * columns.length, (i + 1) * columns.length)].map((value) =>
            plainFigures(value),
          ),
        })),
      }),
    );
  }

  #describe({ row, column }: Cell): string {
    const { map, reading } = this.#shown ?? {};
    const of = map?.rows[row];
    if (!map || !of || !reading) return '';
    const share = map.shares[row * reading.source.length + column] ?? 0;
    return words.causes.cell(
      wordOf(of, reading) ?? nameOf(of),
      reading.source[column]?.label ?? '',
      percent(share),
    );
  }

  /** Translates with what the cell stands for copied, and says what became of the word. */
  async #copy(cell: Cell): Promise<void> {
    const shown = this.#shown;
    const row = shown?.map.rows[cell.row];
    if (!shown || !row) return;
    this.#map.mark(cell);
    const { model, pair, reading } = shown;
    const { text, chances } = await copied(model, pair, { row, column: cell.column });
    if (this.#shown !== shown) return;
    const word = reading.source[cell.column]?.label ?? '';
    const query = wordOf(row, reading);
    const [own, other] = pair.written.map((id) => labelOf(model, id));
    this.#said.replaceChildren(
      ...filled(words.causes.said(nameOf(row), percent(chances[0]), percent(chances[1])), {
        place: make('b', { lang: 'en' }, query === null ? word : `${query} → ${word}`),
        other: make('b', { lang: 'en' }, pair.word),
        text: make('i', { lang: 'fr' }, text),
        own: frenchWord(own ?? ''),
        its: frenchWord(other ?? ''),
      }),
    );
  }
}

const nameOf = ({ layer, head }: Row): string =>
  head === null ? words.causes.layer(layer + 1) : words.causes.head(layer + 1, head + 1);

/** Of weights that are copied one by one, who looks. */
const wordOf = ({ query }: Row, { source }: Reading): string | null =>
  query === null ? null : (source[query]?.label ?? '');

const keyOf = ({ layer, head }: OwnHead) => `${layer + 1}.${head + 1}`;

const labelOf = (model: Model, id: number): string => (model.tokenizer?.decode([id]) ?? '').trim();

const code: CodeSample = {
  ours: `import { attribute, sweep } from 'transformer-wasm';

const { effects } = await sweep(model, { inputIds: [tired], decoderInputIds: [read] }, {
  from: { inputIds: [wide], decoderInputIds: [read] },
  at: 'encoder.layers.*.residual',
  measure: { position: read.length - 1, token: elle, against: il },
});`,
  pytorch: `def patch(module, inputs, output, layer=layer, place=place):
    output[0][:, place] = states_of_wide[layer][:, place]
    return output
handle = model.model.encoder.layers[layer].register_forward_hook(patch)
logits = model(input_ids=tired, decoder_input_ids=read).logits[0, -1]
handle.remove()`,
};
