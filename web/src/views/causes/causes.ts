/** What causes it: states of the sentence, copied one by one from a sentence that differs in one word. */

import './causes.css';
import type { Attribution, Model } from 'transformer-wasm';
import { type Control, choice, menu } from '../../drawing/controls.js';
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
  copied,
  mapOf,
  othersOf,
  type Pair,
  pairOf,
  type Row,
  type SweepMap,
  sweepOf,
  type What,
  whyThere,
} from './compute.js';

const view = 'causes';
/** Parts that are drawn; the others are summed up. */
const mostParts = 8;

export class Causes {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #map = new HeatMap({
    label: words.causes.map,
    describe: (cell) => this.#describe(cell),
    onSelect: (cell) => void this.#copy(cell),
  });
  readonly #said = make('p', { class: 'spoken', 'aria-live': 'polite' });
  readonly #parts = make('ol', { class: 'cause-parts' });
  readonly #why = make('p', { class: 'note' });
  readonly #menu = make('span', {});
  #offered: { readonly others: string; readonly control: Control<string> } | null = null;
  readonly #what = choice({
    label: words.causes.copy,
    options: { states: words.causes.states, heads: words.causes.heads },
    value: 'states',
    onChange: (value) => this.#page.selection.setSetting(view, 'what', value === 'states' ? null : value),
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
    frame.controls.append(this.#menu, this.#what.element);
    frame.figure.append(this.#map.element, this.#said, this.#why, this.#parts);
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
    this.#offer(others, pair?.word ?? '');
    for (const part of [this.#map.element, this.#said, this.#why, this.#parts]) part.hidden = !pair;
    this.#frame.say(...(pair ? [] : [words.causes.none(reading.written[place]?.label ?? '')]));
    if (!pair) {
      this.#shown = null;
      return;
    }
    const heads = reading.maps.encoder?.heads ?? 1;
    const map = mapOf(await sweepOf(model, pair, { what, heads, signal }));
    const chosen = chosenHead(reading, selection.head);
    const head = chosen.kind === 'cross' ? chosen : { kind: 'cross' as const, layer: 0, head: 0 };
    const looks = reading.maps.cross?.of(head.layer, head.head);
    const width = reading.source.length;
    const key = looks ? strongest(looks.slice(place * width, (place + 1) * width)) : 0;
    const why = await whyThere(model, pair, { head, key });
    if (signal.aborted) return;
    this.#shown = { model, reading, pair, map };
    this.#show(reading, map);
    this.#drawParts(why, { reading, place, key, name: headLabel(head) });
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

  #offer(others: readonly string[], word: string): void {
    if (this.#offered?.others === others.join()) {
      this.#offered.control.set(word);
      return;
    }
    const control = menu({
      label: words.causes.from,
      options: Object.fromEntries(others.map((one) => [one, one])),
      value: word,
      onChange: (value) => this.#page.selection.setSetting(view, 'with', value),
    });
    this.#offered = { others: others.join(), control };
    this.#menu.replaceChildren(control.element);
  }

  #show({ source }: Reading, { rows, shares }: SweepMap): void {
    const columns = source.map(({ label }) => label);
    this.#map.show({
      values: shares,
      rows: rows.length,
      columns: columns.length,
      rowNames: rows.map(nameOf),
      columnNames: columns,
      scale: 'signed',
      text: (value) => (Math.abs(value) < 0.005 ? '' : `${Math.round(value * 100)}`),
    });
    this.#frame.table(
      (): NumberTable => ({
        caption: words.causes.map,
        columns,
        rows: rows.map((row, i) => ({
          name: nameOf(row),
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
    return words.causes.cell(nameOf(of), reading.source[column]?.label ?? '', percent(share));
  }

  /** Translates with this state copied, and says what became of the word. */
  async #copy(cell: Cell): Promise<void> {
    const shown = this.#shown;
    const row = shown?.map.rows[cell.row];
    if (!shown || !row) return;
    this.#map.mark(cell);
    const { model, pair, reading } = shown;
    const { text, chances } = await copied(model, pair, { ...row, position: cell.column });
    if (this.#shown !== shown) return;
    const [own, other] = pair.written.map((id) => labelOf(model, id));
    this.#said.replaceChildren(
      ...filled(words.causes.said(nameOf(row), percent(chances[0]), percent(chances[1])), {
        place: make('b', { lang: 'en' }, reading.source[cell.column]?.label ?? ''),
        other: make('b', { lang: 'en' }, pair.word),
        text: make('i', { lang: 'fr' }, text),
        own: frenchWord(own ?? ''),
        its: frenchWord(other ?? ''),
      }),
    );
  }

  #drawParts(
    { parts, value }: Attribution,
    {
      reading,
      place,
      key,
      name,
    }: { readonly reading: Reading; readonly place: number; readonly key: number; readonly name: string },
  ): void {
    const sorted = [...parts].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const drawn = sorted.slice(0, mostParts);
    // In 8 bits, each row of the pass that takes the score apart rounds anew.
    const rest = value - drawn.reduce((sum, part) => sum + part.value, 0);
    const all = [...drawn, { source: '', value: rest }];
    const most = Math.max(...all.map((part) => Math.abs(part.value)), 1e-9);
    this.#why.replaceChildren(
      ...filled(words.causes.why(name, plainFigures(value)), {
        query: frenchWord(reading.written[place]?.label ?? ''),
        key: make('b', { lang: 'en' }, reading.source[key]?.label ?? ''),
        there: make('b', { lang: 'en' }, reading.source[key]?.label ?? ''),
      }),
    );
    this.#parts.replaceChildren(
      ...all.map(({ source, value: part }) => {
        const bar = make('span', { class: part < 0 ? 'bar negative' : 'bar', 'aria-hidden': 'true' });
        bar.style.setProperty('--share', `${Math.abs(part) / most}`);
        return make(
          'li',
          {},
          make('span', {}, source === '' ? words.causes.others : sourceName(source)),
          bar,
          make('span', { class: 'number' }, plainFigures(part)),
        );
      }),
    );
  }
}

const nameOf = ({ layer, head }: Row): string =>
  head === null ? words.causes.layer(layer + 1) : words.causes.head(layer + 1, head + 1);

const labelOf = (model: Model, id: number): string => (model.tokenizer?.decode([id]) ?? '').trim();

/** `encoder.layers.0.self.2`: encoder layer 1, head 3. */
function sourceName(source: string): string {
  const [, stack, layer, part, head] =
    /^(encoder|decoder)\.layers\.(\d+)\.(\w+)(?:\.(\d+))?$/.exec(source) ?? [];
  if (stack !== 'encoder' && stack !== 'decoder') return words.causes.sources[source as 'tokens'] ?? source;
  const title = words.layers.titleOf[stack](Number(layer) + 1);
  return head === undefined || part === 'feed_forward'
    ? words.causes.feedForward(title)
    : words.causes.headOf(title, Number(head) + 1);
}

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
