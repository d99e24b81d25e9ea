/** The designs of attention side by side: on this sentence where there are trained models, else on an article's numbers. */

import './ten_years.css';
import { type Engine, loadModel, type Model } from 'transformer-wasm';
import { choice } from '../../controls.js';
import { make } from '../../dom.js';
import { HeatMap, type MapData } from '../../drawing/heat_map.js';
import { translationModel } from '../../files.js';
import type { Frame } from '../../frame.js';
import { read } from '../../reader.js';
import { crossHead, type Reading } from '../../reading.js';
import { shippedModels } from '../../readings.js';
import type { Selection } from '../../selection.js';
import { percent } from '../../tokens.js';
import type { Draw, Page } from '../../view.js';
import { type Design, designs } from './designs.js';

const view = 'ten-years';

/** What one card shows. */
interface Alignment {
  readonly data: MapData;
  readonly translation: string;
}

export function mount(frame: Frame, { selection, engine }: Page): Draw {
  const cards = designs.map((design) => new Card(design));
  const models = new Map<string, Promise<Model>>();
  const trained = designs.filter(
    ({ name }) => name === 'transformer' || shippedModels.includes(`en-fr-${name}`),
  );
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

  const modelOf = (engine: Engine, name: string) => {
    const loading =
      models.get(name) ?? translationModel(`en-fr-${name}`).then((source) => loadModel(source, { engine }));
    models.set(name, loading);
    return loading;
  };

  return async ({ reading, selection: chosen, signal }) => {
    const started = await engine();
    const onArticle = trained.length === 1 || selection.setting(view, 'on', 'sentence') === 'article';
    source.set(onArticle ? 'article' : 'sentence');
    const alignmentOf = async ({ name, weights }: Design): Promise<Alignment> => {
      if (onArticle) return ofArticle(await weights(started));
      if (name === 'transformer') return ofReading(reading, chosen);
      return ofReading(await read(await modelOf(started, name), reading.text, { signal }), chosen);
    };
    const shown = onArticle ? designs : trained;
    const alignments: Alignment[] = [];
    for (const card of cards) {
      card.element.hidden = !shown.includes(card.design);
      if (card.element.hidden) continue;
      const alignment = await alignmentOf(card.design);
      if (signal.aborted) return;
      card.show(alignment);
      alignments.push(alignment);
    }
    frame.say(
      onArticle
        ? 'Three states of a decoder look at seven states of an encoder. Each row is one state; only the score differs.'
        : sameTranslations(alignments),
    );
    frame.table(() => ({
      caption: 'The largest weight of each row, and where it is',
      columns: shown.map(({ title }) => title),
      rows: (alignments[0]?.data.rowNames ?? []).map((name, row) => ({
        name,
        values: alignments.map(({ data }) => largestOf(data, row)),
      })),
    }));
  };
}

class Card {
  readonly element: HTMLElement;
  readonly #map: HeatMap;
  readonly #text = make('p', { class: 'note', lang: 'fr' });
  #data: MapData | null = null;

  constructor(readonly design: Design) {
    this.#map = new HeatMap({
      label: `${design.title}: a row for each word written, a column for each word read`,
      largest: 22,
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
    );
  }

  show({ data, translation }: Alignment): void {
    this.#data = data;
    this.#map.show(data);
    this.#text.textContent = translation;
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
  return { data: { values: data, ...axes }, translation: '' };
}

/** A recurrent model has one attention; of the transformer's, the head that the page is about. */
function ofReading(reading: Reading, { head }: Selection): Alignment {
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
    translation: reading.translation,
  };
}

function largestOf({ values, columns, columnNames }: MapData, row: number): string {
  const weights = Array.from({ length: columns }, (_, column) => values[row * columns + column] ?? 0);
  const most = Math.max(...weights);
  return `${columnNames[weights.indexOf(most)] ?? ''} ${percent(most)}`;
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
