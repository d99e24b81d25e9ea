/** The designs of attention side by side: on this sentence where there are trained models, else on an article's numbers. */

import { words } from '../../words/words.js';
import './ten_years.css';
import { choice } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame, NumberTable } from '../../page/frame.js';
import { messageOf } from '../../page/messages.js';
import type { Page, State } from '../../page/view.js';
import { isShipped, readTrained } from '../../reading/trained.js';
import { Card } from './card.js';
import { windowOf } from './centre.js';
import {
  type Alignment,
  claimOf,
  largestOf,
  ofArticle,
  ofReading,
  sameTranslations,
  type Titled,
} from './compute.js';
import { designs, folderOf } from './designs.js';

const view = 'ten-years';

const trained = designs.filter((design) => design.name === 'transformer' || isShipped(folderOf(design)));

export class TenYears {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #source = choice({
    label: words.tenYears.on,
    options: { sentence: words.tenYears.thisSentence, article: words.tenYears.article },
    value: 'sentence',
    onChange: (value) => this.#page.selection.setSetting(view, 'on', value === 'sentence' ? null : value),
  });
  readonly #cards: readonly Card[];

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    this.#cards = designs.map((design) => new Card(design, (word) => page.selection.set({ word })));
    for (const { element } of this.#cards) element.hidden = true;
    // With nothing but the transformer there is no choice.
    this.#source.element.hidden = trained.length === 1;
    frame.controls.append(this.#source.element);
    frame.figure.append(make('div', { class: 'cards' }, ...this.#cards.map(({ element }) => element)));
    frame.code(code);
  }

  async draw(state: State): Promise<void> {
    await this.#page.engine();
    const onArticle =
      trained.length === 1 || this.#page.selection.setting(view, 'on', 'sentence') === 'article';
    this.#source.set(onArticle ? 'article' : 'sentence');
    const shown = onArticle ? designs : trained;
    for (const { element, design } of this.#cards) element.hidden = !shown.includes(design);
    const cards = this.#cards.filter(({ design }) => shown.includes(design));
    if (!onArticle && state.reading.maps.cross)
      for (const card of cards) card.expect(ofReading(state.reading, state.selection));
    const filled = await Promise.all(cards.map((card) => this.#fill(card, state, onArticle)));
    if (state.signal.aborted) return;
    const alignments = filled.flat();
    this.#frame.say(onArticle ? words.tenYears.articleSaid : sameTranslations(alignments));
    this.#frame.claim(claimOf(alignments, onArticle));
    this.#frame.table(() => tableOf(alignments, onArticle));
  }

  /** Each card appears when its model is there. */
  async #fill(card: Card, state: State, onArticle: boolean): Promise<Titled[]> {
    const { signal } = state;
    try {
      const alignment = await this.#alignmentOf(card, state, onArticle);
      if (signal.aborted) return [];
      card.show(alignment);
      return [{ ...alignment, title: card.design.title }];
    } catch (error) {
      if (!signal.aborted) card.fail(messageOf(error));
      return [];
    }
  }

  async #alignmentOf({ design, wait }: Card, state: State, onArticle: boolean): Promise<Alignment> {
    const { reading, selection, signal } = state;
    const engine = await this.#page.engine();
    if (onArticle) return ofArticle(await design.weights(engine));
    if (design.name === 'transformer') return ofReading(reading, selection);
    const own = await readTrained(engine, folderOf(design), reading.text, { signal, onBytes: wait });
    const alignment = ofReading(own, selection);
    return { ...alignment, window: await windowOf(engine, design, own, alignment.row) };
  }
}

const tableOf = (alignments: readonly Titled[], onArticle: boolean): NumberTable => ({
  caption: words.tenYears.table,
  columns: alignments.map(({ title }) => title),
  rows: Array.from({ length: Math.max(0, ...alignments.map(({ data }) => data.rows)) }, (_, row) => ({
    name: onArticle ? (alignments[0]?.data.rowNames[row] ?? '') : words.tenYears.word(row + 1),
    values: alignments.map(({ data }) => (row < data.rows ? largestOf(data, row, onArticle) : '')),
  })),
});

const code: CodeSample = {
  ours: `const { weights } = await engine.additiveAttention(states, memory, { Ws, Wh, v });      // Bahdanau
const luong = await engine.luongAttention(states, memory, { score: 'general', W });      // Luong`,
  pytorch: `scores = torch.tanh(states[:, None] @ Ws.T + memory[None] @ Wh.T) @ v    # Bahdanau
weights = scores.softmax(-1)
weights = (states @ W @ memory.T).softmax(-1)                            # Luong, general`,
};
