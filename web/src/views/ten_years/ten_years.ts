/** The designs of attention side by side: on this sentence where there are trained models, else on an article's numbers. */

import './ten_years.css';
import { type Engine, loadModel, type Model } from 'transformer-wasm';
import { choice } from '../../controls.js';
import { make } from '../../dom.js';
import { HeatMap, type MapData } from '../../drawing/heat_map.js';
import { translationModel } from '../../files.js';
import type { Frame } from '../../frame.js';
import { detailOf } from '../../messages.js';
import { read } from '../../reader.js';
import { chosenWord, crossHead, type Reading, strongest } from '../../reading.js';
import { shippedModels } from '../../readings.js';
import type { Selection } from '../../selection.js';
import { percent } from '../../tokens.js';
import type { Draw, Page } from '../../view.js';
import { type Design, designs } from './designs.js';

const view = 'ten-years';

/** What one card shows. */
interface Alignment {
  readonly data: MapData;
  /** The row that is marked. */
  readonly row: number;
  readonly translation: string;
}

type Titled = Alignment & { readonly title: string };

const folderOf = ({ name }: Design) => `en-fr-${name}`;

/** Whether the page has a trained model of this design besides the transformer. */
const isShipped = (design: Design) => shippedModels.includes(folderOf(design));

export function mount(frame: Frame, { selection, engine }: Page): Draw {
  const cards = designs.map((design) => new Card(design, (word) => selection.set({ word })));
  for (const { element } of cards) element.hidden = true;
  const models = new Map<string, Promise<Model>>();
  const trained = designs.filter((design) => design.name === 'transformer' || isShipped(design));
  const source = choice({
    label: 'On',
    options: { sentence: 'this sentence', article: 'an article’s numbers' },
    value: 'sentence',
    onChange: (value) => selection.setSetting(view, 'on', value === 'sentence' ? null : value),
  });
  // With nothing but the transformer there is no choice.
  source.element.hidden = trained.length === 1;
  frame.controls.append(source.element);
  frame.figure.append(make('div', { class: 'cards' }, ...cards.map(({ element }) => element)));
  frame.code(code);

  const load = async (engine: Engine, { design, wait }: Card) =>
    loadModel(await translationModel(folderOf(design)), {
      engine,
      onProgress: ({ phase, loaded, total }) => {
        if (phase === 'weights') wait(loaded, total);
      },
    });
  const modelOf = (engine: Engine, card: Card): Promise<Model> => {
    const { name } = card.design;
    const loading = models.get(name) ?? load(engine, card);
    models.set(name, loading);
    // What could not be loaded is tried again with the next sentence.
    loading.catch(() => models.delete(name));
    return loading;
  };

  // Another word of the same sentence is marked without reading the sentence again.
  const known = new Map<Model, Reading>();
  const readingOf = async (model: Model, text: string, signal: AbortSignal): Promise<Reading> => {
    const last = known.get(model);
    const reading = last?.text === text ? last : await read(model, text, { signal });
    known.set(model, reading);
    return reading;
  };

  return async ({ reading, selection: chosen, signal }) => {
    const started = await engine();
    const onArticle = trained.length === 1 || selection.setting(view, 'on', 'sentence') === 'article';
    source.set(onArticle ? 'article' : 'sentence');
    const alignmentOf = async (card: Card): Promise<Alignment> => {
      if (onArticle) return ofArticle(await card.design.weights(started));
      if (card.design.name === 'transformer') return ofReading(reading, chosen);
      return ofReading(await readingOf(await modelOf(started, card), reading.text, signal), chosen);
    };
    const shown = onArticle ? designs : trained;
    for (const { element, design } of cards) element.hidden = !shown.includes(design);
    // Each appears when its model is there.
    const fill = async (card: Card): Promise<Titled[]> => {
      try {
        const alignment = await alignmentOf(card);
        if (signal.aborted) return [];
        card.show(alignment);
        return [{ ...alignment, title: card.design.title }];
      } catch (error) {
        if (!signal.aborted) card.fail(detailOf(error));
        return [];
      }
    };
    const alignments = (
      await Promise.all(cards.filter(({ design }) => shown.includes(design)).map(fill))
    ).flat();
    if (signal.aborted) return;
    frame.say(
      onArticle
        ? 'Three states of a decoder look at seven states of an encoder. Each row is one state; only the score differs.'
        : sameTranslations(alignments),
    );
    frame.table(() => ({
      caption: 'The largest weight of each row, and where it is',
      columns: alignments.map(({ title }) => title),
      rows: Array.from({ length: Math.max(0, ...alignments.map(({ data }) => data.rows)) }, (_, row) => ({
        name: onArticle ? (alignments[0]?.data.rowNames[row] ?? '') : `word ${row + 1}`,
        values: alignments.map(({ data }) => (row < data.rows ? largestOf(data, row, onArticle) : '')),
      })),
    }));
  };
}

class Card {
  readonly element: HTMLElement;
  readonly #map: HeatMap;
  readonly #text = make('p', { class: 'note', lang: 'fr' });
  #data: MapData | null = null;

  /** @param onSelect called with the row that is clicked */
  constructor(
    readonly design: Design,
    onSelect: (row: number) => void,
  ) {
    this.#map = new HeatMap({
      label: `${design.title}: a row for each word written, a column for each word read`,
      largest: 22,
      onSelect: ({ row }) => onSelect(row),
      describe: ({ row, column }) => {
        const { values, columns, rowNames, columnNames } = this.#data as MapData;
        return `${rowNames[row]} looks at ${columnNames[column]}: ${percent(values[row * columns + column] ?? 0)}`;
      },
    });
    this.element = make(
      'div',
      { class: 'card', 'data-design': design.name },
      make('h3', {}, design.title),
      make('p', { class: 'formula' }, design.formula),
      this.#map.element,
      this.#text,
      ...(isShipped(design)
        ? [make('a', { class: 'note', href: `./models/${folderOf(design)}/`, target: '_top' }, 'Its card')]
        : []),
    );
  }

  show({ data, row, translation }: Alignment): void {
    this.#data = data;
    this.#map.element.hidden = false;
    this.#map.show(data);
    this.#map.mark({ row, column: strongest(rowOf(data, row)) });
    this.#text.lang = 'fr';
    this.#text.textContent = translation;
  }

  /** Says how much of its model has arrived; an arrow function, for it is passed on. */
  readonly wait = (loaded: number, total: number | null): void => {
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
    this.#say(`Loading its model: ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ''} MB`);
  };

  fail(reason: string): void {
    this.#map.element.hidden = true;
    this.#say(reason);
  }

  #say(text: string): void {
    this.#text.lang = 'en';
    this.#text.textContent = text;
  }
}

function ofArticle({
  data,
  shape: [rows = 0, columns = 0],
}: {
  data: Float32Array;
  shape: number[];
}): Alignment {
  const names = (letter: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${letter}${String.fromCharCode(0x2081 + i)}`);
  const axes = { rows, columns, rowNames: names('s', rows), columnNames: names('h', columns) };
  return { data: { values: data, ...axes }, row: 0, translation: '' };
}

/** A recurrent model has one attention; of the transformer's, the head that the page is about. */
function ofReading(reading: Reading, { head, word }: Selection): Alignment {
  const map = reading.maps.cross;
  if (!map) throw new Error('this model has no attention to its source');
  const chosen = map.layers * map.heads > 1 ? crossHead(reading, head) : { layer: 0, head: 0 };
  const names = (tokens: readonly { label: string }[]) => tokens.map(({ label }) => label);
  return {
    data: {
      values: map.of(chosen.layer, chosen.head),
      rows: map.queries.length,
      columns: map.keys.length,
      rowNames: names(map.queries),
      columnNames: names(map.keys),
    },
    row: chosenWord(reading, word),
    translation: reading.translation,
  };
}

const rowOf = ({ values, columns }: MapData, row: number) =>
  Array.from({ length: columns }, (_, column) => values[row * columns + column] ?? 0);

/** Translations differ from model to model: unlike an article's states, their words must be named. */
function largestOf(data: MapData, row: number, isState: boolean): string {
  const weights = rowOf(data, row);
  const key = strongest(weights);
  const looked = `${data.columnNames[key] ?? ''} ${percent(weights[key] ?? 0)}`;
  return isState ? looked : `${data.rowNames[row]} → ${looked}`;
}

function sameTranslations(alignments: readonly Alignment[]): string {
  const texts = new Set(alignments.map(({ translation }) => translation));
  const count = alignments.length;
  return texts.size === 1
    ? `All ${count} models write the same French here; they differ in where they look.`
    : `${count} models write ${texts.size} different translations here.`;
}

const code = {
  ours: `const { weights } = await engine.additiveAttention(states, memory, { Ws, Wh, v });      // Bahdanau
const luong = await engine.luongAttention(states, memory, { score: 'general', W });      // Luong`,
  pytorch: `scores = torch.tanh(states[:, None] @ Ws.T + memory[None] @ Wh.T) @ v    # Bahdanau
weights = scores.softmax(-1)
weights = (states @ W @ memory.T).softmax(-1)                            # Luong, general`,
};
