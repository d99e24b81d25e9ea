/** One line from 2014 to today: what has changed in the look back, and what has stayed. */

import { words } from '../../words/words.js';
import './today.css';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import { stations } from './stations.js';

const rows = {
  asks: words.today.rows.asks,
  score: words.today.rows.score,
  weights: words.today.rows.weights,
  mix: words.today.rows.mix,
} as const;

export class Today {
  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    frame.figure.append(make('ol', { class: 'today' }, ...stations.map(drawStation)));
    frame.code(code);
  }

  draw(): void {
    this.#frame.say(words.today.said);
    this.#frame.table(() => ({
      caption: words.today.table,
      columns: stations.map(({ year }) => year),
      rows: (Object.keys(rows) as (keyof typeof rows)[]).map((key) => ({
        name: rows[key],
        values: stations.map((station) => station[key]),
      })),
    }));
  }
}

function drawStation(station: (typeof stations)[number]): HTMLElement {
  const lines = (Object.keys(rows) as (keyof typeof rows)[]).flatMap((key) => [
    make('dt', {}, rows[key]),
    make('dd', key === 'weights' || key === 'mix' ? { class: 'stays' } : {}, station[key]),
  ]);
  return make(
    'li',
    {},
    make('b', { class: 'year' }, station.year),
    make('p', { class: 'note' }, station.who),
    make('dl', {}, ...lines),
  );
}

const code: CodeSample = {
  ours: `const { output } = await engine.scaledDotProductAttention(queries, keys, values);   // 2017 and today
const { context } = await engine.additiveAttention(states, memory, { Ws, Wh, v });   // 2014`,
  pytorch: `F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)`,
};
