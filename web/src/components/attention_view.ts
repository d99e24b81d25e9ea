/** One kind of attention: the choice of layer and head, the attention of one token, and the heat map. */

import type { AttentionMap } from '../attention_map.js';
import { find, make } from '../dom.js';
import { percent, type Token, tokenText } from '../tokens.js';
import { type Choice, HeadPicker } from './head_picker.js';
import { type Cell, HeatMap } from './heat_map.js';
import { legend } from './legend.js';
import { LooksAt } from './looks_at.js';

export interface AttentionViewOptions {
  /** The caption: what rows and columns stand for. */
  readonly axes: string;
  readonly label: string;
  /** Whether a row stands for the token being written rather than for the one that attends. */
  readonly writes: boolean;
  readonly isCausal: boolean;
  /** The row that is selected at first. */
  readonly firstQuery: (map: AttentionMap) => number;
}

export class AttentionView {
  readonly #root: HTMLElement;
  readonly #options: AttentionViewOptions;
  readonly #picker: HeadPicker;
  readonly #heatMap: HeatMap;
  readonly #looksAt = new LooksAt();
  readonly #sentence = make('p', { class: 'reading' });
  #map: AttentionMap | undefined;
  #selected: Cell = { query: 0, key: 0 };

  constructor(root: HTMLElement, options: AttentionViewOptions) {
    this.#root = root;
    this.#options = options;
    this.#picker = new HeadPicker(root.id, () => this.#draw());
    this.#heatMap = new HeatMap(options, {
      hover: (cell) => this.#describe(cell ?? this.#selected),
      select: (cell) => this.#select(cell),
    });
    find('.explanation', root).append(
      this.#picker.element,
      make('div', { class: 'one-query' }, this.#sentence, this.#looksAt.element),
    );
    const caption = make('p', { class: 'caption' }, options.axes);
    root.append(make('figure', {}, this.#heatMap.element, make('figcaption', {}, caption, legend())));
  }

  show(map: AttentionMap): void {
    this.#map = map;
    this.#picker.show(map);
    const query = Math.max(0, this.#options.firstQuery(map));
    this.#draw();
    this.#select({ query, key: strongest(this.#row(query)) });
  }

  /** Shows one head and selects one of its rows. */
  open(choice: Choice, query: number): void {
    this.#picker.choose(choice);
    this.#draw();
    this.#select({ query, key: strongest(this.#row(query)) });
    this.#root.scrollIntoView();
  }

  #draw(): void {
    if (!this.#map) return;
    const { layer, head } = this.#picker.choice;
    this.#heatMap.show(this.#map.queries, this.#map.keys, this.#map.of(layer, head));
    this.#describe(this.#selected);
  }

  #select(cell: Cell): void {
    this.#selected = cell;
    this.#heatMap.select(cell);
    this.#describe(cell);
  }

  #describe(cell: Cell): void {
    const query = this.#map?.queries[cell.query];
    const key = this.#map?.keys[cell.key];
    if (!this.#map || !query || !key) return;
    const { isCausal, writes } = this.#options;
    const row = this.#row(cell.query);
    const isAhead = isCausal && cell.key > cell.query;
    this.#heatMap.mark(cell);
    this.#looksAt.show(this.#map.keys, row, {
      ...(writes ? {} : { query: cell.query }),
      ...(isCausal ? { visible: cell.query + 1 } : {}),
    });
    this.#sentence.replaceChildren(
      ...(writes
        ? ['Writing ', named(query, 'query'), ', the decoder looks at ']
        : [named(query, 'query'), ' looks at ']),
      named(key, 'key'),
      ': ',
      isAhead ? 'not yet written' : make('b', {}, percent(row[cell.key] ?? 0)),
    );
  }

  #row(query: number): Float32Array {
    const { layer, head } = this.#picker.choice;
    return this.#map?.row(layer, head, query) ?? new Float32Array();
  }
}

function named(token: Token, role: 'query' | 'key'): HTMLElement {
  return make('b', { class: role }, tokenText(token));
}

function strongest(weights: ArrayLike<number>): number {
  const values = Array.from(weights);
  return Math.max(0, values.indexOf(Math.max(...values)));
}
